"""The GPT of the page "A GPT on it", and its training."""

import ast
from dataclasses import replace

import pytest
import torch
from gpt_files import FOLDER, gpt, training
from gpt_files import gpt as gpt_file
from torch import nn

SIZES = dict(block_size=8, n_layer=2, n_head=2, n_embd=16, dropout=0.1)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Spare small tensors the threads, which would wait for each other on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make(**changes):
    return gpt.GPT(gpt.Config(vocab_size=11, **(SIZES | changes)))


def test_each_file_has_at_most_200_lines_and_imports_torch_and_the_standard_library_only():
    for name in ("gpt", "pretrained", "training"):
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 200, name
        top = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {
            (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0] for node in top
        }
        assert names <= {"torch", "math", "dataclasses", "json", "pathlib", "os"}, name


def test_heads_that_do_not_share_the_width_evenly_are_refused():
    with pytest.raises(ValueError, match="n_embd=16 and n_head=3"):
        make(n_head=3)


def test_head_and_embedding_are_one_parameter():
    model = make()
    assert model.lm_head.weight is model.wte.weight
    assert "lm_head.weight" not in dict(model.named_parameters())
    assert {"lm_head.weight", "wte.weight"} <= model.state_dict().keys()


def test_weights_begin_as_those_of_gpt_2():
    torch.manual_seed(0)
    model = make(n_embd=64, n_layer=8)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            assert parameter.eq(0).all(), name
        elif ".ln_" in name or name.startswith("ln_"):
            assert parameter.eq(1).all(), name
        else:
            wanted = 0.02 / 4 if name.endswith("c_proj.weight") else 0.02
            assert parameter.std().item() == pytest.approx(wanted, rel=0.1), name


def test_masks_are_buffers_that_move_and_are_not_saved():
    model = make()
    assert [name for name, _ in model.named_buffers()] == ["h.0.attn.mask", "h.1.attn.mask"]
    assert not any("mask" in name for name in model.state_dict())
    assert model.to("meta").h[0].attn.mask.is_meta


def test_no_token_sees_one_that_comes_later():
    model = make().eval()
    tokens = torch.randint(11, (3, 8))
    for place in range(8):
        changed = tokens.clone()
        changed[:, place:] = (changed[:, place:] + 1) % 11
        same = model(tokens)[0][:, :place], model(changed)[0][:, :place]
        torch.testing.assert_close(*same)
        assert not model(tokens)[0][:, place].isclose(model(changed)[0][:, place]).all()


def test_attention_is_pytorchs_own():
    attention = make(dropout=0.0).h[0].attn
    x = torch.randn(2, 8, 16)
    q, k, v = (part.view(2, 8, 2, 8).transpose(1, 2) for part in attention.c_attn(x).chunk(3, -1))
    wanted = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(attention(x), attention.c_proj(wanted.transpose(1, 2).reshape(2, 8, 16)))


def test_weight_decay_is_for_matrices_and_each_parameter_is_in_one_group():
    model = make()
    model.wpe.weight.requires_grad_(False)
    groups = model.configure_optimizers(lr=1.0, weight_decay=0.3).param_groups
    assert [group["weight_decay"] for group in groups] == [0.3, 0.0]
    assert {p.dim() for p in groups[0]["params"]} == {2}
    assert {p.dim() for p in groups[1]["params"]} == {1}
    learning = {p for p in model.parameters() if p.requires_grad}
    assert len(groups[0]["params"]) + len(groups[1]["params"]) == len(learning)


def test_a_cropped_model_says_the_same_of_short_texts():
    model = make().eval()
    tokens = torch.randint(11, (2, 4))
    before = model(tokens)[0]
    model.crop_block_size(4)
    torch.testing.assert_close(model(tokens)[0], before)
    assert (model.config.block_size, model.wpe.num_embeddings) == (4, 4)
    assert {tuple(mask.shape) for mask in model.buffers()} == {(4, 4)}
    assert isinstance(model.wpe.weight, nn.Parameter)
    with pytest.raises(ValueError, match="5 tokens; block_size is 4"):
        model(torch.zeros(1, 5, dtype=torch.long))
    for size in (0, 5):
        with pytest.raises(ValueError, match=f"from 4 to {size}"):
            model.crop_block_size(size)


