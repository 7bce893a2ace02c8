"""Build models of installed libraries and write down all that they do: `make wild` compares two such transcripts.

    python tests/wild_programs.py FILE [NAME …]               on PyTorch's own Module
    python -m scratch tests/wild_programs.py FILE [NAME …]    on ours

A program is a function that returns a model and what to call it with. Each runs in a fork of this process. FILE gets,
as JSON, for each library its version and its transcript.
"""

import copy
import hashlib
import importlib
import importlib.metadata
import importlib.util
import io
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

import torch
from torch import nn

SECONDS = 400
# What many of the libraries import: imported once, before the forks.
SHARED = ("torch._dynamo", "numpy", "scipy.stats", "sklearn.base", "pandas", "matplotlib.pyplot", "einops", "networkx")
SHARED += ("transformers.modeling_utils", "torch.distributed.fsdp", "torch._inductor.utils", "torch.utils.tensorboard")
ADDRESS = re.compile("0x[0-9a-f]+")
PROGRAMS = {}  # name of the distribution: the function


def program(distribution):
    """Make a function the program of a library."""

    def add(function):
        PROGRAMS[distribution] = function
        return function

    return add


def at_top(kind):
    """Let a class that a program defines be found by pickle."""
    globals()[kind.__name__] = kind
    kind.__qualname__ = kind.__name__
    return kind


# --- what a model is asked --------------------------------------------------------------------------------------------


