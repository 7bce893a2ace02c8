import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 3.0)
x = torch.tensor([[2.0]], requires_grad=True)


def look(module, grad_input, grad_output):
    above, below = grad_output[0].item(), grad_input[0].item()
    print(f"  hook: grad_output {above} grad_input {below}")


def hundredfold(module, grad_input, grad_output):
    return (grad_input[0] * 100,)


def tenfold(module, grad_output):
    return (grad_output[0] * 10,)


def gradients(label):
    layer.zero_grad()
    x.grad = None
    print(label)
    layer(x).backward()
    print("  weight.grad", layer.weight.grad.item(), "x.grad", x.grad.item())


with layer.register_full_backward_hook(look):
    gradients("looking only")
    with layer.register_full_backward_hook(hundredfold):
        gradients("a hook replaces grad_input")
    with layer.register_full_backward_pre_hook(tenfold):
        gradients("a pre-hook replaces grad_output")
