import torch
from torch import nn

wte, lm_head = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
wte.weight = lm_head.weight
tied = lm_head.weight

wte.weight = nn.Parameter(torch.zeros(10, 4))
print("the head has the old one:", lm_head.weight is tied)
print("still tied:", lm_head.weight is wte.weight)

lm_head.weight = wte.weight
with torch.no_grad():
    wte.weight.fill_(1.0)
print("the head sees a change in place:", lm_head.weight.eq(1).all().item())
