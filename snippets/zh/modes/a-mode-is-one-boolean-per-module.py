class Module:
    def __init__(self, *children):
        self.children, self.training = children, True

    def train(self, mode=True):
        self.training = mode
        for child in self.children:
            child.train(mode)
        return self

    def eval(self):
        return self.train(False)


class EveryOther(Module):  # 不靠随机的 dropout：丢掉一半，其余翻倍
    def __call__(self, values):
        if not self.training:
            return values
        return [2 * value * (i % 2) for i, value in enumerate(values)]


drop = EveryOther()
model = Module(Module(), drop)
print(drop([1, 1, 1, 1]))
model.eval()
print(drop([1, 1, 1, 1]), drop.training)
