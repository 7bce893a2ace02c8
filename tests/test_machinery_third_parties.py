"""What others build on nn.Module, as published, runs on this one too; what is not installed is skipped."""

import copy
import io

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


class Net(nn.Module):
    """Have tied weights, a container, a norm, and buffers of both kinds."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.body = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("scratch", torch.ones(4), persistent=False)

    def forward(self, tokens):
        return self.head(self.body(self.embed(tokens) * self.scratch))


TOKENS = torch.tensor([0, 3, 1, 4])


# --- safetensors --------------------------------------------------------------------------------------------------


def test_safetensors_saves_a_model_with_tied_weights_once_and_loads_it(tmp_path):
    files = pytest.importorskip("safetensors.torch")
    model, other = Net().eval(), Net().eval()
    path = str(tmp_path / "model.safetensors")
    files.save_model(model, path)
    assert sorted(files.load_file(path)) == [
        "body.0.bias",
        "body.0.weight",
        "body.1.bias",
        "body.1.num_batches_tracked",
        "body.1.running_mean",
        "body.1.running_var",
        "body.1.weight",
        "embed.weight",
    ]
    missing, unexpected = files.load_model(other, path)
    assert not missing and not unexpected and other.head.weight is other.embed.weight
    assert torch.equal(other(TOKENS), model(TOKENS))


# --- einops -------------------------------------------------------------------------------------------------------


def test_einops_layers_stand_in_a_model_and_hold_parameters():
    layers = pytest.importorskip("einops.layers.torch")
    mix = layers.EinMix("b (h w) -> b h c", weight_shape="w c", bias_shape="c", h=2, w=3, c=4)
    model = nn.Sequential(
        layers.Rearrange("b h w -> b (h w)"), mix, nn.ReLU(), layers.Reduce("b h c -> b c", "mean"), nn.Linear(4, 2)
    )
    x = torch.randn(5, 2, 3)
    by_hand = (x @ mix.weight.reshape(3, 4) + mix.bias.reshape(4)).relu().mean(dim=1)
    torch.testing.assert_close(model(x), model[4](by_hand))
    assert [name for name, _ in model.named_parameters()] == ["1.weight", "1.bias", "4.weight", "4.bias"]
    model(x).sum().backward()
    assert mix.weight.grad is not None
    torch.testing.assert_close(torch.jit.script(model)(x), model(x))
    assert "Rearrange('b h w -> b (h w)')" in repr(model)


# --- torchinfo ----------------------------------------------------------------------------------------------------


def test_torchinfo_counts_parameters_and_shapes_and_leaves_no_hook():
    torchinfo = pytest.importorskip("torchinfo")
    model = Net()
    told = torchinfo.summary(model, input_data=TOKENS, verbose=0)
    assert told.total_params == sum(value.numel() for value in model.parameters()) + 20  # a tied weight counts twice
    assert [(layer.class_name, layer.depth, layer.output_size) for layer in told.summary_list] == [
        ("Net", 0, [4, 5]),
        ("Embedding", 1, [4, 4]),
        ("Sequential", 1, [4, 4]),
        ("Linear", 2, [4, 4]),
        ("BatchNorm1d", 2, [4, 4]),
        ("ReLU", 2, [4, 4]),
        ("Linear", 1, [4, 5]),
    ]
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


# --- torchmetrics -------------------------------------------------------------------------------------------------


def test_torchmetrics_keep_their_state_in_a_module():
    torchmetrics = pytest.importorskip("torchmetrics")
    metrics = torchmetrics.MetricCollection(
        {
            "accuracy": torchmetrics.Accuracy(task="multiclass", num_classes=3),
            "error": torchmetrics.MeanMetric(),
        }
    )
    assert isinstance(metrics, nn.ModuleDict) and isinstance(metrics["accuracy"], nn.Module)
    accuracy = metrics["accuracy"]
    for guess, truth in (([0, 1, 2, 2], [0, 1, 1, 2]), ([1, 1], [1, 0])):
        accuracy.update(torch.tensor(guess), torch.tensor(truth))
    copied = copy.deepcopy(accuracy)
    assert accuracy.compute().item() == copied.compute().item() == pytest.approx(4 / 6)
    accuracy.persistent(True)
    other = torchmetrics.Accuracy(task="multiclass", num_classes=3)
    other.persistent(True)
    other.load_state_dict(accuracy.state_dict())
    assert other.compute() == accuracy.compute()
    accuracy.reset()
    assert accuracy.tp == 0 and list(accuracy.state_dict()) == ["tp", "fp", "tn", "fn"]

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.mean = torchmetrics.MeanMetric()
            self.fc = nn.Linear(2, 1)

    model = Model()
    assert [name for name, _ in model.named_children()] == ["mean", "fc"]
    assert [name for name, _ in model.named_parameters()] == ["fc.weight", "fc.bias"]
    assert model.double().mean.mean_value.dtype == torch.float32  # a metric keeps its dtype
    model.mean.update(torch.tensor([1.0, 3.0]))
    assert model.mean.compute().item() == 2.0


# --- transformers -------------------------------------------------------------------------------------------------


@pytest.fixture
def transformers(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return pytest.importorskip("transformers")


@pytest.fixture
def llama(transformers):
    config = transformers.LlamaConfig(
        vocab_size=32,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(config).eval()


def test_a_transformer_learns_a_sequence_and_then_says_it(llama):
    tokens = torch.tensor([[1, 5, 9, 13, 17, 21, 25, 29]])
    assert llama.lm_head.weight is llama.model.embed_tokens.weight
    optimizer = torch.optim.AdamW(llama.train().parameters(), lr=0.02)
    losses = []
    for _ in range(30):
        loss = llama(input_ids=tokens, labels=tokens).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[0] > 3 and losses[-1] < 0.1
    said = llama.eval().generate(tokens[:, :2], attention_mask=torch.ones(1, 2), max_new_tokens=6, do_sample=False)
    assert said.tolist() == tokens.tolist()


def test_a_transformer_is_saved_and_loaded_from_a_folder(llama, transformers, tmp_path):
    tokens = torch.tensor([[1, 5, 9, 13]])
    llama.save_pretrained(tmp_path)
    loaded, told = transformers.LlamaForCausalLM.from_pretrained(tmp_path, output_loading_info=True)
    assert not told["missing_keys"] and not told["unexpected_keys"]
    assert loaded.lm_head.weight is loaded.model.embed_tokens.weight and not loaded.training
    assert torch.equal(loaded(tokens).logits, llama(tokens).logits)
    assert list(loaded.state_dict()) == list(llama.state_dict())


def test_a_transformer_gives_its_hidden_states_and_can_be_resized(llama):
    tokens = torch.tensor([[1, 5, 9, 13]])
    out = llama(tokens, output_hidden_states=True, use_cache=True)
    assert [tuple(state.shape) for state in out.hidden_states] == [(1, 4, 16)] * 3
    later = llama(torch.tensor([[17]]), past_key_values=out.past_key_values).logits
    whole = llama(torch.tensor([[1, 5, 9, 13, 17]])).logits
    torch.testing.assert_close(later[:, -1], whole[:, -1], atol=1e-5, rtol=1e-4)
    llama.resize_token_embeddings(40)
    assert llama.lm_head.weight.shape == (40, 16) and llama.lm_head.weight is llama.model.embed_tokens.weight


def test_a_transformer_with_checkpoints_has_the_same_gradients(llama):
    tokens = torch.tensor([[1, 5, 9, 13]])
    plain = copy.deepcopy(llama).train()
    llama.train().gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    for model in (plain, llama):
        model(input_ids=tokens, labels=tokens, use_cache=False).loss.backward()
    for (name, value), other in zip(plain.named_parameters(), llama.parameters(), strict=True):
        torch.testing.assert_close(other.grad, value.grad, msg=name)


def test_a_transformer_is_pickled_whole(llama):
    file = io.BytesIO()
    torch.save(llama, file)
    file.seek(0)
    tokens = torch.tensor([[1, 5, 9, 13]])
    assert torch.equal(torch.load(file, weights_only=False)(tokens).logits, llama(tokens).logits)
