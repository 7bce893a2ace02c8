"""Models of many kinds, saved by one Module and loaded by the other: see test_scratch_saving_across.py."""

import os
import pickle

import torch
from torch import nn
from torch.nn.utils import parametrizations, prune

X = torch.arange(6, dtype=torch.float32).reshape(2, 3) / 5


class Net(nn.Module):
    """Have ties, slots of None, buffers of both kinds, and extra state."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.tied = nn.Linear(3, 3)
        self.tied.weight = self.fc.weight
        self.tail = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(3), nn.Dropout(0.5))
        self.register_buffer("scale", torch.full((3,), 2.0))
        self.register_buffer("scratch", torch.ones(3), persistent=False)
        self.register_parameter("nothing", None)
        self.register_module("nobody", None)
        self.steps = 0

    def forward(self, x):
        return self.tail(self.tied(self.fc(x))) * self.scale + self.scratch

    def get_extra_state(self):
        return {"steps": self.steps}

    def set_extra_state(self, state):
        self.steps = state["steps"]


def plus_one(module, args, out):
    return out + 1


def nothing(*args):
    return None


def hooked():
    model = Net()
    model.register_forward_hook(plus_one, always_call=True)
    model.fc.register_forward_pre_hook(nothing)
    model.register_full_backward_hook(nothing)
    model.tied.register_full_backward_pre_hook(nothing)
    model.register_state_dict_pre_hook(nothing)
    model.register_load_state_dict_pre_hook(nothing)
    model.register_load_state_dict_post_hook(nothing)
    model.steps = 7
    return model.eval()


def pruned():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    prune.l1_unstructured(model[0], "weight", amount=4)
    return model


def old_norms():
    return nn.Sequential(nn.utils.weight_norm(nn.Linear(3, 3)), nn.utils.spectral_norm(nn.Linear(3, 2)).eval())


def lists():
    return nn.ModuleDict({"a": nn.ModuleList([nn.Linear(3, 3), nn.Identity()]), "b": nn.ParameterList([torch.ones(3)])})


MODELS = {
    "hooked": hooked,
    "training": Net,
    "half": lambda: Net().double().requires_grad_(False),
    "pruned": pruned,
    "old_norms": old_norms,
    "transformer": lambda: nn.TransformerEncoderLayer(3, 1, 4, batch_first=True).eval(),
    "lstm": lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True),
    "lists": lists,
}
STATES = {
    "weight_norm": lambda: parametrizations.weight_norm(nn.Linear(3, 2)),
    "orthogonal": lambda: parametrizations.orthogonal(nn.Linear(3, 3)),
    "lazy": lambda: nn.Sequential(nn.LazyLinear(2), nn.LazyBatchNorm1d()),
}


def answer(model):
    """Run a model of any of these kinds, without what is random, and give numbers back."""
    if isinstance(model, nn.ModuleDict):
        return model["a"][0](X) + model["b"][0]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        out = model(X.to(next(model.parameters()).dtype))
    return out[0] if isinstance(out, tuple) else out


def describe(model):
    """Write down what can be seen of a model besides numbers."""
    hooks = [field for field in vars(model) if "hooks" in field]
    return {
        "fields": [*list(vars(model))[:17], *sorted(vars(model))],
        "hooks": {field: [type(hook).__name__ for hook in getattr(model, field).values()] for field in hooks},
        "modes": [module.training for module in model.modules()],
        "names": [name for name, _ in model.named_modules()],
        "needs_grad": [value.requires_grad for value in model.parameters()],
        "state": list(model.state_dict()),
        "metadata": model.state_dict()._metadata,
        "repr": repr(model),
    }


def save(folder):
    """Save every model whole, by torch.save and by pickle, and the state of each, with what it answers."""
    for name, make in MODELS.items():
        torch.manual_seed(len(name))
        model = make()
        told, state = describe(model), model.state_dict()
        torch.save({"model": model, "state": state, "told": told}, os.path.join(folder, f"{name}.pt"))
        with open(os.path.join(folder, f"{name}.pickle"), "wb") as file:
            pickle.dump(model, file)
        torch.save(answer(model), os.path.join(folder, f"{name}.out"))
    for name, make in STATES.items():
        torch.save(make().state_dict(), os.path.join(folder, f"{name}.pt"))
    model = MODELS["transformer"]()
    torch.jit.save(torch.jit.script(nn.Sequential(nn.Linear(3, 2), nn.ReLU())), os.path.join(folder, "script"))
    torch.export.save(torch.export.export(Net().eval(), (X,)), os.path.join(folder, "exported.pt2"))
    optimizer = torch.optim.Adam(model.parameters())
    model(X).sum().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, os.path.join(folder, "resume.pt"))


def load(folder):
    """Load all of it; raise where anything differs from what was saved."""
    for name, make in MODELS.items():
        saved = torch.load(os.path.join(folder, f"{name}.pt"), weights_only=False)
        expected = torch.load(os.path.join(folder, f"{name}.out"))
        with open(os.path.join(folder, f"{name}.pickle"), "rb") as file:
            pickled = pickle.load(file)
        for model in (saved["model"], pickled):
            told = describe(model)
            for what, value in saved["told"].items():
                assert told[what] == value, (name, what, told[what], value)
            torch.testing.assert_close(answer(model), expected, msg=name)
        state = saved["state"]
        assert state._metadata == saved["told"]["metadata"], name
        fresh = make()
        assert str(fresh.load_state_dict(state)) == "<All keys matched successfully>"
        fresh.load_state_dict(state, assign=True)
    for name, make in STATES.items():
        make().load_state_dict(torch.load(os.path.join(folder, f"{name}.pt"), weights_only=False))
    assert torch.jit.load(os.path.join(folder, "script"))(X).shape == (2, 2)
    program = torch.export.load(os.path.join(folder, "exported.pt2"))
    assert program.module()(X).shape == (2, 3)
    saved = torch.load(os.path.join(folder, "resume.pt"))
    model = MODELS["transformer"]()
    model.load_state_dict(saved["model"])
    optimizer = torch.optim.Adam(model.parameters())
    optimizer.load_state_dict(saved["optimizer"])
    model(X).sum().backward()
    optimizer.step()


def exchange(theirs, own):
    """Load what the other Module has saved, save the same, and say whose this Module is."""
    load(theirs)
    save(own)
    print(nn.Module.__init__.__code__.co_filename)
