# %% [markdown]
# # 训练两遍
#
# “[在它上面跑一个 GPT](../../a-gpt-on-it/)”一章里的 GPT 拿 PyTorch 自己的 `module.py` 源码当教材，逐个字符地学着写。它要学两遍，程序的字节完全相同：一遍跑在这份源码所定义的 Module 上，一遍跑在[我们的 Module](../../instead-of-pytorch/) 上。两遍的结果会有什么不同？
#
# [下载本实验的 notebook](../../downloads/train-it-twice.ipynb)，或者[在 Colab 上打开](https://colab.research.google.com/github/nn-module-from-scratch/nn-module-from-scratch/blob/main/docs/zh/downloads/train-it-twice.ipynb)。
#
# <!-- translation_of: 7bf9eb6525082cc20c3b61a9269261a54b186ddc -->

# %%
# 本课程的程序就在这个 notebook 附近；没有的话，就去克隆一份。
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path.cwd()
fetched = here / "nn-module-from-scratch"
root = next((folder for folder in (fetched, here, *here.parents) if (folder / "snippets").is_dir()), None)
if root is None:
    root = fetched
    repository = "https://github.com/nn-module-from-scratch/nn-module-from-scratch"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", repository, root], check=True)
programs = root / "snippets" / "a-gpt-on-it"
sys.path[:0] = [str(root), str(programs)]

# %% [markdown]
# ## 同一个程序
#
# `gpt` 和 `training` 是那一页给出的两个文件，[页面上](../../a-gpt-on-it/#trained-twice)有逐行的展示。下面的程序把它们拼到一起：先训练一半的步数，存一个检查点（checkpoint），再接着训练。如果给它一个检查点，就从那里开始。程序里没有一行取决于底下是哪个 Module。

# %%
PROGRAM = """
import os
import sys

import torch
from gpt import GPT, Config
from training import SETTINGS, encode, load_checkpoint, read_text, save_checkpoint, train

text = read_text()
alphabet = sorted(set(text))
data = encode(text, alphabet)


def build(config):
    return GPT(Config(**config))


def run(name, path, begun=None):
    setting = SETTINGS[name]
    torch.set_num_threads(1 if name == "quick" else max(1, os.cpu_count() // 2))
    if setting.device == "cuda":  # which otherwise adds in any order
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        torch.use_deterministic_algorithms(True, warn_only=True)
    if begun:
        model, optimizer, half = load_checkpoint(begun, build, setting)
        losses, evaluations = [], {}
    else:
        torch.manual_seed(0)
        model = build({"vocab_size": len(alphabet), **setting.sizes}).to(setting.device)
        optimizer = model.configure_optimizers(lr=setting.lr)
        half = setting.steps // 2
        losses, evaluations = train(model, optimizer, data, setting, 0, half)
        save_checkpoint(f"{path}.middle", model, optimizer, half)
    more = train(model, optimizer, data, setting, half, setting.steps)

    model.eval()
    start = encode("\\n", alphabet)[None].to(setting.device)
    written = model.generate(start, 300, temperature=0.8, top_k=20)[0]
    result = {
        "losses": losses + more[0],
        "evaluations": evaluations | more[1],
        "weights": model.state_dict(),
        "sample": "".join(alphabet[number] for number in written),
        "module": torch.nn.Module.__setattr__.__code__.co_filename,
    }
    torch.save(result, path)


if __name__ == "__main__":
    setting, folder, module, other = sys.argv[1:]
    run(setting, f"{folder}/{module}")
    sys.stdin.read()  # ends when the notebook has trained as well, and so has left a checkpoint
    run(setting, f"{folder}/{other}-resumed", f"{folder}/{other}.middle")
"""

# %% [markdown]
# 选一种设置。`quick` 只要几秒。`long` 在两个核上大约六分钟，写出来的东西看着像 Python。`gpu` 训练一个一千一百万个数的模型，需要一块 GPU 和几分钟；换成 CPU 要跑一夜。

# %%
SETTING = "quick"

# %% [markdown]
# 程序在这个 notebook 里跑，notebook 用的是哪个 Module 就跑在哪个上；同时开一个新进程，在另一个 Module 上跑。写成命令，`python train_it.py` 用的是安装好的 PyTorch，`python -m scratch train_it.py` 是同一个 PyTorch，换上我们的 Module。

# %%
import os
import runpy

import torch

folder = tempfile.mkdtemp()
program = pathlib.Path(folder, "train_it.py")
program.write_text(PROGRAM, encoding="utf-8")

COMMANDS = {"torch": [sys.executable], "scratch": [sys.executable, "-m", "scratch"]}
origin = pathlib.Path(torch.nn.Module.__setattr__.__code__.co_filename)
here, there = ("scratch", "torch") if origin.parent.name == "scratch" else ("torch", "scratch")

paths = os.pathsep.join([str(root), str(programs)])
command = [*COMMANDS[there], str(program), SETTING, folder, there, here]
pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
process = subprocess.Popen(command, cwd=root, env={**os.environ, "PYTHONPATH": paths}, **pipes)