def in_words(value):
    """Put a value into words that keep each bit of a tensor, and nothing of this process."""
    if isinstance(value, torch.Tensor):
        if value.is_meta:
            return f"meta {tuple(value.shape)} {value.dtype}"
        try:
            numbers = value.detach().to_dense() if value.layout is not torch.strided else value.detach()
            numbers = numbers.resolve_conj().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        except Exception:  # a kind of tensor with a storage of its own
            numbers = ADDRESS.sub("0x…", repr(value)).encode()
        digest = hashlib.sha256(numbers).hexdigest()[:16]
        return f"{type(value).__name__} {tuple(value.shape)} {value.dtype} {value.requires_grad} {digest}"
    if isinstance(value, dict):
        return {str(key): in_words(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [in_words(part) for part in value]
    if hasattr(value, "__dataclass_fields__"):
        return [type(value).__name__, in_words(dict(vars(value)))]
    return ADDRESS.sub("0x…", repr(value))


def tensors(value, depth=4):
    """Find the tensors in an output, however it is built."""
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    if not parts and hasattr(value, "__dict__"):
        parts = vars(value).values()
    return [found for part in parts if depth for found in tensors(part, depth - 1)]


def called(model, arguments, named):
    """Call a model with random numbers that are the same each time."""
    torch.manual_seed(1)
    random.seed(1)
    return model(*copy.deepcopy(arguments), **copy.deepcopy(named))


def hooked(model, arguments, named):
    """Say in which order hooks on each Module are called, forward and backward."""
    log, handles = [], []
    for name, part in model.named_modules():
        if isinstance(part, torch.jit.ScriptModule):
            continue
        handles += [
            part.register_forward_pre_hook(lambda *_, name=name, **__: log.append(["before", name])),
            part.register_forward_hook(lambda *_, name=name, **__: log.append(["after", name])),
            part.register_full_backward_hook(lambda *_, name=name: log.append(["gradient", name])),
        ]
    try:
        output = called(model, arguments, named)
        losses = [part.sum() for part in tensors(output) if part.requires_grad]
        if losses:
            sum(loss.abs() if loss.is_complex() else loss.double() for loss in losses).backward()
    except Exception as error:
        log.append([type(error).__name__, str(error)[:200]])
    for handle in handles:
        handle.remove()
    return log


def trained(model, arguments, named):
    """Take two steps of an optimizer; give the gradients and what has become of the Parameters."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(parameters, lr=0.01) if parameters else None
    for _ in range(2):
        losses = [part.sum() for part in tensors(called(model, arguments, named)) if part.requires_grad]
        if losses and optimizer:
            optimizer.zero_grad()
            sum(loss.abs() if loss.is_complex() else loss.double() for loss in losses).backward()
            optimizer.step()
    return {name: [in_words(one.grad), in_words(one)] for name, one in model.named_parameters()}


def through_file(model):
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return in_words(torch.load(file, weights_only=False).state_dict())


def questions(model, arguments, named):
    """All that a model is asked, in this order: what it is, what it does, and what becomes of copies of it."""
    state = copy.deepcopy(model.state_dict())
    first = next(iter(state), None)
    damaged = {key: value for key, value in state.items() if key != first} | {"surplus": torch.ones(1)}
    return {
        "tree": lambda: [[name, type(part).__qualname__, part.training] for name, part in model.named_modules()],
        "repr": lambda: repr(model),
        "parameters": lambda: {name: in_words(one) for name, one in model.named_parameters(remove_duplicate=False)},
        "buffers": lambda: {name: in_words(one) for name, one in model.named_buffers()},
        "keys": lambda: [in_words(state), in_words(getattr(state, "_metadata", None))],
        "fields": lambda: [[name, list(vars(part))] for name, part in model.named_modules()],
        "output": lambda: in_words(called(model, arguments, named)),
        "hooks": lambda: hooked(model, arguments, named),
        "gradients": lambda: trained(model, arguments, named),
        "load": lambda: in_words(model.load_state_dict(state)),
        "load what does not fit": lambda: in_words(model.load_state_dict(damaged)),
        "assign": lambda: in_words(copy.deepcopy(model).load_state_dict(state, assign=True)),
        "modes": lambda: [part.training for part in model.eval().modules()] + [model.train().training],
        "output in eval mode": lambda: in_words(called(model.eval(), arguments, named)),
        "copy": lambda: in_words(called(copy.deepcopy(model), arguments, named)),
        "file": lambda: through_file(model),
        "cast": lambda: in_words(copy.deepcopy(model).double().state_dict()),
        "cast to half": lambda: in_words(copy.deepcopy(model).to(torch.bfloat16).state_dict()),
        "meta": lambda: in_words(copy.deepcopy(model).to("meta").state_dict()),
        "freeze": lambda: [one.requires_grad for one in copy.deepcopy(model).requires_grad_(False).parameters()],
        "zero_grad": lambda: [model.zero_grad(), [one.grad is None for one in model.parameters()]],
        "dir": lambda: [name for name in dir(model) if name != "_hooked_call_impl"],
    }


def transcript(build):
    """Write down what a program's model answers to each question, errors and warnings among it."""
    torch.manual_seed(0)
    random.seed(0)
    model, arguments, named = build()
    answers = {}
    for question, ask in questions(model, arguments, named).items():
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                answer = ask()
            except Exception as error:
                answer = [type(error).__name__, ADDRESS.sub("0x…", str(error))]
        said = [[warning.category.__name__, str(warning.message)] for warning in warned]
        answers[question] = json.loads(ADDRESS.sub("0x…", json.dumps([answer, said], default=str, ensure_ascii=False)))
    return answers


# --- the programs -----------------------------------------------------------------------------------------------------


def model(module, *arguments, **named):
    return module, arguments, named


@program("einops")
def einops():
    from einops.layers.torch import EinMix, Rearrange, Reduce

    layers = [
        Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=2, q=2),
        EinMix("b n c -> b n d", weight_shape="c d", bias_shape="d", c=12, d=8),
        Reduce("b n d -> b d", "mean"),
    ]
    return model(nn.Sequential(*layers, nn.Linear(8, 2)), torch.randn(2, 3, 4, 4))


@program("transformers")
def transformers():
    import transformers as library

    config = library.GPT2Config(n_layer=2, n_head=2, n_embd=16, vocab_size=32, n_positions=16)
    return model(library.GPT2LMHeadModel(config), torch.arange(8).view(1, 8), labels=torch.arange(8).view(1, 8))


@program("peft")
def peft():
    import peft as library

    net, _, named = transformers()
    adapter = library.LoraConfig(r=2, target_modules=["c_attn"], fan_in_fan_out=True)
    return library.get_peft_model(net, adapter), (), {"input_ids": torch.arange(8).view(1, 8), **named}


@program("accelerate")
def accelerate():
    from accelerate import cpu_offload, init_empty_weights

    with init_empty_weights():
        empty = nn.Linear(2, 2)
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    assert empty.weight.is_meta
    return model(cpu_offload(net, execution_device="cpu"), torch.randn(2, 4))


@program("pytorch-lightning")
def lightning():
    import pytorch_lightning as library

    @at_top
    class Net(library.LightningModule):
        def __init__(self):
            super().__init__()
            self.save_hyperparameters()
            self.body = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

        def forward(self, x):
            return self.body(x)

        def training_step(self, batch, at):
            return self(batch).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    net, folder = Net(), tempfile.mkdtemp()
    silent = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    trainer = library.Trainer(max_epochs=2, accelerator="cpu", default_root_dir=folder, **silent)
    trainer.fit(net, torch.utils.data.DataLoader(torch.randn(8, 4), batch_size=4))
    net.trainer = None
    return model(net, torch.randn(2, 4))


@program("torchmetrics")
def torchmetrics():
    import torchmetrics as library

    metrics = [library.classification.MulticlassAccuracy(3), library.classification.MulticlassF1Score(3)]
    return model(library.MetricCollection(metrics), torch.randn(8, 3), torch.arange(8) % 3)


@program("torch-geometric")
def geometric():
    from torch_geometric.nn import GATConv, GCNConv, Sequential, global_mean_pool

    edges = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
    steps = [
        (GCNConv(4, 8), "x, edges -> x"),
        nn.ReLU(),
        (GATConv(8, 4, heads=2), "x, edges -> x"),
        (global_mean_pool, "x, batch -> x"),
    ]
    return model(Sequential("x, edges, batch", steps), torch.randn(4, 4), edges, torch.zeros(4, dtype=torch.long))


@program("e3nn")
def equivariant():
    from e3nn import nn as layers
    from e3nn import o3

    product = o3.FullyConnectedTensorProduct("2x0e + 1x1o", "1x0e + 1x1o", "2x0e + 1x1o")
    return model(
        nn.ModuleList([product, layers.FullyConnectedNet([2, 4, 1], torch.tanh)])[0],
        torch.randn(3, 5),
        torch.randn(3, 4),
    )


@program("gpytorch")
def gaussian_process():
    import gpytorch as library

    @at_top
    class Process(library.models.ExactGP):
        def __init__(self, x, y):
            super().__init__(x, y, library.likelihoods.GaussianLikelihood())
            self.mean = library.means.ConstantMean()
            self.kernel = library.kernels.ScaleKernel(library.kernels.RBFKernel())

        def forward(self, x):
            return library.distributions.MultivariateNormal(self.mean(x), self.kernel(x))

    @at_top
    class Marginal(nn.Module):
        def __init__(self, process):
            super().__init__()
            self.process = process
            self.loss = library.ExactMarginalLogLikelihood(process.likelihood, process)

        def forward(self, x, y):
            return self.loss(self.process(x), y)

    x = torch.linspace(0, 1, 6)
    return model(Marginal(Process(x, x.sin())).train(), x, x.sin())


@program("botorch")
def bayesian_optimization():
    from botorch.models import SingleTaskGP

    @at_top
    class Posterior(nn.Module):
        def __init__(self, process):
            super().__init__()
            self.process = process

        def forward(self, x):
            found = self.process.posterior(x)
            return found.mean, found.variance

    x = torch.linspace(0, 1, 6, dtype=torch.float64).view(6, 1)
    return model(Posterior(SingleTaskGP(x, x.sin())), x[:3])


@program("pyro-ppl")
def pyro():
    import pyro as library
    from pyro.nn import PyroModule, PyroSample

    @at_top
    class Regression(PyroModule):
        def __init__(self):
            super().__init__()
            self.line = PyroModule[nn.Linear](2, 1)
            self.line.weight = PyroSample(library.distributions.Normal(0.0, 1.0).expand([1, 2]).to_event(2))

        def forward(self, x):
            return self.line(x)

    return model(Regression(), torch.randn(3, 2))


@program("captum")
def captum():
    from captum.attr import DeepLift, IntegratedGradients, LayerConductance

    @at_top
    class Explained(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))

        def forward(self, x):
            return [
                IntegratedGradients(self.net).attribute(x, target=0, n_steps=4),
                DeepLift(self.net).attribute(x, target=1),
                LayerConductance(self.net, self.net[0]).attribute(x, target=0, n_steps=4),
            ]

    return model(Explained(), torch.randn(2, 3))


