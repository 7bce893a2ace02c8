import re
from pathlib import Path

import torch

READERS = {
    "_parameters": "nn/utils/parametrize.py",
    "_buffers": "distributed/tensor/_api.py",
    "_modules": "nn/parallel/replicate.py",
    "_forward_hooks": "jit/_recursive.py",
    "_non_persistent_buffers_set": "jit/_recursive.py",
    "_apply": "distributed/fsdp/fully_sharded_data_parallel.py",
    "_call_impl": "jit/_script.py",
    "_load_from_state_dict": "nn/modules/batchnorm.py",
    "_IncompatibleKeys": "distributed/checkpoint/state_dict.py",
    "_addindent": "nn/modules/container.py",
}
installed = Path(torch.__file__).parent
for name, file in READERS.items():
    lines = (installed / file).read_text(encoding="utf-8").splitlines()
    found = any(re.search(rf"\b{name}\b", line) for line in lines)
    print(f"{name:28}{found}  torch/{file}")
