"""GPT-2's weights in the GPT of the page, compared with transformers' own GPT-2."""

import json
import os

import pytest
import torch
from gpt_files import gpt, pretrained

os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
transformers = pytest.importorskip("transformers", reason="no transformers: it makes the GPT-2 to compare with")

SIZES = dict(vocab_size=61, n_positions=16, n_layer=2, n_head=2, n_embd=32, bos_token_id=0, eos_token_id=0)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Spare small tensors the threads, which would wait for each other on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def theirs():
    """Return a small GPT-2 with weights that are far from its first ones, biases included."""
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**SIZES)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model


def load(folder):
    return pretrained.from_pretrained(gpt.GPT, gpt.Config, folder)


def check(folder, theirs):
    """Load a folder, and compare the logits of both models."""
    model = load(folder)
    tokens = torch.randint(61, (3, 16))
    with torch.no_grad():
        torch.testing.assert_close(model(tokens)[0], theirs(tokens).logits, rtol=1e-4, atol=1e-4)
    assert not model.training
    assert model.lm_head.weight is model.wte.weight


@pytest.fixture
def saved(theirs, tmp_path):
    """Return a folder with the model as transformers saves it."""
    theirs.save_pretrained(tmp_path)
    assert (tmp_path / "model.safetensors").is_file()
    return tmp_path


def rewrite(folder, change, prefix="transformer."):
    """Save the weights of a folder again as a file of torch.save, changed, as older versions wrote them."""
    file = folder / "model.safetensors"
    weights = pretrained.read_safetensors(file)
    weights = {prefix + name.removeprefix("transformer."): tensor for name, tensor in weights.items()}
    file.unlink()
    change(weights)
    torch.save(weights, folder / "pytorch_model.bin")


def test_a_model_in_one_file_gives_the_logits_of_transformers(saved, theirs):
    check(saved, theirs)


def test_a_model_in_several_files_gives_them_too(theirs, tmp_path):
    theirs.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    check(tmp_path, theirs)


@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_a_file_of_torch_save_with_masks_and_a_head_gives_them_too(saved, theirs, prefix):
    def as_in_older_files(weights):
        for layer in range(2):
            weights[f"{prefix}h.{layer}.attn.bias"] = torch.ones(1, 1, 16, 16).tril()
            weights[f"{prefix}h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
        weights["lm_head.weight"] = weights[f"{prefix}wte.weight"]

    rewrite(saved, as_in_older_files, prefix)
    check(saved, theirs)


def test_files_of_torch_save_may_be_several_too(saved, theirs):
    weights = {"transformer." + n: t for n, t in load(saved).state_dict().items() if n != "lm_head.weight"}
    weights = {n: t.t() if n.endswith(pretrained.TRANSPOSED) else t for n, t in weights.items()}
    (saved / "model.safetensors").unlink()
    index = {name: f"part-{number % 2}.bin" for number, name in enumerate(weights)}
    for part in set(index.values()):
        torch.save({name: weights[name] for name in weights if index[name] == part}, saved / part)
    (saved / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": index}))
    check(saved, theirs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_kinds_of_numbers_are_read(theirs, tmp_path, dtype):
    half = transformers.GPT2LMHeadModel(theirs.config).to(dtype)
    half.save_pretrained(tmp_path)
    model = load(tmp_path)
    wanted = half.transformer.h[1].mlp.c_fc.weight
    assert model.h[1].mlp.c_fc.weight.equal(wanted.t().float())


# What goes wrong


def refused(folder):
    with pytest.raises(pretrained.PretrainedError) as error:
        load(folder)
    return str(error.value)


def test_missing_surplus_and_misshapen_tensors_are_named_all_at_once(saved):
    def spoil(weights):
        del weights["transformer.h.1.ln_2.bias"]
        weights["transformer.h.0.mlp.c_fc.weight"] = torch.zeros(32, 100)
        weights["transformer.wpe.weight"] = torch.zeros(8, 32)
        weights["transformer.h.2.ln_1.bias"] = torch.zeros(32)

    rewrite(saved, spoil)
    said = refused(saved)
    assert "h.1.ln_2.bias is missing" in said
    assert "h.0.mlp.c_fc.weight is (32, 100), not (32, 128)" in said
    assert "wpe.weight is (8, 32), not (16, 32)" in said
    assert "h.2.ln_1.bias has no place" in said


def test_a_head_that_is_not_tied_is_refused(saved):
    rewrite(saved, lambda weights: weights.update({"lm_head.weight": torch.zeros(61, 32)}))
    assert "not one matrix" in refused(saved)


def test_a_folder_without_weights_is_refused(saved):
    (saved / "model.safetensors").unlink()
    assert "has none of model.safetensors, pytorch_model.bin" in refused(saved)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"version https://git-lfs\n", b"\x02" + bytes(99)])
def test_a_file_that_is_none_of_its_kind_is_named(saved, name, content):
    (saved / "model.safetensors").unlink()
    (saved / name).write_bytes(content)
    said = refused(saved)
    assert name in said
    assert "can't be read" in said


@pytest.mark.parametrize("kept", [5, 8, 500, -1000, -1])
@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_a_file_that_ends_too_early_is_named(saved, name, kept):
    if name == "pytorch_model.bin":
        rewrite(saved, lambda weights: None)
    file = saved / name
    file.write_bytes(file.read_bytes()[:kept])
    said = refused(saved)
    assert f"{name} can't be read" in said
    why = ("ends within it" if kept > 0 else "the file ends before") if "safe" in name else "no whole file of tensors"
    assert why in said
    assert "weights_only" not in said  # torch.load's own words say how to run what is in the file


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}, "a is of the type I64"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}, "the file ends before a does"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}, "the file ends before a does"),
        ({"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}, "shape '[3]' is invalid"),
    ],
)
def test_a_header_that_does_not_fit_its_numbers_is_refused(saved, entry, words):
    header = json.dumps({"a": entry}).encode()
    (saved / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    said = refused(saved)
    assert "model.safetensors can't be read" in said
    assert words in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([1], "it holds a list"),
        (torch.zeros(3), "it holds a Tensor"),
        ({"model": {}}, "'model' is a dict"),
        ({1: torch.zeros(3)}, "1 is a Tensor"),
    ],
)
def test_a_file_of_torch_save_that_holds_no_named_tensors_is_refused(saved, content, words):
    (saved / "model.safetensors").unlink()
    torch.save(content, saved / "pytorch_model.bin")
    said = refused(saved)
    assert "pytorch_model.bin can't be read" in said
    assert words in said


