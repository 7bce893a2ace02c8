import os
from dataclasses import asdict, dataclass

import torch


def read_text():
    """Return a text that every machine with PyTorch has: the file of its Module."""
    folder = os.path.join(os.path.dirname(torch.__file__), "nn", "modules")
    with open(os.path.join(folder, "module.py"), encoding="utf-8") as file:
        return file.read()


def encode(text, alphabet):
    """Return the place in the alphabet of each character."""
    place = {character: number for number, character in enumerate(alphabet)}
    return torch.tensor([place[character] for character in text], device="cpu")


@dataclass
class Setting:
    """Say how long to train, with how much at a time, which GPT, and where."""

    sizes: dict
    steps: int
    batch_size: int
    lr: float
    eval_every: int
    eval_batches: int = 4
    device: str = "cpu"


SETTINGS = {
    "quick": Setting(  # 几秒
        sizes=dict(block_size=32, n_layer=2, n_head=2, n_embd=48, dropout=0.1),
        steps=200,
        batch_size=12,
        lr=5e-3,
        eval_every=25,
    ),
    "long": Setting(  # 每次三分钟
        sizes=dict(block_size=64, n_layer=4, n_head=4, n_embd=96, dropout=0.1),
        steps=1500,
        batch_size=16,
        lr=2e-3,
        eval_every=100,
    ),
    "gpu": Setting(  # 在 GPU 上几分钟
        sizes=dict(block_size=256, n_layer=6, n_head=6, n_embd=384, dropout=0.2),
        steps=600,
        batch_size=64,
        lr=1e-3,
        eval_every=100,
        device="cuda",
    ),
}


def draw_batch(data, setting, generator=None):
    """Return some stretches of the text, and each of them one character on."""
    length = setting.sizes["block_size"]
    options = dict(device="cpu", generator=generator)
    starts = torch.randint(len(data) - length, (setting.batch_size, 1), **options)
    rows = data[starts + torch.arange(length + 1, device="cpu")]  # (B, T + 1)
    return rows[:, :-1].to(setting.device), rows[:, 1:].to(setting.device)


@torch.no_grad()
def evaluate(model, data, setting):
    """Return the mean loss of batches that are the same each time."""
    model.eval()
    same = torch.Generator("cpu").manual_seed(0)
    batches = [draw_batch(data, setting, same) for _ in range(setting.eval_batches)]
    loss = sum(model(*batch)[1].item() for batch in batches)
    model.train()
    return loss / len(batches)


def train(model, optimizer, data, setting, first, last):
    """Take some of the steps; return the loss of each, and the evaluations."""
    split = len(data) * 9 // 10
    losses, evaluations = [], {}
    model.train()
    for step in range(first, last):
        if step % setting.eval_every == 0:
            evaluations[step] = evaluate(model, data[split:], setting)
        _, loss = model(*draw_batch(data[:split], setting))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses, evaluations


def save_checkpoint(path, model, optimizer, step):
    """Save all that a run needs to go on as if nothing had happened."""
    cuda = torch.cuda.is_available()
    checkpoint = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "config": asdict(model.config),
        "step": step,
        "rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state() if cuda else None,
    }
    torch.save(checkpoint, path)


def load_checkpoint(path, build, setting):
    """Return the model, the optimizer and the step of a checkpoint."""
    saved = torch.load(path, map_location="cpu", weights_only=True)
    model = build(saved["config"]).to(setting.device)
    model.load_state_dict(saved["model"])
    optimizer = model.configure_optimizers(lr=setting.lr)
    optimizer.load_state_dict(saved["optimizer"])
    torch.set_rng_state(saved["rng"])
    if saved["cuda_rng"] is not None and torch.cuda.is_available():
        torch.cuda.set_rng_state(saved["cuda_rng"])
    return model, optimizer, saved["step"]
