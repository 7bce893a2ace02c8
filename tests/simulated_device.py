"""Register a simulated accelerator with torch, so that a machine without a GPU finds what would fail on one.

    import simulated_device; simulated_device.register()
    torch.ones(2, device="sim")

A tensor on the device `sim` is a plain torch.Tensor whose storage says `sim:0`. Its bytes lie in ordinary memory, and
each operation is computed there by the kernel for the CPU. What it has of an accelerator is what programs fall over: a
tensor on the CPU beside one on the device is refused with PyTorch's own words, values come back by a copy only, and a
generator of the CPU does not draw for the device. It needs torch 2.12 or newer.
"""

import functools

import torch
from torch.utils import _pytree as pytree

NAME = "sim"
CPU = torch.device("cpu")
KEPT: list[tuple[int, torch.Tensor]] = []  # weak references to storages, with what holds their bytes
LIBRARIES: list[torch.library.Library] = []  # a registration ends with its library

# A CPU tensor may stand beside one on the device here: it is an index, or it is what is copied.
MIXES = {
    *("aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index"),
    *("aten::copy_", "aten::_copy_from", "aten::_copy_from_and_resize"),
}
# torch asks for the second instead of the first on a device that it doesn't know.
INSTEAD = {
    "convolution_overrideable": torch.ops.aten.convolution.default,
    "convolution_backward_overrideable": torch.ops.aten.convolution_backward.default,
}


class Backend:
    """Answer what torch asks of a device's module, as `torch.cuda` does."""

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return True

    def device_count(self) -> int:
        return 1

    def current_device(self) -> int:
        return 0

    def set_device(self, device: object) -> None:
        pass

    def synchronize(self, device: object = None) -> None:
        pass

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed(self, seed: int) -> None:
        torch.random.default_generator.manual_seed(seed)

    manual_seed_all = manual_seed

    def get_rng_state(self, device: object = None) -> torch.Tensor:
        return torch.random.default_generator.get_state()

    def set_rng_state(self, state: torch.Tensor, device: object = None) -> None:
        torch.random.default_generator.set_state(state)

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]


def is_simulated(value: object) -> bool:
    """Say whether a value is a tensor on the device."""
    return isinstance(value, torch.Tensor) and value.device.type == NAME


def storage_over(values: torch.Tensor) -> torch.UntypedStorage:
    """Return a storage of the device over the bytes of a CPU tensor, which it keeps alive."""
    if len(KEPT) >= 1000 and len(KEPT) % 1000 == 0:
        forget_bytes_of_dead_storages()
    own = values.untyped_storage()
    made = torch._C._construct_storage_from_data_pointer(own.data_ptr(), torch.device(NAME, 0), own.nbytes())
    KEPT.append((made._weak_ref(), values))
    return made


def forget_bytes_of_dead_storages() -> None:
    """Let go of the memory of tensors that are no more."""
    kind = torch.UntypedStorage
    dead = [storage for storage, _ in KEPT if kind._expired(storage)]
    gone = set(dead)
    KEPT[:] = [(storage, values) for storage, values in KEPT if storage not in gone]
    for storage in dead:
        kind._free_weak_ref(storage)


def on_device(values: torch.Tensor, storages: dict[int, torch.UntypedStorage]) -> torch.Tensor:
    """Return a tensor of the device over a CPU tensor's bytes: of an input's storage, where it is a view of that."""
    address = values.untyped_storage().data_ptr()
    storage = (address and storages.get(address)) or storage_over(values)
    made = torch._C._acc.create_empty_tensor((0,), values.dtype)
    return set_storage(made, storage, values.storage_offset(), values.size(), values.stride())


def set_storage(tensor, storage, offset, size, stride=()):
    """Give a tensor of the device a storage; the CPU's kernel does it for any device."""
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
    return torch.ops.aten.set_.source_Storage_storage_offset.redispatch(keys, tensor, storage, offset, size, stride)


