import torch
from torch import nn


def backward(loss):
    waiting, todo = {}, [loss.grad_fn]  # 每个节点还有几份梯度没收到
    while todo:
        for following, _ in todo.pop().next_functions:
            if following is not None:
                todo += [] if following in waiting else [following]
                waiting[following] = waiting.get(following, 0) + 1
    arrived, ready = {loss.grad_fn: torch.ones_like(loss)}, [loss.grad_fn]
    while ready:
        node = ready.pop()
        gradients = node(arrived.pop(node))
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        for (following, _), gradient in zip(node.next_functions, gradients):
            if hasattr(following, "variable"):  # 前向时偏置铺到了整个批次上
                gradient = gradient.sum_to_size(following.variable.shape)
            if following is not None:
                arrived[following] = arrived.get(following, 0) + gradient
                waiting[following] -= 1
                ready += [following] if waiting[following] == 0 else []


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(5, 3)

backward(net(x).square().mean())
by_hand = [parameter.grad.clone() for parameter in net.parameters()]
net.zero_grad()
net(x).square().mean().backward()
print([torch.allclose(mine, p.grad) for mine, p in zip(by_hand, net.parameters())])