@program("tensordict")
def tensordict():
    from tensordict import TensorDict
    from tensordict.nn import TensorDictModule, TensorDictParams, TensorDictSequential

    @at_top
    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            first = TensorDictModule(nn.Linear(3, 4), in_keys=["x"], out_keys=["hidden"])
            second = TensorDictModule(nn.Linear(4, 2), in_keys=["hidden"], out_keys=["y"])
            self.steps = TensorDictSequential(first, second)
            self.given = TensorDictParams(TensorDict({"a": torch.ones(2), "b": {"c": torch.zeros(2)}}))

        def forward(self, x):
            found = self.steps(TensorDict({"x": x}, batch_size=[2]))
            return found["hidden"], found["y"] * self.given["a"]

    return model(Wrapped(), torch.randn(2, 3))


@program("x-transformers")
def x_transformers():
    from x_transformers import Decoder, TransformerWrapper

    layers = Decoder(dim=16, depth=2, heads=2, rotary_pos_emb=True)
    return model(TransformerWrapper(num_tokens=20, max_seq_len=16, attn_layers=layers), torch.arange(8).view(1, 8))


@program("skorch")
def skorch():
    import numpy
    from skorch import NeuralNetRegressor

    @at_top
    class Fitted(nn.Module):
        def __init__(self):
            super().__init__()
            net = NeuralNetRegressor(
                nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)), max_epochs=2, verbose=0
            )
            data = numpy.linspace(0, 1, 40, dtype=numpy.float32).reshape(10, 4)
            self.body = net.fit(data, data[:, :1]).module_

        def forward(self, x):
            return self.body(x)

    return model(Fitted(), torch.randn(2, 4))


