# %% [markdown]
# # 用钩子做一台显微镜
#
# 模型训练的时候，里面发生了什么？在每一层上挂[一个钩子（hook）](../../calling-and-hooks/)，就能看到这一层的输出；挂[另一个](../../backward/)，就能看到传回这一层的梯度（gradient）。模型的代码一行都不用改。这个实验看两个模型：“[在它上面跑一个 GPT](../../a-gpt-on-it/)”一章里的 GPT，和一个识别手写数字的小卷积网络。
#
# [下载本实验的 notebook](../../downloads/a-microscope-made-of-hooks.ipynb)，或者[在 Colab 上打开](https://colab.research.google.com/github/nn-module-from-scratch/nn-module-from-scratch/blob/main/docs/zh/downloads/a-microscope-made-of-hooks.ipynb)。
#
# <!-- translation_of: d7ac999eecc01af2f96cc5827ab59ab784418fee -->

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

# %% [markdown]
# ## 显微镜

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
            self.outputs[name] = output.detach()  # 连着计算图的话，算过的东西全都会留着

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
# ## 看一个 GPT
#
# 在 PyTorch 的 `module.py` 源码上训练四十步，每个 MLP 上都架着显微镜：看 GELU 输出的数值，以及传回 GELU 的梯度。学习率先用本课程的，再用它的十倍。
#
# 如果一个批次里没有任何 token 能让 MLP 的某个单元有所输出，这个单元就是死的。GELU 没有硬性的零，但输入远小于零时，输出和沉默没什么两样。这里这样算：一个单元的输出始终在 -0.05 到 0.05 之间，就算沉默。

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
        loudest = output.flatten(0, 1).abs().max(dim=0).values  # 每个单元一个，取遍所有 token
        print(f"  {name}: mean {output.mean():+.3f}, standard deviation {output.std():.3f}", end="; ")
        print(f"{(loudest < 0.05).sum()} of {len(loudest)} units are silent")
print("hooks left on the model:", sum(len(m._forward_hooks) + len(m._backward_hooks) for m in model.modules()))

# %% [markdown]
# 只看损失，两个模型都像是已经开始学了。要用显微镜才看得出，第二个模型往后只靠大约一半的单元。

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
# ## 看一个卷积网络
#
# 数据是 8×8 像素的数字，网络有两层卷积核，外加一个 64 个单元的隐藏层。用 ReLU 时，单元可能永远死掉：如果它对每张图片都输出零，就没有梯度能穿过它传回来，也就再没有什么能唤醒它。

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
        units = output.transpose(0, 1).flatten(1)  # 每个卷积核或单元一行
        dead = (units == 0).all(dim=1)
        print(f"  ReLU {name}: {dead.sum()} of {len(dead)} dead")

# %% [markdown]
# 大学习率在头几步就弄死了网络的大部分，却什么错都没报：没有 NaN，也没有异常。从梯度可以看出是什么时候死的：曲线在哪里中断，梯度就在哪里变成了零，而零在这根轴上没有位置。

# %%
for lr, (_, scope, _) in networks.items():
    draw_gradients(scope, f"the network with lr {lr}")

# %% [markdown]
# 最后看看健康的网络里，卷积核看到了什么：一个数字，以及第一层由它得到的八张图。

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