def test_generate_goes_on_past_the_block_size_and_top_k_keeps_the_best():
    model = make().eval()
    begun = torch.randint(11, (2, 3))
    written = model.generate(begun, 12)
    assert written.shape == (2, 15)
    assert written[:, :3].equal(begun)
    best = model.generate(begun, 12, top_k=1)
    for place in range(3, 15):
        logits, _ = model(best[:, max(0, place - 8) : place])
        assert best[:, place].equal(logits[:, -1].argmax(-1))
    assert not written.requires_grad


def test_the_text_is_a_file_of_pytorchs_on_either_module():
    text = training.read_text()
    assert "class Module" in text
    assert len(text) > 100_000


def test_batches_are_a_text_and_the_same_one_character_on():
    setting = replace(training.SETTINGS["quick"], sizes={"block_size": 5}, batch_size=3)
    tokens, targets = training.draw_batch(torch.arange(50), setting)
    assert tokens.shape == targets.shape == (3, 5)
    assert targets.equal(tokens + 1)
    seen = {int(training.draw_batch(torch.arange(7), setting)[1].max()) for _ in range(50)}
    assert seen == {5, 6}  # the last character is a target too


def test_every_setting_is_a_gpt():
    for name, setting in training.SETTINGS.items():
        with torch.device("meta"):
            model = gpt_file.GPT(gpt_file.Config(vocab_size=91, **setting.sizes))
        assert sum(p.numel() for p in model.parameters()) > 10_000, name
        assert setting.steps % setting.eval_every == 0


@pytest.fixture
def setting():
    return training.Setting(sizes=SIZES, steps=8, batch_size=4, lr=1e-2, eval_every=3, eval_batches=2)


def run(setting, path=None):
    """Train, with a checkpoint midway, and return the model and the losses."""
    text = "a module organises. " * 20
    data = training.encode(text, sorted(set(text)))
    torch.manual_seed(1)
    model = gpt.GPT(gpt.Config(vocab_size=16, **setting.sizes))
    optimizer = model.configure_optimizers(lr=setting.lr)
    first, _ = training.train(model, optimizer, data, setting, 0, 4)
    if path:
        training.save_checkpoint(path, model, optimizer, 4)
        torch.manual_seed(99)
        model, optimizer, step = training.load_checkpoint(path, lambda config: gpt.GPT(gpt.Config(**config)), setting)
        assert step == 4
    second, _ = training.train(model, optimizer, data, setting, 4, 8)
    return model, first + second


def test_a_resumed_training_ends_at_the_same_losses_and_weights(setting, tmp_path):
    straight, losses = run(setting)
    resumed, again = run(setting, tmp_path / "checkpoint.pt")
    assert losses == again
    assert all(p.equal(q) for p, q in zip(straight.parameters(), resumed.parameters(), strict=True))
    assert resumed.lm_head.weight is resumed.wte.weight
    assert losses[-1] < losses[0]


def test_a_training_that_is_watched_is_the_same_training(setting):
    """Evaluation draws from a generator of its own, and puts the flag back."""
    often, losses = run(replace(setting, eval_every=1))
    seldom, other = run(replace(setting, eval_every=100))
    assert losses == other
    assert all(p.equal(q) for p, q in zip(often.parameters(), seldom.parameters(), strict=True))
    assert all(module.training for module in often.modules())


def test_evaluation_is_in_evaluation_mode_and_the_same_each_time(setting):
    model = gpt.GPT(gpt.Config(vocab_size=16, **setting.sizes))
    flags = []
    model.h[1].mlp.dropout.register_forward_hook(lambda module, *_: flags.append(module.training))
    data = torch.arange(200) % 16
    assert training.evaluate(model, data, setting) == training.evaluate(model, data, setting)
    assert flags == [False] * 4
    assert model.training
