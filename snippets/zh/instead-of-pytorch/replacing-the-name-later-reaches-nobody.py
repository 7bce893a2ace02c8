from torch import nn

original = nn.Module


class Mine:
    pass


nn.Module = Mine
try:
    print(issubclass(nn.Linear, nn.Module), isinstance(nn.Linear(1, 1), original))

    class Net(nn.Module):
        pass

    print(Net.__mro__[1].__name__)
    nn.Sequential(Net())
except TypeError:
    print("Sequential refuses it")
finally:
    nn.Module = original
