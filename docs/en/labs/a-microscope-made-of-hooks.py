# %% [markdown]
# # A microscope made of hooks
#
# What goes on inside a model while it trains? [A hook](../../calling-and-hooks/) on each layer sees what the layer puts out,
# and [another](../../backward/) sees the gradient that comes back to it, without a changed line in the model. This lab looks
# at the GPT of [A GPT on it](../../a-gpt-on-it/), and at a small convolutional network that reads handwritten digits.
#
# [Download this lab as a notebook](../../downloads/a-microscope-made-of-hooks.ipynb), or open it
# [on Colab](https://colab.research.google.com/github/nn-module-from-scratch/nn-module-from-scratch/blob/main/docs/en/downloads/a-microscope-made-of-hooks.ipynb).

# %%
# The programs of the course lie around this notebook, or are fetched.
import pathlib
import subprocess
import sys

here = pathlib.Path.cwd()
fetched = here / "nn-module-from-scratch"
root = next((folder for folder in (fetched, here, *here.parents) if (folder / "snippets").is_dir()), None)
if root is None:
    root = fetched
    repository = "https://github.com/nn-module-from-scratch/nn-module-from-scratch"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", repository, root], check=True)
sys.path[:0] = [str(root), str(root / "snippets" / "a-gpt-on-it")]

# %% [markdown]
# ## The microscope

# %%
import matplotlib.pyplot as plt
import torch
from torch import nn

from literate.course.labs.drawing import show

torch.set_num_threads(1)


class Microscope:
    """Keep what each layer of one kind has put out, and the size of the gradient that came back.

    Args:
        model: what to look at.
        kind: the class of the layers, such as nn.ReLU.
    """

    def __init__(self, model, kind):
        self.outputs, self.gradients = {}, {}
        self.handles = []
        for name, module in model.named_modules():
            if isinstance(module, kind):
                self.gradients[name] = []
                self.handles.append(module.register_forward_hook(self.keep_output(name)))
                self.handles.append(module.register_full_backward_hook(self.keep_gradient(name)))

    def keep_output(self, name):
        def hook(module, args, output):
            self.outputs[name] = output.detach()  # with its graph it would hold all that was computed

        return hook

    def keep_gradient(self, name):
        def hook(module, grad_input, grad_output):
            self.gradients[name].append(grad_output[0].norm().item())

        return hook

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for handle in self.handles:
            handle.remove()


def draw_gradients(scope, what):
    """Draw the gradient norms of a microscope, a curve for each layer."""
    figure, axes = plt.subplots(figsize=(5, 2.6))
    for name, norms in scope.gradients.items():
        axes.semilogy(norms, label=name)
    axes.set(xlabel="step", ylabel="norm of the gradient")
    axes.set_title(what, fontsize=9)
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    first = ", ".join(f"{name} {norms[0]:.1e}" for name, norms in scope.gradients.items())
    last = ", ".join(f"{name} {norms[-1]:.1e}" for name, norms in scope.gradients.items())
    show(figure, f"Norms of the gradients at the layers of {what}. At first: {first}. In the end: {last}.")

# %% [markdown]
# ## A GPT
#
# Forty steps on the source of PyTorch's `module.py`, with the microscope on every MLP: the numbers that come out of GELU,
# and the gradients that come back to it. Once with the learning rate of the course, and once with ten times as much.
#
# A unit of an MLP is dead if no token of a batch makes it say anything. GELU has no hard zero, but far below zero it is as
# good as silent: here, a unit counts as silent if it never leaves the numbers between -0.05 and 0.05.

# %%
from gpt import GPT, Config
from training import SETTINGS, draw_batch, encode, read_text

setting = SETTINGS["quick"]
alphabet = sorted(set(read_text()))
data = encode(read_text(), alphabet)


def train_gpt(lr, steps=40):
    """Train a GPT, and return it, what a microscope saw at every GELU, and the last loss."""
    torch.manual_seed(0)
    model = GPT(Config(vocab_size=len(alphabet), **setting.sizes))
    optimizer = model.configure_optimizers(lr=lr)
    with Microscope(model, nn.GELU) as scope:
        for _ in range(steps):
            _, loss = model(*draw_batch(data, setting))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model, scope, loss.item()


