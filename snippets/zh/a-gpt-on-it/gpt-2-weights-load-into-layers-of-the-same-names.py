import json
from pathlib import Path

import torch
from torch import nn


class PretrainedError(Exception):
    """Say which file isn't one of a GPT-2 that fits, and why."""


TYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "BOOL": torch.bool,
    "U8": torch.uint8,
}


def read_safetensors(path):
    """Return the tensors of a file: 8 bytes, a header in JSON, then numbers."""
    data, tensors = bytearray(path.read_bytes()), {}
    begin = 8 + int.from_bytes(data[:8], "little")
    if not 8 < begin <= len(data):
        raise ValueError("it begins with no header, or ends within it")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    for name, entry in header.items():
        if entry["dtype"] not in TYPES:
            raise ValueError(f"{name} is of the type {entry['dtype']}")
        first, last = entry["data_offsets"]
        if not 0 <= first <= last <= len(data) - begin:
            raise ValueError(f"the file ends before {name} does")
        numbers = data[begin + first : begin + last]
        tensor = torch.frombuffer(numbers, dtype=TYPES[entry["dtype"]])
        tensors[name] = tensor.view(entry["shape"])
    return tensors


def read_torch(path):
    """Return the tensors of a file that torch.save wrote, and run no code of it."""
    try:
        tensors = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # 异常有许多种，有的还建议去执行这个文件
        what = f"no whole file of tensors by torch.save: {type(error).__name__}"
        raise ValueError(what) from error
    if not isinstance(tensors, dict):
        raise ValueError(f"it holds a {type(tensors).__name__}, no dict of tensors")
    for name, value in tensors.items():
        if not isinstance(name, str) or not isinstance(value, torch.Tensor):
            raise ValueError(f"{name!r} is a {type(value).__name__}, no named tensor")
    return tensors


READERS = {"model.safetensors": read_safetensors, "pytorch_model.bin": read_torch}


def read_index(path):
    """Return the files that an index names: {"weight_map": {tensor: file}}."""
    parts = read_json(path).get("weight_map")
    if not isinstance(parts, dict) or not parts:
        raise PretrainedError(f"{path} has no weight_map that names files")
    return [path.parent / part for part in sorted(set(map(str, parts.values())))]


def read_weights(folder):
    """Return every tensor of a saved model, from one file or from several."""
    for name, read in READERS.items():
        index = folder / f"{name}.index.json"
        if (folder / name).is_file():
            paths = [folder / name]
        elif index.is_file():
            paths = read_index(index)
        else:
            continue
        weights = {}
        for path in paths:
            try:
                weights |= read(path)
            except Exception as error:
                reason = f"{path} can't be read as {name}: {error}"
                raise PretrainedError(reason) from error
        return weights
    raise PretrainedError(f"{folder} has none of {', '.join(READERS)}")