run = runpy.run_path(str(program))["run"]
run(SETTING, f"{folder}/{here}")

said, _ = process.communicate()  # 另一个进程在等的，也由此结束
if process.returncode:
    raise RuntimeError(said)

# %%
results = {module: torch.load(f"{folder}/{module}", weights_only=True) for module in COMMANDS}
for module, result in results.items():
    print(f"{module:8} ran on", "/".join(pathlib.Path(result["module"]).parts[-2:]))

one, other = results.values()
steps = len(one["losses"])
print(f"after {steps} steps: loss {one['losses'][-1]:.4f}, was {one['losses'][0]:.4f}")

# %% [markdown]
# ## 差别
#
# 不是“接近”，而是相等：每个损失、每个权重、每个字符都逐位相同。

# %%
def same(one, other):
    """Say whether two results are equal to the bit."""
    weights = one["weights"].keys() == other["weights"].keys() and all(
        torch.equal(one["weights"][name], other["weights"][name]) for name in one["weights"]
    )
    return {
        "losses": one["losses"] == other["losses"],
        "evaluations": one["evaluations"] == other["evaluations"],
        "weights": weights,
        "sample": one["sample"] == other["sample"],
    }


equal = same(one, other)
for what, answer in equal.items():
    print(f"{what:12} equal: {answer}")
assert all(equal.values())

# %%
import matplotlib.pyplot as plt

from literate.course.labs.drawing import show

figure, (curves, difference) = plt.subplots(2, 1, sharex=True, figsize=(5, 4), height_ratios=[3, 1])
for (module, result), width, style in zip(results.items(), (5, 1.5), ("-", "--"), strict=True):
    curves.plot(result["losses"], style, linewidth=width, label=f"{module}: loss", alpha=0.45 if width > 2 else 1)
curves.plot(list(one["evaluations"]), list(one["evaluations"].values()), "o", markersize=4, label="evaluation, both")
curves.set_ylabel("loss")
curves.legend(frameon=False)
difference.plot([a - b for a, b in zip(one["losses"], other["losses"], strict=True)], color="C3")
difference.set(ylim=(-1, 1), yticks=[-1, 0, 1], xlabel="step", ylabel="difference")
show(
    figure,
    f"Above, the loss on both Modules falls from {one['losses'][0]:.1f} to {one['losses'][-1]:.1f}, one curve on the other. "
    "Below, their difference is zero at every step.",
)

# %% [markdown]
# ## 它写了什么
#
# 只用几秒，它就学到了每个字符有多常见，后面通常跟着什么：行有缩进，有下划线，拼出的词却不是词。用 `SETTING = "long"`，它写得出许多真有的词，括号、引号和缩进都有，就是没有意思。

# %%
print(other["sample"])

# %% [markdown]
# ## 在一个 Module 上开始，在另一个上结束
#
# 检查点里只有张量和数字，[没有 Module 的任何东西](../../saving-and-loading/)。所以每个 Module 都能接过另一个中途存下的检查点，跑到和对方同样的终点。另一个进程已经拿我们的检查点这样做过，这里再拿它的来做一遍。

# %%
run(SETTING, f"{folder}/{there}-resumed", f"{folder}/{there}.middle")

half = steps // 2
for begun, finished in (("torch", "scratch"), ("scratch", "torch")):
    resumed = torch.load(f"{folder}/{begun}-resumed", weights_only=True)
    whole = results[begun]
    assert resumed["module"] == results[finished]["module"]
    assert resumed["losses"] == whole["losses"][half:]
    assert all(torch.equal(tensor, whole["weights"][name]) for name, tensor in resumed["weights"].items())
    assert resumed["sample"] == whole["sample"]
    print(f"begun on {begun}, finished on {finished}: the same losses, weights and sample")

# %% [markdown]
# ## 切到评估，再切回来
#
# 这里在 notebook 所用的 Module 上观察训练过程。用一个钩子（hook）在每次调用时记下[那个标志](../../modes/)：先是评估模式（eval）下的几个批次，然后是训练，直到下一次评估。

# %%
import dataclasses
import itertools

from gpt import GPT, Config
from training import SETTINGS, encode, read_text, train

alphabet = sorted(set(read_text()))
data = encode(read_text(), alphabet)
setting = dataclasses.replace(SETTINGS["quick"], eval_every=5)
torch.manual_seed(0)
model = GPT(Config(vocab_size=len(alphabet), **setting.sizes))
optimizer = model.configure_optimizers(lr=setting.lr)

flags = []
with model.register_forward_pre_hook(lambda module, args: flags.append(module.training)):
    train(model, optimizer, data, setting, 0, 10)
for training, calls in itertools.groupby(flags):
    print("training: " if training else "evaluation:", len(list(calls)), "calls")
print("every dropout is back:", all(module.training for module in model.modules()))

# %% [markdown]
# 想让这个 notebook 整个跑在我们的 Module 上，就在第一个单元格的末尾写上 `import scratch; scratch.install()`，重启内核，再运行全部单元格：这样一来，跑在 PyTorch 的 Module 上的就是另一个进程。
