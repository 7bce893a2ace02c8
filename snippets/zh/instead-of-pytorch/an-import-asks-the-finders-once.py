import sys


class Recorder:
    asked = []

    def find_spec(self, name, path, target=None):
        self.asked.append(name)


sys.modules.pop("colorsys", None)
sys.meta_path.insert(0, Recorder())
import colorsys

print(Recorder.asked)
import colorsys

print(Recorder.asked)
del sys.meta_path[0], sys.modules["colorsys"]
