# %% [markdown]
# # The registries fill
#
# [Registration](../../registration/) says that an assignment decides who is found. Here you watch it: each line of a Module,
# and what it files where. Then the same for a whole GPT, with hooks that PyTorch calls for each thing that is filed.
#
# [Download this lab as a notebook](../../downloads/the-registries-fill.ipynb), or open it
# [on Colab](https://colab.research.google.com/github/nn-module-from-scratch/nn-module-from-scratch/blob/main/docs/en/downloads/the-registries-fill.ipynb).

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

# %%
import matplotlib.pyplot as plt
import torch
from torch import nn

from literate.course.labs.drawing import show

# %% [markdown]
# ## Line by line
#
# These are the lines of some `__init__`, and of what comes after it. Change them, and run the cells below again.

# %%
LINES = """
block.heads = 4
block.ln = nn.LayerNorm(8)
block.scale = nn.Parameter(torch.ones(8))
block.register_buffer("mask", torch.ones(4, 4).tril())
block.last = torch.zeros(8)
block.steps = [nn.Linear(8, 8), nn.Linear(8, 8)]
block.steps = nn.ModuleList(block.steps)
block.mask = torch.ones(2, 2).tril()
block.bias = None
block.register_parameter("bias", None)
block.bias = nn.Parameter(torch.zeros(8))
block.scale = nn.Linear(8, 8)
del block.ln
""".strip().splitlines()

REGISTRIES = ("_parameters", "_buffers", "_modules", "plain")


def place(module):
    """Return where each name of a Module is."""
    where = {name: registry for registry in REGISTRIES[:3] for name in getattr(module, registry)}
    ours = [name for name in vars(module) if not name.startswith("_") and name != "training"]
    return where | dict.fromkeys(ours, "plain")


block = nn.Module()
history = []
for line in LINES:
    before = place(block)
    try:
        exec(line)
        error = ""
    except (TypeError, KeyError) as refused:
        error = type(refused).__name__
    after = place(block)
    history.append((line, after))
    new = [f"{name} in {after[name]}" for name in after if before.get(name) != after[name]]
    gone = [f"{name} from {before[name]}" for name in before if name not in after]
    said = [f"new: {', '.join(new)}"] * bool(new) + [f"gone: {', '.join(gone)}"] * bool(gone) + [error] * bool(error)
    print(f"{line:55}", "; ".join(said) or "as before")

# %% [markdown]
# Two lines are refused. `register_parameter("bias", None)` finds the name taken: `block.bias = None`, just before, has made it
# a plain attribute. (An assigned Parameter takes such a name over.) And `block.scale = nn.Linear(8, 8)` fails because the
# name of a Parameter is held against everything but a Parameter or `None`. A list goes nowhere that a walk would find it, until it is a `ModuleList`. A tensor that takes a buffer's name stays a buffer.
#
# Here is the same, drawn: a row for each line, and the number of names in each place after it.

# %%
figure, axes = plt.subplots(figsize=(4.5, 4.6))
colors = {"_parameters": "C0", "_buffers": "C1", "_modules": "C4", "plain": "C7"}
for row, (_, where) in enumerate(history):
    for column, registry in enumerate(REGISTRIES):
        names = [name for name, found in where.items() if found == registry]
        for number, name in enumerate(names):
            axes.plot(column + 0.13 * number, row, "s", color=colors[registry], markersize=6)
axes.set(ylim=(len(LINES) - 0.5, -0.5), xlim=(-0.3, 3.8))
axes.set_xticks([column + 0.2 for column in range(4)], REGISTRIES)
axes.set_yticks(range(len(LINES)), LINES, family="monospace", fontsize=9)
axes.xaxis.tick_top()
axes.spines[:].set_visible(False)
axes.tick_params(length=0)
final = history[-1][1]
counts = ", ".join(f"{list(final.values()).count(registry)} in {registry}" for registry in REGISTRIES)
show(figure, f"A square for each name in each registry after each of {len(LINES)} lines. In the end: {counts}.")

# %% [markdown]
# ## A whole GPT
#
# PyTorch calls global hooks for each Parameter, each buffer and each Module that is filed, by an assignment or by name. They
# see [a GPT](../../a-gpt-on-it/) being built without a change to it.

# %%
from gpt import GPT, Config
from torch.nn.modules import module as hooks

filed = []


def note(kind):
    """Return a hook that notes what is filed, and under which name."""
    return lambda module, name, value: filed.append((kind, type(module).__name__, name))


handles = [
    hooks.register_module_parameter_registration_hook(note("Parameter")),
    hooks.register_module_buffer_registration_hook(note("buffer")),
    hooks.register_module_module_registration_hook(note("Module")),
]
try:
    model = GPT(Config(vocab_size=65, block_size=16, n_layer=3, n_head=4, n_embd=32))
finally:
    for handle in handles:
        handle.remove()

print(len(filed), "things were filed; the first and the last of them:")
for kind, owner, name in [*filed[:8], *filed[-3:]]:
    print(f"  {kind:9} {name!r:10} in a {owner}")

# %% [markdown]
# The last Parameter to be filed is the tie: a layer has been filed with a weight of its own, and then
# the Parameter of another layer takes the place of that weight.

# %%
figure, axes = plt.subplots(figsize=(5, 3))
for kind, color in (("Parameter", "C0"), ("Module", "C4"), ("buffer", "C1")):
    counts = [sum(found[0] == kind for found in filed[: step + 1]) for step in range(len(filed))]
    axes.step(range(1, len(filed) + 1), counts, where="post", color=color, label=f"{kind}: {counts[-1]}")
axes.set(xlabel="filed so far", ylabel="of this kind")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
kinds = {kind: sum(found[0] == kind for found in filed) for kind in ("Parameter", "Module", "buffer")}
show(figure, f"While the GPT is built the three counts rise block by block, to {kinds}.")

# %%
print("Parameters filed:", kinds["Parameter"], " in the end:", len(list(model.parameters())))
print("buffers filed:   ", kinds["buffer"], " in the end:", len(list(model.buffers())))
print("Modules filed:   ", kinds["Module"], " in the end:", len(list(model.modules())), "with the GPT itself")