class Field(nn.Module):
    """What a library of differential equations integrates."""

    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.drift = nn.Linear(3, 3)

    def forward(self, t, y):
        return self.drift(y).tanh()

    def f(self, t, y):
        return self(t, y)

    def g(self, t, y):
        return torch.sigmoid(y)


class Solved(nn.Module):
    """Solve an equation whose field is a child."""

    def __init__(self, solve, field):
        super().__init__()
        self.field = field
        self.solve = solve

    def forward(self, start):
        return self.solve(self.field, start, torch.linspace(0, 1, 3))


def solve_ordinary(*given):
    from torchdiffeq import odeint_adjoint

    return odeint_adjoint(*given, method="rk4")


def solve_stochastic(*given):
    from torchsde import BrownianInterval, sdeint

    noise = BrownianInterval(0.0, 1.0, size=(2, 3), entropy=1)
    return sdeint(*given, bm=noise, dt=0.1, method="euler")


@program("torchdiffeq")
def ordinary():
    return model(Solved(solve_ordinary, Field()), torch.randn(2, 3))


@program("torchsde")
def stochastic():
    return model(Solved(solve_stochastic, Field()), torch.randn(2, 3))


@program("torchcde")
def controlled():
    import torchcde as library

    @at_top
    class Rate(nn.Module):
        def __init__(self):
            super().__init__()
            self.line = nn.Linear(3, 6)

        def forward(self, t, z):
            return self.line(z).view(-1, 3, 2)

    @at_top
    class Controlled(nn.Module):
        def __init__(self):
            super().__init__()
            self.rate = Rate()

        def forward(self, x):
            path = library.CubicSpline(library.natural_cubic_coeffs(x))
            return library.cdeint(X=path, func=self.rate, z0=torch.ones(2, 3), t=path.interval, method="rk4")

    return model(Controlled(), torch.randn(2, 5, 2))


@program("rotary-embedding-torch")
def rotary():
    from rotary_embedding_torch import RotaryEmbedding

    @at_top
    class Turned(nn.Module):
        def __init__(self):
            super().__init__()
            self.turn = RotaryEmbedding(dim=4, learned_freq=True)

        def forward(self, x):
            return self.turn.rotate_queries_or_keys(x)

    return model(Turned(), torch.randn(1, 2, 6, 8))


@program("performer-pytorch")
def performer():
    from performer_pytorch import PerformerLM

    net = PerformerLM(num_tokens=20, max_seq_len=16, dim=16, depth=1, heads=2, dim_head=8, causal=False, nb_features=8)
    return model(net, torch.arange(8).view(1, 8))


@program("local-attention")
def local():
    from local_attention import LocalTransformer

    net = LocalTransformer(
        num_tokens=20, dim=16, depth=2, heads=2, dim_head=8, max_seq_len=16, local_attn_window_size=4
    )
    return model(net, torch.arange(8).view(1, 8))


@program("linear-attention-transformer")
def linear_attention():
    from linear_attention_transformer import LinearAttentionTransformerLM

    net = LinearAttentionTransformerLM(num_tokens=20, dim=16, heads=2, depth=2, max_seq_len=16, n_local_attn_heads=0)
    return model(net, torch.arange(8).view(1, 8))


