import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook


class Log(nn.Module):
    def forward(self, x):
        return torch.log(x)


def refuse_nan(module, args, result):
    if isinstance(result, torch.Tensor) and result.isnan().any():
        name, clean = type(module).__name__, not args[0].isnan().any()
        raise FloatingPointError(f"NaN from {name}, its input was clean: {clean}")


net = nn.Sequential(nn.Identity(), Log(), nn.Softmax(dim=0))
with register_module_forward_hook(refuse_nan):
    try:
        net(torch.tensor([1.0, -1.0]))
    except FloatingPointError as error:
        print(error)

print("without the hook:", net(torch.tensor([1.0, -1.0])).tolist())
