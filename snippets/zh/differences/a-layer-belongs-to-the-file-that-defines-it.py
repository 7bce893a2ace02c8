from torch import fx, nn


class Mine(nn.Module):
    def forward(self, x):
        return x * 2


model = nn.Sequential(nn.Linear(2, 2), Mine(), nn.ReLU())
tracer = fx.Tracer()
for name, child in model.named_children():
    in_torch = type(child).__module__.startswith("torch.nn")
    print(name, "in torch.nn:", in_torch, "leaf:", tracer.is_leaf_module(child, name))
print([node.op for node in fx.symbolic_trace(model).graph.nodes])