@program("torchao")
def quantized():
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    net = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))
    quantize_(net, Int8WeightOnlyConfig())
    return model(net, torch.randn(2, 32))


@program("diffusers")
def diffusion():
    from diffusers import UNet2DModel

    blocks = {"down_block_types": ("DownBlock2D", "AttnDownBlock2D"), "up_block_types": ("AttnUpBlock2D", "UpBlock2D")}
    sizes = {"sample_size": 8, "in_channels": 1, "out_channels": 1, "layers_per_block": 1, "norm_num_groups": 4}
    net = UNet2DModel(**sizes, **blocks, block_out_channels=(8, 16), attention_head_dim=4)
    return model(net, torch.randn(1, 1, 8, 8), 3)


@program("snntorch")
def spiking():
    import snntorch as library

    @at_top
    class Spiking(nn.Module):
        def __init__(self):
            super().__init__()
            self.line, self.leaky = nn.Linear(4, 3), library.Leaky(beta=0.9, learn_beta=True)

        def forward(self, x):
            memory, spikes = self.leaky.init_leaky(), []
            for _ in range(4):
                spike, memory = self.leaky(self.line(x), memory)
                spikes.append(spike)
            return torch.stack(spikes), memory

    return model(Spiking(), torch.randn(2, 4))


@program("ncps")
def circuits():
    from ncps.torch import CfC
    from ncps.wirings import AutoNCP

    return model(CfC(4, AutoNCP(10, 2)), torch.randn(2, 5, 4))


@program("entmax")
def sparse():
    from entmax import Entmax15, Sparsemax

    return model(
        nn.Sequential(nn.Linear(4, 4), Sparsemax(dim=-1), nn.Linear(4, 4), Entmax15(dim=-1)), torch.randn(2, 4)
    )


@program("geoopt")
def manifold():
    import geoopt as library

    @at_top
    class Ball(nn.Module):
        def __init__(self):
            super().__init__()
            self.ball = library.PoincareBall()
            self.points = library.ManifoldParameter(torch.rand(3, 2) * 0.1, manifold=self.ball)

        def forward(self, x):
            return self.ball.dist(x, self.points)

    return model(Ball(), torch.rand(3, 2) * 0.1)


@program("pytorch-metric-learning")
def metric():
    from pytorch_metric_learning import losses

    return model(losses.ArcFaceLoss(num_classes=3, embedding_size=4), torch.randn(6, 4), torch.arange(6) % 3)


@program("sentence-transformers")
def sentences():
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling

    steps = nn.Sequential(Pooling(8), Dense(in_features=8, out_features=4))
    given = {"token_embeddings": torch.randn(2, 5, 8), "attention_mask": torch.ones(2, 5, dtype=torch.long)}
    return model(steps, given)


@program("kornia")
def vision():
    from kornia import color, filters

    return model(
        nn.Sequential(color.RgbToGrayscale(), filters.GaussianBlur2d((3, 3), (1.0, 1.0)), filters.Sobel()),
        torch.rand(1, 3, 8, 8),
    )


@program("pytorch-tabnet")
def tabnet():
    from pytorch_tabnet.tab_network import TabNet

    return model(TabNet(4, 2, n_d=4, n_a=4, n_steps=2, group_attention_matrix=torch.eye(4)), torch.randn(8, 4))


@program("vector-quantize-pytorch")
def quantizer():
    from vector_quantize_pytorch import ResidualVQ

    return model(ResidualVQ(dim=4, num_quantizers=2, codebook_size=8), torch.randn(1, 6, 4))


@program("ema-pytorch")
def averaged():
    from ema_pytorch import EMA

    average = EMA(nn.Linear(4, 2), beta=0.9, update_every=1, update_after_step=0)
    average.update()
    return model(average, torch.randn(2, 4))


@program("torch-pruning")
def pruned():
    import torch_pruning as library

    net, x = (
        nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 3)),
        torch.randn(1, 3, 8, 8),
    )
    graph = library.DependencyGraph().build_dependency(net, example_inputs=x)
    graph.get_pruning_group(net[0], library.prune_conv_out_channels, idxs=[1, 3]).prune()
    return model(net, x)


@program("normflows")
def flows():
    import normflows as library

    layers = [library.flows.AffineCouplingBlock(library.nets.MLP([1, 8, 2], init_zeros=True)), library.flows.Permute(2)]
    return model(library.NormalizingFlow(library.distributions.DiagGaussian(2), layers), torch.randn(4, 2))


