class Owner:
    def __init__(self):
        self.parameters = {}
        self.buffers = {}
        self.not_saved = set()  # 缓冲区的名字

    def register_buffer(self, name, value, persistent=True):
        self.buffers[name] = value
        if not persistent:
            self.not_saved.add(name)

    def trained(self):
        return list(self.parameters)

    def saved(self):
        return [
            name
            for name in {**self.parameters, **self.buffers}
            if name not in self.not_saved
        ]

    def moved(self):
        return [*self.parameters, *self.buffers]


owner = Owner()
owner.parameters["weight"] = 0.5
owner.register_buffer("running_mean", 0.0)
owner.register_buffer("mask", [1, 0], persistent=False)
print("trained:", owner.trained())
print("saved:  ", owner.saved())
print("moved:  ", owner.moved())