def set_whole_storage(tensor, storage):
    """Give a tensor of the device all of a storage."""
    return set_storage(tensor, storage, 0, (storage.nbytes() // tensor.element_size(),), (1,))


def in_memory(tensor: torch.Tensor) -> torch.Tensor:
    """Return a CPU tensor over the same bytes."""
    own = tensor.untyped_storage()
    storage = torch._C._construct_storage_from_data_pointer(own.data_ptr(), CPU, own.nbytes())
    return torch.empty(0, dtype=tensor.dtype, device=CPU).set_(
        storage, tensor.storage_offset(), tensor.size(), tensor.stride()
    )


def refuse_mixed_devices(operator: torch._ops.OpOverload, tensors: list[torch.Tensor]) -> None:
    """Refuse a CPU tensor with dimensions beside one on the device, in PyTorch's words."""
    others = [tensor for tensor in tensors if not is_simulated(tensor) and tensor.dim()]
    if others and len(others) < len(tensors) and operator._schema.name not in MIXES:
        first = f"{NAME}:0" if is_simulated(tensors[0]) else "cpu"
        second = "cpu" if first != "cpu" else f"{NAME}:0"
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {first} and {second}!"
        )


def compute(operator, *arguments, **options):
    """Run any operation of torch: on the same bytes, by the kernel for the CPU."""
    given, structure = pytree.tree_flatten((arguments, options))
    tensors = [value for value in given if isinstance(value, torch.Tensor)]
    refuse_mixed_devices(operator, tensors)
    generator, device = options.get("generator"), options.get("device")
    if generator is not None and generator.device.type != NAME:
        raise RuntimeError(f"Expected a '{NAME}' device type for generator but found '{generator.device.type}'")
    to_device = any(map(is_simulated, tensors)) if device is None else torch.device(device).type == NAME
    outputs = [options[argument.name] for argument in operator._schema.arguments if argument.is_out]
    if operator._schema.name == "aten::resize_":
        outputs = [arguments[0]]
    storages, originals = {}, {}
    for place, value in enumerate(given):
        if is_simulated(value):
            values = in_memory(value)
            storages[values.untyped_storage().data_ptr()] = value.untyped_storage()
            if any(value is output for output in outputs):
                values = values.clone()  # it may have to grow, which a storage of ours can't
            given[place] = values
            originals[id(values)] = value, values
        elif isinstance(value, torch.device) and value.type == NAME:
            given[place] = CPU
    arguments, options = pytree.tree_unflatten(given, structure)
    if operator._schema.name.startswith("aten::_copy_from"):  # from the first to the second
        result = arguments[1].copy_(arguments[0])
    else:
        result = operator(*arguments, **options)
    for original, values in originals.values():
        grown = any(original is output for output in outputs)
        if grown and values.size() == original.size():
            in_memory(original).copy_(values)
        elif grown or values.size() != original.size() or values.stride() != original.stride():
            storage = storages.get(values.untyped_storage().data_ptr()) or storage_over(values)
            set_storage(original, storage, values.storage_offset(), values.size(), values.stride())

    def give_back(value):
        if not isinstance(value, torch.Tensor) or is_simulated(value):
            return value
        if id(value) in originals:
            return originals[id(value)][0]
        return on_device(value, storages) if to_device else value

    return pytree.tree_map(give_back, result)


def compute_convolution(operator, *arguments):
    """Run a convolution, or its backward, which is told of the sizes of the bias besides."""
    if operator is torch.ops.aten.convolution_backward.default:
        sizes = [arguments[2].size(1 if arguments[6] else 0) * (arguments[8] if arguments[6] else 1)]
        arguments = (*arguments[:3], sizes, *arguments[3:])
    return compute(operator, *arguments)


def copy_to_device(storage: torch.UntypedStorage) -> torch.UntypedStorage:
    """Copy a storage, of either device, to the device."""
    over = torch._C._construct_storage_from_data_pointer(storage.data_ptr(), CPU, storage.nbytes())
    return storage_over(torch.empty(0, dtype=torch.uint8, device=CPU).set_(over, 0, (storage.nbytes(),)).clone())


def teach_storages() -> None:
    """Let a deep copy and torch.load copy storages to the device, which has no allocator to ask for one."""
    kind = torch.UntypedStorage
    clone, to = kind.clone, kind.to

    def move(self, *, device, non_blocking=False):
        there = torch.device(device).type == NAME != self.device.type
        return copy_to_device(self) if there else to(self, device=device, non_blocking=non_blocking)

    kind.clone = lambda self: copy_to_device(self) if self.device.type == NAME else clone(self)
    kind.to = move


def register() -> None:
    """Make the device known to torch, once in a process."""
    if LIBRARIES:
        return
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

    _setup_privateuseone_for_python_backend(NAME, backend_module=Backend())
    everything, aten = torch.library.Library("_", "IMPL"), torch.library.Library("aten", "IMPL")
    LIBRARIES.extend((everything, aten))
    everything.fallback(torch._disable_dynamo(compute), "PrivateUse1")  # an operation is none of what it compiles
    aten.impl("set_.source_Storage_storage_offset", torch._disable_dynamo(set_storage), "PrivateUse1")
    aten.impl("set_.source_Storage", torch._disable_dynamo(set_whole_storage), "PrivateUse1")
    for name, operator in INSTEAD.items():
        aten.impl(name, torch._disable_dynamo(functools.partial(compute_convolution, operator)), "PrivateUse1")
    teach_storages()