@program("nflows")
def more_flows():
    from nflows.transforms import CompositeTransform, MaskedAffineAutoregressiveTransform, ReversePermutation

    layers = [ReversePermutation(2), MaskedAffineAutoregressiveTransform(features=2, hidden_features=4)]
    return model(CompositeTransform(layers), torch.randn(4, 2))


@program("zuko")
def neural_flows():
    import zuko as library

    @at_top
    class Density(nn.Module):
        def __init__(self):
            super().__init__()
            self.flow = library.flows.NSF(2, 1, transforms=2, hidden_features=(8,))

        def forward(self, x, context):
            return self.flow(context).log_prob(x)

    return model(Density(), torch.rand(4, 2), torch.rand(4, 1))


@program("opacus")
def private():
    from opacus import GradSampleModule

    return model(GradSampleModule(nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))), torch.randn(2, 4))


@program("backpack-for-pytorch")
def extended():
    from backpack import extend

    return model(extend(nn.Sequential(nn.Linear(4, 3), nn.Sigmoid(), nn.Linear(3, 2))), torch.randn(2, 4))


@program("loralib")
def low_rank():
    import loralib as library

    net = nn.Sequential(
        library.Linear(4, 4, r=2), nn.ReLU(), library.Embedding(4, 4, r=2).requires_grad_(True), nn.Flatten()
    )
    library.mark_only_lora_as_trainable(net)
    return model(net[:2], torch.randn(2, 4))


@program("conformer")
def conformer():
    from conformer import ConformerBlock

    return model(
        ConformerBlock(dim=8, dim_head=4, heads=2, ff_mult=2, conv_expansion_factor=2, conv_kernel_size=3),
        torch.randn(1, 6, 8),
    )


@program("tab-transformer-pytorch")
def table():
    from tab_transformer_pytorch import TabTransformer

    net = TabTransformer(
        categories=(3, 4), num_continuous=2, dim=8, depth=1, heads=2, dim_head=4, dim_out=1, mlp_act=nn.ReLU()
    )
    return model(net, torch.tensor([[0, 1], [2, 3]]), torch.randn(2, 2))


@program("egnn-pytorch")
def graph():
    from egnn_pytorch import EGNN

    return model(EGNN(dim=8), torch.randn(1, 4, 8), torch.randn(1, 4, 3))


@program("efficientnet-pytorch")
def efficient():
    from efficientnet_pytorch import EfficientNet

    return model(EfficientNet.from_name("efficientnet-b0", num_classes=3), torch.randn(2, 3, 32, 32))


@program("perceiver-pytorch")
def perceiver():
    from perceiver_pytorch import PerceiverIO

    net = PerceiverIO(dim=8, depth=1, queries_dim=8, num_latents=4, latent_dim=8, cross_heads=1, latent_heads=2)
    return model(net, torch.randn(1, 6, 8), queries=torch.randn(2, 8))


@program("torchjd")
def jacobian():
    from torchjd.aggregation import Mean

    @at_top
    class Aggregated(nn.Module):
        def __init__(self):
            super().__init__()
            self.line, self.aggregate = nn.Linear(3, 2), Mean()

        def forward(self, x):
            return self.aggregate(self.line(x))

    return model(Aggregated(), torch.randn(4, 3))


@program("mup")
def parametrized():
    import mup as library

    def net(width):
        return nn.Sequential(nn.Linear(4, width), nn.ReLU(), library.MuReadout(width, 2))

    made = net(16)
    library.set_base_shapes(made, net(4), delta=net(8))
    return model(made, torch.randn(2, 4))


@program("pytorch-ignite")
def ignite():
    from ignite.engine import Events, create_supervised_trainer
    from ignite.handlers import EMAHandler

    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    trainer = create_supervised_trainer(net, torch.optim.SGD(net.parameters(), lr=0.1), nn.functional.mse_loss)
    handler = EMAHandler(net, momentum=0.1)
    handler.attach(trainer, event=Events.ITERATION_COMPLETED)
    trainer.run([(torch.randn(2, 4), torch.randn(2, 1))] * 3, max_epochs=1)
    return model(nn.ModuleList([net, handler.ema_model])[1], torch.randn(2, 4))


@program("asteroid-filterbanks")
def filterbanks():
    from asteroid_filterbanks import Encoder, FreeFB

    return model(Encoder(FreeFB(n_filters=8, kernel_size=4)), torch.randn(1, 1, 32))