@pytest.mark.parametrize("index", ["{}", '{"weight_map": {}}', '{"weight_map": []}', '{"weight_map": null}', "[]", "x"])
def test_an_index_that_names_no_files_is_refused(saved, index):
    (saved / "model.safetensors").unlink()
    (saved / "model.safetensors.index.json").write_text(index)
    assert "model.safetensors.index.json" in refused(saved)


def test_names_that_are_there_twice_are_refused(saved):
    rewrite(saved, lambda weights: weights.update({"wpe.weight": torch.zeros(16, 32)}))
    assert "there twice" in refused(saved)


def test_of_many_things_that_are_wrong_the_first_are_said(saved):
    rewrite(saved, lambda weights: weights.clear())
    said = refused(saved)
    assert said.count("is missing") == 12
    assert said.endswith("; and 17 more")


def test_a_part_that_is_missing_is_named(theirs, tmp_path):
    theirs.save_pretrained(tmp_path, max_shard_size="20KB")
    part = min(tmp_path.glob("*.safetensors"))
    part.unlink()
    assert part.name in refused(tmp_path)


def test_a_file_of_torch_save_runs_no_code(saved):
    class Code:
        def __reduce__(self):
            return (open, (str(saved / "was-run"), "w"))

    rewrite(saved, lambda weights: weights.update(code=Code()))
    assert "pytorch_model.bin can't be read" in refused(saved)
    assert not (saved / "was-run").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model_type": "llama"}, "model_type is llama, ours gpt2"),
        ({"activation_function": "relu"}, "activation_function is relu"),
        ({"n_inner": 7}, "n_inner is 7, ours 128"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings is False"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx is True"),
        ({"layer_norm_epsilon": 1e-6}, "layer_norm_epsilon is 1e-06, ours 1e-05"),
        ({"n_embd": "32"}, "gives no size as n_embd"),
        ({"n_embd": None, "n_layer": 0}, "gives no size as n_layer, n_embd"),
        ({"n_positions": 16.0, "n_head": True}, "gives no size as n_positions, n_head"),
        ({"n_head": 3}, "the heads share n_embd evenly"),
    ],
)
def test_a_model_of_another_kind_is_refused_with_its_setting(saved, change, words):
    path = saved / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert words in refused(saved)


@pytest.mark.parametrize("text", ["", "[]", "{}", None])
def test_settings_that_are_none_are_refused(saved, text):
    path = saved / "config.json"
    path.unlink() if text is None else path.write_text(text)
    assert "config.json" in refused(saved)


def test_a_name_that_is_no_folder_and_cannot_be_fetched_is_refused():
    assert "no-such/folder is no folder, and can't be fetched" in refused("no-such/folder")


@pytest.mark.parametrize("older", [False, True])
def test_a_name_is_fetched_as_safetensors_or_where_there_are_none_as_files_of_torch_save(
    saved, theirs, monkeypatch, older
):
    huggingface_hub = pytest.importorskip("huggingface_hub")
    if older:
        rewrite(saved, lambda weights: None)
    asked = []
    monkeypatch.setattr(
        huggingface_hub,
        "snapshot_download",
        lambda name, allow_patterns: asked.append((name, *allow_patterns)) or str(saved),
    )
    check("some/gpt2", theirs)
    wanted = [("some/gpt2", "config.json", "model*.safetensors*"), ("some/gpt2", "config.json", "pytorch_model*.bin*")]
    assert asked == wanted[: 1 + older]