def read_json(path):
    """Return what a JSON file holds, which is to be an object."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PretrainedError(f"{path} can't be read as JSON: {error}") from error
    if not isinstance(found, dict):
        raise PretrainedError(f"{path} holds no object")
    return found


NAMES = {
    "vocab_size": "vocab_size",
    "n_positions": "block_size",
    "n_layer": "n_layer",
    "n_head": "n_head",
    "n_embd": "n_embd",
}
FIXED = {
    "model_type": "gpt2",
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}


def read_sizes(folder):
    """Return the sizes of a saved GPT-2 under the names of our Config."""
    path = folder / "config.json"
    found = read_json(path)
    wrong = [n for n in NAMES if type(found.get(n)) is not int or found[n] < 1]
    if wrong:
        raise PretrainedError(f"{path} gives no size as {', '.join(wrong)}")
    fixed = FIXED | {"n_inner": 4 * found["n_embd"]}
    for name, wanted in fixed.items():
        value = found.get(name)
        if value not in (None, wanted):
            raise PretrainedError(f"{path}: {name} is {value}, ours {wanted}")
    return {ours: found[theirs] for theirs, ours in NAMES.items()}


TRANSPOSED = ("c_attn.weight", "c_proj.weight", "c_fc.weight")  # 来自 Conv1D
MASKS = (".attn.bias", ".attn.masked_bias")  # 较早文件里的缓冲区


def copy_weights(model, weights):
    """Copy the weights of a GPT-2 into a model whose layers have its names."""
    found = {name.removeprefix("transformer."): t for name, t in weights.items()}
    problems = []
    if len(found) < len(weights):
        problems.append("names are there twice, with transformer. and without")
    found = {name: t for name, t in found.items() if not name.endswith(MASKS)}
    found.setdefault("lm_head.weight", found.get("wte.weight"))  # 绑定的输出头
    for name, parameter in model.state_dict().items():
        wanted = tuple(parameter.shape)
        if name.endswith(TRANSPOSED):
            wanted = wanted[::-1]
        if found.get(name) is None:
            problems.append(f"{name} is missing")
        elif tuple(found[name].shape) != wanted:
            problems.append(f"{name} is {tuple(found[name].shape)}, not {wanted}")
    surplus = [name for name in found if name not in model.state_dict()]
    problems += [f"{name} has no place" for name in surplus]
    if not problems and not found["lm_head.weight"].equal(found["wte.weight"]):
        problems.append("lm_head.weight and wte.weight are not one matrix")
    if problems:
        more = [f"and {len(problems) - 12} more"] * (len(problems) > 12)
        said = "; ".join(problems[:12] + more)
        raise PretrainedError(f"not the weights of this model: {said}")
    for name in found:
        if name.endswith(TRANSPOSED):
            found[name] = found[name].t()
    model.load_state_dict(found)


def find(where):
    """Return a folder, or that of a model fetched by its name, such as gpt2."""
    if Path(where).is_dir():
        return Path(where)
    try:
        from huggingface_hub import snapshot_download

        for kind in ("model*.safetensors*", "pytorch_model*.bin*"):
            wanted = ["config.json", kind]
            folder = Path(snapshot_download(str(where), allow_patterns=wanted))
            if any(folder.glob(kind)):
                break
        return folder
    except ImportError as error:
        how = "to fetch a model by its name: pip install huggingface_hub"
        raise PretrainedError(f"{where} is no folder; {how}") from error
    except (OSError, ValueError) as error:
        reason = f"{where} is no folder, and can't be fetched: {error}"
        raise PretrainedError(reason) from error


def from_pretrained(model_class, config_class, where):
    """Return a GPT with the weights of GPT-2, in evaluation mode."""
    folder = find(where)
    sizes = read_sizes(folder)
    try:
        model = model_class(config_class(**sizes))
    except ValueError as error:
        raise PretrainedError(f"{folder} has sizes for no model: {error}") from error
    copy_weights(model, read_weights(folder))
    return model.eval()


import tempfile


class Tiny(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.wte = nn.Embedding(sizes["vocab_size"], 2)
        self.c_fc = nn.Linear(2, 8)
        self.lm_head = nn.Linear(2, sizes["vocab_size"], bias=False)
        self.lm_head.weight = self.wte.weight


weights = {
    "transformer.wte.weight": torch.ones(5, 2),
    "transformer.c_fc.weight": torch.arange(16.0).view(2, 8),  # 来自 Conv1D
    "transformer.c_fc.bias": torch.zeros(8),
    "transformer.h.0.attn.bias": torch.ones(1, 1, 4, 4),  # 掩码
}
config = {"vocab_size": 5, "n_positions": 4, "n_layer": 1, "n_head": 1, "n_embd": 2}
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "config.json").write_text(json.dumps(config))
    torch.save(weights, folder / "pytorch_model.bin")
    model = from_pretrained(Tiny, dict, folder)
    print("transposed:", model.c_fc.weight[:, 0].tolist())
    print("tied:", model.lm_head.weight is model.wte.weight)

    del weights["transformer.c_fc.bias"]
    weights["transformer.c_fc.weight"] = torch.zeros(2, 6)
    torch.save(weights, folder / "pytorch_model.bin")
    try:
        from_pretrained(Tiny, dict, folder)
    except PretrainedError as error:
        print(*str(error).split("; "), sep="\n")
