from torch import nn


def start_at_zero(module, state_dict, prefix, *rest):
    state_dict.setdefault(prefix + "_extra_state", {"count": 0})


class Counted(nn.Linear):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.count = None
        self.register_load_state_dict_pre_hook(start_at_zero)

    def get_extra_state(self):
        return {"count": self.count}

    def set_extra_state(self, state):
        self.count = state["count"]


model = nn.Sequential(Counted(1, 1))
print(model.load_state_dict(nn.Sequential(nn.Linear(1, 1)).state_dict()))
print("count:", model[0].count)
