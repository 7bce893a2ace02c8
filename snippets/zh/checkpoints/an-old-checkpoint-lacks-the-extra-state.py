from torch import nn


class Counted(nn.Linear):
    count = 0

    def get_extra_state(self):
        return {"count": self.count}

    def set_extra_state(self, state):
        self.count = state["count"]


before = nn.Sequential(nn.Linear(1, 1))
after = nn.Sequential(Counted(1, 1))
for model, checkpoint in ((after, before.state_dict()), (before, after.state_dict())):
    try:
        model.load_state_dict(checkpoint)
    except RuntimeError as error:
        for line in f"{type(error).__name__}: {error}".splitlines():
            print(line.strip())
