"""Write down what every module of torch's own test corpus does, in plain PyTorch.

    python tests/corpus_recorder.py REPORT               on PyTorch's own Module
    python -m scratch tests/corpus_recorder.py REPORT    on ours

REPORT is a JSON file: for each module what it showed, by aspect. test_corpus.py compares two of them. An error is
written down as any other result, by its type and text; values of tensors are written down to the last bit.
"""

import copy
import hashlib
import io
import json
import sys
import warnings

import torch
from torch import nn
from torch.testing._internal.common_modules import module_db

INPUTS_PER_MODE = 6  # evenly spaced over what the corpus has, which for one loss is over 800


def digest(value):
    """Put any output into plain values: tensors as dtype, shape and hash, containers as lists."""
    if isinstance(value, torch.Tensor):
        if isinstance(value, nn.parameter.UninitializedTensorMixin):
            return f"{type(value).__name__} {value.dtype}"
        kind = f"{type(value).__name__} {value.dtype} {tuple(value.shape)} requires_grad={value.requires_grad}"
        if value.is_meta:
            return f"{kind} meta"
        values = value.detach().contiguous()
        bytes_ = values.view(-1).view(torch.uint8).numpy().tobytes() if values.numel() else b""
        return f"{kind} {hashlib.sha256(bytes_).hexdigest()[:16]}"
    if isinstance(value, dict):
        return {str(key): digest(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [type(value).__name__, *map(digest, value)]
    return repr(value)


def attempt(function):
    """Call it after seeding; give its result, or its error in words."""
    torch.default_generator.manual_seed(1)  # the CPU's alone: the others would each note a traceback
    try:
        return digest(function())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def tensors(value):
    """List every tensor inside containers."""
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()
    return [tensor for part in parts for tensor in tensors(part)]


def fresh(value):
    """Copy an argument so that its tensors are leaves of a graph of their own."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if type(value) in (tuple, list):
        return type(value)(map(fresh, value))
    if isinstance(value, dict):
        return {key: fresh(part) for key, part in value.items()}
    return copy.deepcopy(value)


def names(m):
    """Every walk over the tree, by name."""
    return {
        "parameters": [name for name, _ in m.named_parameters()],
        "all parameters": [name for name, _ in m.named_parameters(remove_duplicate=False)],
        "buffers": [name for name, _ in m.named_buffers()],
        "modules": [f"{name}: {type(part).__name__} {part.training}" for name, part in m.named_modules()],
        "children": [name for name, _ in m.named_children()],
        "fields": list(vars(m)),
    }


def public(m):
    """What dir lists, but for private names of classes: each Module may have helpers of its own."""
    return [name for name in dir(m) if not name.startswith("_") or name in vars(m)]


def state(m):
    """The state_dict with its metadata."""
    saved = m.state_dict()
    return [dict(saved), getattr(saved, "_metadata", None), type(saved).__name__]


def through_file(m):
    """Save the whole module and load it again."""
    file = io.BytesIO()
    torch.save(m, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def hooked(make, args, kwargs):
    """Call and differentiate with a hook of each kind on every part; list what they saw, in order."""
    m, seen = make(), []
    for name, part in m.named_modules():
        part.register_forward_pre_hook(lambda m, args, name=name: seen.append(("pre", name, tensors(args))))
        part.register_forward_hook(lambda m, args, out, name=name: seen.append(("post", name, tensors(out))))
        part.register_full_backward_pre_hook(lambda m, gout, name=name: seen.append(("back pre", name, gout)))
        part.register_full_backward_hook(lambda m, gin, gout, name=name: seen.append(("back", name, gin, gout)))
    differentiate(m(*fresh(args), **fresh(kwargs)))
    return seen


def differentiate(output):
    """Run backward from every part of the output that can."""
    roots = [out for out in tensors(output) if out.requires_grad and not out.is_sparse]
    if roots:
        torch.autograd.backward(roots, [torch.ones_like(root) for root in roots])


def observe(make, args, kwargs):
    """Everything that one set of inputs shows, by aspect."""
    seen = {"construct": attempt(lambda: type(make()).__name__)}
    if seen["construct"].count(":"):
        return seen
    m, args, kwargs = make(), fresh(args), fresh(kwargs)
    seen["names"], seen["state_dict"] = attempt(lambda: names(m)), attempt(lambda: state(m))
    outputs = []
    seen["output"] = attempt(lambda: outputs.append(m(*args, **kwargs)) or outputs[0])
    seen["repr"], seen["dir"] = attempt(lambda: [repr(m), m.extra_repr()]), attempt(lambda: public(m))
    seen["gradients"] = attempt(
        lambda: [
            outputs and differentiate(outputs[0]),
            {name: p.grad for name, p in m.named_parameters()},
            [tensor.grad for tensor in tensors([args, kwargs]) if tensor.is_leaf],
        ]
    )
    seen["hooks"] = attempt(lambda: hooked(make, args, kwargs))

    def again(other):
        return [repr(other), state(other), names(other), other(*fresh(args), **fresh(kwargs))]

    seen["deepcopy"] = attempt(lambda: again(copy.deepcopy(make())))
    seen["pickle"] = attempt(lambda: again(through_file(make())))

    def reload(**how):
        other = make(seed=7)
        return [repr(other.load_state_dict(m.state_dict(), **how)), *again(other)]

    seen["reload"] = attempt(reload)
    seen["reload by assignment"] = attempt(lambda: reload(assign=True))
    seen["moved"] = attempt(
        lambda: [state(make().double()), state(make().to(torch.bfloat16)), state(make().to("meta"))]
    )
    seen["cleared"] = attempt(lambda: [m.zero_grad(), [p.grad for p in m.parameters()]])
    seen["frozen"] = attempt(lambda: [p.requires_grad for p in m.requires_grad_(False).parameters()])
    return seen


def spread(items):
    """Take up to INPUTS_PER_MODE of them, the first and the last included, evenly spaced."""
    if len(items) <= INPUTS_PER_MODE:
        return list(enumerate(items))
    step = (len(items) - 1) / (INPUTS_PER_MODE - 1)
    return [(at, items[at]) for at in (round(i * step) for i in range(INPUTS_PER_MODE))]


def record(info, dtype):
    """Observe one module of the corpus in both modes on the inputs that the corpus has for it."""
    seen = {}
    for training in (True, False):
        torch.default_generator.manual_seed(0)
        try:
            inputs = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=training)
        except Exception as error:
            seen[f"{dtype} training={training}"] = {"inputs": f"{type(error).__name__}: {error}"}
            continue
        for at, given in spread(inputs):

            def make(seed=0, given=given, training=training):
                torch.default_generator.manual_seed(seed)
                made = info.module_cls(*given.constructor_input.args, **given.constructor_input.kwargs)
                return made.train(training).to(dtype)

            call = given.forward_input
            key = f"{dtype} training={training} input {at} of {len(inputs)} {given.desc}".strip()
            seen[key] = observe(make, call.args, call.kwargs)
    return seen


def worked(seen):
    """Say whether any input gave an output."""
    outputs = [str(aspects.get("output", "Error: ")) for aspects in seen.values()]
    return any(not out.split(":")[0].endswith("Error") for out in outputs)


def main():
    """Record each module in float32; in float64 as well where no input works in float32."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    origin = torch.nn.modules.module.__spec__.origin
    report = {"origin": origin, "torch": torch.__version__, "corpus": len(module_db), "modules": {}}
    for info in module_db:
        seen = record(info, torch.float32)
        if not worked(seen):
            seen |= record(info, torch.float64)
        report["modules"][info.formatted_name] = {"worked": worked(seen), "seen": seen}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(report, file)


if __name__ == "__main__":
    main()
