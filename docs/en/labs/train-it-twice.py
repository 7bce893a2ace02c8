# %% [markdown]
# # Train it twice
#
# The GPT of [A GPT on it](../../a-gpt-on-it/) learns to write, character by character, from the source of PyTorch's own
# `module.py`. It does so twice, from the same bytes: on the Module that this source defines, and on
# [ours](../../instead-of-pytorch/). What comes out differently?
#
# [Download this lab as a notebook](../../downloads/train-it-twice.ipynb), or open it
# [on Colab](https://colab.research.google.com/github/nn-module-from-scratch/nn-module-from-scratch/blob/main/docs/en/downloads/train-it-twice.ipynb).

# %%
# The programs of the course lie around this notebook, or are fetched.
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
# ## One program
#
# `gpt` and `training` are files that the page gives; [the page](../../a-gpt-on-it/#trained-twice) shows them line by line.
# The program below puts them together. It trains for half of the steps, saves a checkpoint, and goes on. Given
# a checkpoint it starts there instead. No line of it depends on the Module.

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
# Choose a setting. `quick` takes seconds. `long` takes about six minutes on two cores, and writes something that looks like
# Python. `gpu` trains a model of eleven million numbers, for which it needs a GPU and some minutes; a CPU would take a night.

# %%
SETTING = "quick"

# %% [markdown]
# It runs in this notebook, on whichever Module that has, and at the same time in a new process on the other Module. As a
# command, `python train_it.py` is PyTorch as installed; `python -m scratch train_it.py` is the same on our Module.

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

said, _ = process.communicate()  # which also ends what the other process waits for
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
# ## The difference
#
# Not *close*: equal, to the last bit, in every loss, every weight and every character.

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
# ## What it writes
#
# In seconds it learns how often each character comes and what tends to follow it: indented lines, underscores, words that
# are none. `SETTING = "long"` writes many words that there are, with brackets, quotes and indentation, and no sense.

# %%
print(other["sample"])

# %% [markdown]
# ## Begun on one Module, finished on the other
#
# A checkpoint holds tensors and numbers, and [nothing of the Module](../../saving-and-loading/) that they came from. So
# each Module takes over the checkpoint that the other has saved midway, and ends where the other ended. The other process
# has done so with ours. This one does it with the other's.

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
# ## Evaluation and back
#
# Here the training is watched, on the Module that this notebook runs on. A hook notes
# [the flag](../../modes/) at each call: some batches in evaluation mode, then training until the next evaluation.

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
# To put this notebook as a whole on our Module, write `import scratch; scratch.install()` at the end of its first cell, restart
# the kernel, and run all cells: then the other process is on PyTorch's.
