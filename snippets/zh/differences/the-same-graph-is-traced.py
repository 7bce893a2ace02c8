import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.norm = nn.LayerNorm(3)

    def forward(self, x):
        return self.norm(self.fc(x)).relu()


def backend(graph, inputs):
    nodes = [node for node in graph.graph.nodes if node.op == "call_function"]
    print("compiled:", [node.target.__name__ for node in nodes], len(inputs), "inputs")
    return graph.forward


model = Net()
print(torch.fx.symbolic_trace(model).code.strip())
x = torch.ones(2, 3)
print(torch.equal(torch.compile(model, backend=backend)(x), model(x)))
torch.compiler.reset()
