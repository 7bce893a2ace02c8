import torch.nn.functional as F
from torch import fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(2, 1)
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.out(F.relu(self.fc(x)))


for node in fx.symbolic_trace(Net()).graph.nodes:
    print(f"{node.op:13} {node.name}")
print(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