@program("julius")
def resample():
    import julius as library

    return model(nn.Sequential(library.ResampleFrac(4, 3), library.LowPassFilter(0.2)), torch.randn(1, 24))


@program("pytorch-msssim")
def similarity():
    from pytorch_msssim import SSIM

    return model(SSIM(data_range=1.0, channel=1), torch.rand(1, 1, 16, 16), torch.rand(1, 1, 16, 16))


@program("nnsight")
def traced():
    from nnsight import NNsight

    @at_top
    class Traced(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))

        def forward(self, x):
            seen = NNsight(self.net)
            with seen.trace(x):
                hidden = seen[1].output.save()
                result = seen.output.save()
            return hidden, result

    return model(Traced(), torch.randn(2, 4))


@program("monai")
def medical():
    from monai.networks.nets import UNet

    return model(UNet(2, 1, 2, channels=(4, 8), strides=(2,), num_res_units=1), torch.randn(1, 1, 8, 8))


@program("neuraloperator")
def operators():
    from neuralop.models import FNO

    return model(
        FNO(n_modes=(4, 4), in_channels=1, out_channels=1, hidden_channels=8, n_layers=2), torch.randn(1, 1, 8, 8)
    )


@program("laplace-torch")
def laplace():
    from laplace import Laplace

    @at_top
    class Fitted(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))

        def forward(self, x):
            found = Laplace(self.net, "regression", subset_of_weights="last_layer", hessian_structure="full")
            found.fit(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x[:, :1]), batch_size=4))
            return found(x)

    return model(Fitted(), torch.randn(4, 2))


@program("torchinfo")
def summary():
    from torchinfo import summary

    @at_top
    class Summed(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))

        def forward(self, x):
            return str(summary(self.net, input_data=x, verbose=0, col_names=("output_size", "num_params", "mult_adds")))

    return model(Summed(), torch.randn(1, 1, 6, 6))


def dropped(name):
    def operation(*_):
        raise NotImplementedError(name)

    operation.__name__ = name
    return operation


@program("lightning-thunder")
def thunder():
    """Compile a model whose forward asks what its Parameter is: it interprets the bytecode of Module's methods."""
    package = Path(importlib.util.find_spec("thunder").origin).parent
    for name in re.findall(r"torch\.Tensor\.(\w+)", (package / "torch" / "default_torch_ops.py").read_text("utf-8")):
        if not hasattr(torch.Tensor, name):  # an operation that PyTorch has dropped since, and that nothing here calls
            setattr(torch.Tensor, name, dropped(name))
    import thunder as library

    @at_top
    class Asks(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(1, 1)

        def forward(self, x):
            return x + 1 if isinstance(self.fc.weight, nn.Parameter) else x

    @at_top
    class Walks(Asks):
        def forward(self, x):
            found = sum(p.sum() for _, p in self.named_parameters())
            return x * found + self.get_parameter("fc.weight") + len(list(self.modules()))

    @at_top
    class Jitted(nn.Module):
        def __init__(self, *nets):
            super().__init__()
            self.nets = nn.ModuleList(nets)

        def forward(self, x):
            answers = []
            for net in self.nets:
                try:
                    answers.append(library.jit(net)(x))
                except Exception as error:
                    answers.append(f"{type(error).__name__} {error}")
            return answers

    return model(Jitted(Asks(), Walks()), torch.ones(1))


# --- running ----------------------------------------------------------------------------------------------------------


def run_in_fork(name):
    """Run one program; return its transcript, or what became of it."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            try:
                answer = {"transcript": transcript(PROGRAMS[name])}
            except BaseException as error:
                answer = {"failed": f"{type(error).__name__}: {error}"}
            json.dump(answer, file)
            file.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        file.seek(0)
        return json.load(file) if not status else {"failed": f"its process has ended with {status}"}


def main(file, *names):
    """Run the named programs, or all, and write their transcripts."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    warnings.simplefilter("ignore")
    for name in SHARED:
        importlib.import_module(name)
    answers = {"module": torch.nn.Module.__init__.__code__.co_filename, "torch": torch.__version__, "libraries": {}}
    for name in names or PROGRAMS:
        start = time.monotonic()
        answers["libraries"][name] = run_in_fork(name)
        print(f"{name}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
        answers["libraries"][name]["version"] = importlib.metadata.version(name)
    Path(file).write_text(json.dumps(answers), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