gpts = {lr: train_gpt(lr) for lr in (setting.lr, 10 * setting.lr)}
for lr, (model, scope, loss) in gpts.items():
    print(f"lr {lr}: loss {loss:.4f}")
    for name, output in scope.outputs.items():  # (B, T, units)
        loudest = output.flatten(0, 1).abs().max(dim=0).values  # of each unit, over all tokens
        print(f"  {name}: mean {output.mean():+.3f}, standard deviation {output.std():.3f}", end="; ")
        print(f"{(loudest < 0.05).sum()} of {len(loudest)} units are silent")
print("hooks left on the model:", sum(len(m._forward_hooks) + len(m._backward_hooks) for m in model.modules()))

# %% [markdown]
# Both losses look like those of a model that has begun to learn. Only the microscope shows that the second one goes on with
# about half of its units.

# %%
figure, axes = plt.subplots(figsize=(5, 2.6))
for lr, (_, scope, _) in gpts.items():
    for name, output in scope.outputs.items():
        axes.hist(output.flatten().numpy(), bins=60, range=(-0.3, 6), histtype="step", label=f"lr {lr}: {name}")
axes.set(xlabel="what GELU puts out", ylabel="how often", yscale="log")
axes.legend(frameon=False, fontsize=8)
axes.spines[["top", "right"]].set_visible(False)
show(figure, "Histograms of the outputs of GELU in each block, for both learning rates: most lie near zero, and those of the larger rate reach far to the right.")

# %%
for lr, (_, scope, _) in gpts.items():
    draw_gradients(scope, f"the GPT with lr {lr}")

# %% [markdown]
# ## A convolutional network
#
# Digits of 8 by 8 pixels, and a network with two layers of filters and a hidden layer of 64 units. With ReLU a unit can die
# for good: where it is zero for every image no gradient comes back through it, so nothing will ever wake it.

# %%
from sklearn.datasets import load_digits

digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16  # (1797, 1, 8, 8)
labels = torch.tensor(digits.target)
train_images, train_labels = images[:1500], labels[:1500]
test_images, test_labels = images[1500:], labels[1500:]


def train_digits(lr, steps=150):
    """Train a network on the digits, and return it and what a microscope saw at every ReLU."""
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 4 * 4, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    with Microscope(net, nn.ReLU) as scope:
        for _ in range(steps):
            chosen = torch.randint(len(train_images), (64,))
            loss = nn.functional.cross_entropy(net(train_images[chosen]), train_labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            right = (net(test_images).argmax(dim=1) == test_labels).float().mean().item()
    return net, scope, right


networks = {lr: train_digits(lr) for lr in (0.1, 1.0)}
for lr, (_, scope, right) in networks.items():
    print(f"lr {lr}: {right:.1%} of the test digits are read right")
    for name, output in scope.outputs.items():
        units = output.transpose(0, 1).flatten(1)  # a row for each filter or unit
        dead = (units == 0).all(dim=1)
        print(f"  ReLU {name}: {dead.sum()} of {len(dead)} dead")

# %% [markdown]
# The large learning rate has killed most of the network in its first steps, and nothing has failed: no NaN, no exception.
# The gradients say when it happened: a curve ends where a gradient is zero, which has no place on this axis.

# %%
for lr, (_, scope, _) in networks.items():
    draw_gradients(scope, f"the network with lr {lr}")

# %% [markdown]
# And what the filters of the healthy network see: one digit, and the eight images that the first layer makes of it.

# %%
net, scope, _ = networks[0.1]
with Microscope(net, nn.ReLU) as scope, torch.no_grad():
    net(test_images[:1])
maps = scope.outputs["1"][0]

figure, axes = plt.subplots(1, 9, figsize=(7.5, 1.1))
for axis, picture in zip(axes, [test_images[0, 0], *maps], strict=True):
    axis.imshow(picture.numpy(), cmap="gray")
    axis.axis("off")
show(figure, f"The digit {test_labels[0].item()}, and beside it what each of eight filters makes of it.")
