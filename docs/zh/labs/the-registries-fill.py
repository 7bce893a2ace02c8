# %% [markdown]
# # 注册表逐渐填满
#
# [注册](../../registration/)一章说，谁能被找到，由赋值决定。这里可以亲眼看到：一个 Module 的每一行代码，把什么登记到了哪里。然后换成一整个 GPT 再看一遍，用的是钩子（hook）：每登记一样东西，PyTorch 都会调用它们。
#
# [下载本实验的 notebook](../../downloads/the-registries-fill.ipynb)，或者[在 Colab 上打开](https://colab.research.google.com/github/nn-module-from-scratch/nn-module-from-scratch/blob/main/docs/zh/downloads/the-registries-fill.ipynb)。
#
# <!-- translation_of: 2b547c2c28725e6162c88fdab02988476862daea -->

# %%
# 本课程的程序就在这个 notebook 附近；没有的话，就去克隆一份。
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
# ## 一行一行看
#
# 下面这些行，有的会出现在某个 `__init__` 里，有的在它之后。改一改，再把后面的单元格重跑一遍。

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
# 有两行会报错。`register_parameter("bias", None)` 发现名字已经有了：上一行的 `block.bias = None` 让它成了普通属性。（给这样的名字赋一个 Parameter，名字就归它。）`block.scale = nn.Linear(8, 8)` 报错，是因为名字一旦归了参数（Parameter），就只收参数和 `None`。普通列表放在那里，什么遍历都找不到，换成 `ModuleList` 才找得到。把张量赋给缓冲区（buffer）的名字，它仍然是缓冲区。
#
# 把同样的过程画成图：一行代码对应图上一行，画的是这行执行之后，每个地方各有几个名字。

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
# ## 一整个 GPT
#
# 不管是赋值登记，还是按名字登记，每登记一个参数、一个缓冲区或一个 Module，PyTorch 都会调用全局钩子。靠这些钩子，不用改动 [GPT](../../a-gpt-on-it/)，就能看着它一步步建起来。

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
# 最后登记的那个参数就是权重绑定（weight tying）：一个层先带着自己的权重登记进来，随后另一个层的参数取代了这个权重。

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
