"""Define nn.Module: three registries, a forward that you write, and hooks around the call.

A Module does no mathematics. It files what is assigned to it (Parameters, buffers, child Modules), walks what it has
filed, and calls `forward` with hooks on both sides. Tensors compute; autograd differentiates.

The file reads top to bottom. Each section is a chapter of the course, and cut after any section it still imports and
does what the chapters so far teach. Names that begin with an underscore are not free: torch reads these from the file

    _addindent  _EXTRA_STATE_KEY_SUFFIX  _IncompatibleKeys  _WrappedHook  _grad_t  T  _has_any_global_hook
    _forward_unimplemented  and each `_global_…` table

these from an instance

    _parameters  _buffers  _modules  _non_persistent_buffers_set  each `_…_hooks…` table  _is_full_backward_hook
    _compiled_call_impl  _is_replica

and these from the class

    _version  dump_patches  call_super_init  T_destination  forward  __annotations__  _apply  _call_impl
    _wrapped_call_impl  _slow_forward  _named_members  _save_to_state_dict  _load_from_state_dict  _get_name
    _register_state_dict_hook  _register_load_state_dict_pre_hook  _get_backward_hooks  _get_backward_pre_hooks
    _maybe_warn_non_full_backward_hook  _replicate_for_data_parallel

Source: torch.nn.modules.module, torch 2.13.
"""

import functools
import inspect
import warnings
import weakref
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Optional, Self, TypeVar, Union

import torch
from torch import Tensor
from torch.nn.parameter import Buffer, Parameter, is_lazy
from torch.utils._python_dispatch import is_traceable_wrapper_subclass
from torch.utils.hooks import BackwardHook, RemovableHandle

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

_grad_t = tuple[Tensor, ...] | Tensor
T = TypeVar("T", bound="Module")
_EXTRA_STATE_KEY_SUFFIX = "_extra_state"

# Hooks on every Module of the process. An OrderedDict, not a dict: a handle holds its table by weak reference.
_global_buffer_registration_hooks: dict[int, Callable] = OrderedDict()
_global_module_registration_hooks: dict[int, Callable] = OrderedDict()
_global_parameter_registration_hooks: dict[int, Callable] = OrderedDict()
_global_backward_pre_hooks: dict[int, Callable] = OrderedDict()
_global_backward_hooks: dict[int, Callable] = OrderedDict()
_global_is_full_backward_hook: bool | None = None
_global_forward_pre_hooks: dict[int, Callable] = OrderedDict()
_global_forward_hooks: dict[int, Callable] = OrderedDict()
_global_forward_hooks_always_called: dict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: dict[int, bool] = OrderedDict()


def _has_any_global_hook():
    tables = (_global_backward_pre_hooks, _global_backward_hooks, _global_forward_pre_hooks, _global_forward_hooks)
    return any(tables) or any((_global_forward_hooks_always_called, _global_forward_hooks_with_kwargs))


def _add_hook(hooks, hook, prepend=False, marks=()):
    # `marks` are (table, wanted) pairs: the tables say which hooks are special, and forget a hook with its handle.
    handle = RemovableHandle(hooks, extra_dict=[table for table, _ in marks])
    hooks[handle.id] = hook
    for table, wanted in marks:
        if wanted:
            table[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle




def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, buffer)` whenever any Module files a buffer; what it returns is filed instead."""
    return _add_hook(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, child)` whenever any Module files a child; what it returns is filed instead."""
    return _add_hook(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, parameter)` whenever any Module files a Parameter; what it returns is filed instead."""
    return _add_hook(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, args)` before every forward of every Module, and before the Module's own hooks."""
    return _add_hook(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook: Callable, *, with_kwargs: bool = False, always_call: bool = False):
    """Call `hook(module, args, output)` after every forward of every Module, and before the Module's own hooks."""
    handle = _add_hook(_global_forward_hooks, hook, marks=((_global_forward_hooks_always_called, always_call),))
    if with_kwargs:  # not among the marks: PyTorch's handle leaves this one behind as well
        _global_forward_hooks_with_kwargs[handle.id] = True
    return handle


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """Call a legacy backward hook for every Module; prefer register_module_full_backward_hook.

    Raises:
        RuntimeError: if a global full backward hook was registered before.
    """
    return _add_global_backward_hook(hook, full=False)


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the gradients of any Module's inputs are computed."""
    return _add_hook(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` once the gradients of any Module's inputs are computed.

    Raises:
        RuntimeError: if a global legacy backward hook was registered before.
    """
    return _add_global_backward_hook(hook, full=True)


def _refuse_other_kind(registered, full, where):
    if registered is not None and registered != full:  # None: there is no backward hook of either kind yet
        raise RuntimeError(
            f"Cannot use both regular backward hooks and full backward hooks {where}. Please use only one of them."
        )


def _add_global_backward_hook(hook, full):
    global _global_is_full_backward_hook
    _refuse_other_kind(_global_is_full_backward_hook, full, "as a global Module hook")
    _global_is_full_backward_hook = full
    return _add_hook(_global_backward_hooks, hook)


class _WrappedHook:
    """Hold a hook and, where it is wanted as the hook's first argument, its Module by weak reference."""

    def __init__(self, hook: Callable, module: Optional["Module"] = None) -> None:
        self.hook: Callable = hook
        functools.update_wrapper(self, hook)
        self.with_module: bool = module is not None
        if module is not None:
            self.module: weakref.ReferenceType[Module] = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    # A weak reference can't be copied or pickled. The Module itself can, so a copied Module's hooks get the copy.
    def __getstate__(self) -> dict:
        state = {"hook": self.hook, "with_module": self.with_module}
        return {**state, "module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict):
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """Name the keys that load_state_dict did not find and those that it did not want."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


# What every Module has from the start besides `training`, in the order of vars(module), and what makes it.
_FIELDS: dict[str, Callable] = {
    **dict.fromkeys(("_parameters", "_buffers"), dict),
    "_non_persistent_buffers_set": set,
    **dict.fromkeys(("_backward_pre_hooks", "_backward_hooks"), OrderedDict),
    "_is_full_backward_hook": lambda: None,
    **dict.fromkeys(("_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called"), OrderedDict),
    **dict.fromkeys(("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"), OrderedDict),
    **dict.fromkeys(("_state_dict_hooks", "_state_dict_pre_hooks"), OrderedDict),
    **dict.fromkeys(("_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"), OrderedDict),
    "_modules": dict,
}
_LATER_FIELDS = (  # in the order in which __setstate__ adds them, which vars(module) shows
    *("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs"),
    *("_forward_hooks_always_called", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks"),
    *("_load_state_dict_post_hooks", "_non_persistent_buffers_set", "_is_full_backward_hook", "_backward_pre_hooks"),
)


_OWN: dict[str, Any] = {}  # Module's methods as they are made; filled where the class ends


def _is_own(module, method):
    # Whether a call reaches the method made here, not that of a subclass, of the instance, or put onto Module later.
    return getattr(type(module), method, None) is _OWN.get(method, _OWN) and method not in module.__dict__


def _cannot_assign(value, expected):
    return TypeError(f"cannot assign '{torch.typename(value)}' {expected}")


def _check_name(module, registry, kind, name):
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {torch.typename(name)}")
    unfit = None
    if "." in name:
        unfit = f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else "")
    elif name == "":
        unfit = f'{kind} name can\'t be empty string ""'
    if unfit and kind != "module":
        raise KeyError(unfit)
    if _is_taken(module, name) and name not in registry:
        raise KeyError(f"attribute '{name}' already exists")
    if unfit:  # add_module asks the instance before it looks at the name itself
        raise KeyError(unfit)


def _is_taken(module, name):
    if not _is_own(module, "__getattr__") or hasattr(type(module), name):
        return hasattr(module, name)
    # Nobody else is to be asked: the instance has the name in its dictionaries, or not at all.
    return name in module.__dict__ or _is_filed(module, name)


def _is_filed(module, name):
    return any(name in module.__dict__.get(registry, ()) for registry in ("_parameters", "_buffers", "_modules"))


def _check_initialised(registry, kind):
    if registry is None:
        raise AttributeError(f"cannot assign {kind} before Module.__init__() call")


def _file_parameter(module, name, parameter):
    if parameter.grad_fn:
        raise ValueError(
            f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
            f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
        )
    module._parameters[name] = _run_registration_hooks(_global_parameter_registration_hooks, module, name, parameter)


def _run_registration_hooks(hooks, module, name, value):
    for hook in hooks.values():
        replacement = hook(module, name, value)
        if replacement is not None:
            value = replacement
    return value


def _remove_name(module, name, *registries):
    for names in (module.__dict__, *registries):
        if name in names:
            del names[name]
    module._non_persistent_buffers_set.discard(name)


def _assign_buffer(module, name, value):
    # A plain tensor put into a buffer's place keeps the place's persistence.
    persistent = value.persistent if isinstance(value, Buffer) else name not in module._non_persistent_buffers_set
    if _is_own(module, "register_buffer") or "persistent" in inspect.signature(module.register_buffer).parameters:
        module.register_buffer(name, value, persistent)
    elif persistent:
        module.register_buffer(name, value)
    else:
        raise RuntimeError(
            "Registering a non-persistent buffer on a Module subclass that implements "
            "register_buffer() without the persistent argument is not allowed."
        )




def _walk_below(module, memo, prefix, remove_duplicate):
    # A Module without children gets no generator of its own.
    for name, child in module._modules.items():
        if child is None:
            continue
        path = prefix + ("." if prefix else "") + name
        if not _is_own(child, "named_modules"):
            yield from child.named_modules(memo, path, remove_duplicate)
        elif child not in memo:
            if remove_duplicate:
                memo.add(child)
            yield path, child
            if child._modules:
                yield from _walk_below(child, memo, path, remove_duplicate)




def _children(module):
    # What module.children() gives; most Modules have none, and need no generator to say so.
    if not (_is_own(module, "children") and _is_own(module, "named_children")):
        return module.children()
    return (child for _, child in module.named_children()) if module._modules else ()


def _get_existing(module, name):
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)




def _ensure(holds, what):
    if not holds:  # no assert: `python -O` would drop it
        raise AssertionError(what)


def _how_to_keep(old, new):
    # Whether `new` can be put into the object `old` as its data, and whether the two have to be swapped instead.
    overwrite = torch.__future__.get_overwrite_module_params_on_conversion()
    swap = torch.__future__.get_swap_module_params_on_conversion()
    if new is old and isinstance(old, Tensor) and not overwrite and not swap:  # the rest is expensive to ask
        return True, False
    FakeTensor = torch._subclasses.FakeTensor
    can_set = torch._has_compatible_shallow_copy_type(old, new) and not isinstance(new, FakeTensor) and not overwrite
    return can_set, swap or is_traceable_wrapper_subclass(new) or isinstance(old, FakeTensor)


def _apply_to_parameter(module, name, parameter, fn):
    moved = fn(parameter)
    can_set, swap = _how_to_keep(parameter, moved)
    gradient = parameter.grad
    # The optimizer and the tied names hold this Parameter object: keep it, and change what is in it.
    if swap:
        try:
            parameter.grad = None  # another holder of the gradient would forbid to swap
            moved = Parameter(moved, requires_grad=parameter.requires_grad)
            torch.utils.swap_tensors(parameter, moved)
        except Exception as error:
            parameter.grad = gradient
            raise RuntimeError(f"_apply(): Couldn't swap {module._get_name()}.{name}") from error
    elif can_set:
        if moved is not parameter:
            parameter.data = moved
    else:  # another kind of tensor, as from or to the meta device: only a new Parameter can hold it
        _ensure(isinstance(parameter, Parameter), "param must be a Parameter")
        _ensure(parameter.is_leaf, "param must be a leaf tensor")
        parameter = module._parameters[name] = Parameter(moved, parameter.requires_grad)
    if gradient is not None:
        _apply_to_gradient(parameter, gradient, fn, f"{module._get_name()}.{name}.grad" if swap else None)




def _apply_to_gradient(parameter, gradient, fn, swap_as):
    moved = fn(gradient)
    can_set, _ = _how_to_keep(gradient, moved)
    if swap_as is not None:
        moved.requires_grad_(gradient.requires_grad)
        try:
            torch.utils.swap_tensors(gradient, moved)
        except Exception as error:
            raise RuntimeError(f"_apply(): Couldn't swap {swap_as}") from error
        parameter.grad = gradient
    elif can_set:
        _ensure(parameter.grad is not None, "out_param.grad must not be None")
        parameter.grad.data = moved
    else:
        _ensure(gradient.is_leaf, "param_grad must be a leaf tensor")
        parameter.grad = moved.requires_grad_(gradient.requires_grad)




def _load_tree(module, state, prefix, metadata, assign, found):
    local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = assign
    # strict is always True here, so that the keys are collected; load_state_dict decides what they lead to.
    module._load_from_state_dict(state, prefix, local_metadata, True, *found)
    below: dict[str, dict] = {}  # each child's keys, found in one pass: a pass for each child would be quadratic
    start = len(prefix)
    for key, value in state.items():
        dot = key.find(".", start)
        if dot >= 0 and key.startswith(prefix):
            below.setdefault(key[start:dot], {})[key] = value
    for name, child in module._modules.items():
        if child is not None:
            path = prefix + name + "."
            inside = below.get(name, {})
            if "." in name:  # an assignment files a Module under any name
                inside = {key: value for key, value in state.items() if key.startswith(path)}
            _load_tree(child, inside, path, metadata, assign, found)
    incompatible_keys = _IncompatibleKeys(*found[:2])
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, incompatible_keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace."
            )


def _quoted(keys):
    return ", ".join(f'"{key}"' for key in keys)


def _load_tensor(module, name, current, key, value, assign, errors):
    if not torch.overrides.is_tensor_like(value):
        errors.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        )
        return
    if not is_lazy(current):  # a lazy Parameter has no shape yet
        if len(current.shape) == 0 and len(value.shape) == 1 and value.shape[0] == 1:
            value = value[0]  # torch 0.3 saved a number as a tensor of one element
        if value.shape != current.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                f"the shape in current model is {current.shape}."
            )
            return
    if current.is_meta and not value.is_meta and not assign:
        warnings.warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, "
            "which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their "
            "corresponding key in the module instead of copying them in place?)",
            stacklevel=3,
        )
    swap = torch.__future__.get_swap_module_params_on_conversion()
    try:
        if swap:
            _load_by_swapping(current, value, assign)
        elif assign:
            value = _as_parameter(value, current) if isinstance(current, Parameter) else value
            setattr(module, name, value)
        else:
            current.copy_(value)
    except Exception as error:
        errors.append(
            f'While {"swapping" if swap else "copying"} the parameter named "{key}", whose dimensions in the model are '
            f"{current.size()} and whose dimensions in the checkpoint are {value.size()}, "
            f"an exception occurred : {error.args}."
        )


def _as_parameter(value, current):
    # The model decides whether to train it, not the checkpoint.
    if isinstance(value, Parameter):
        return value.requires_grad_(current.requires_grad)
    return Parameter(value, requires_grad=current.requires_grad)


def _load_by_swapping(current, value, assign):
    loaded = current.module_load(value, assign=assign)
    if loaded is value or loaded is current:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() "
            "the result if returning one of the inputs in module_load"
        )
    torch.utils.swap_tensors(current, _as_parameter(loaded, current) if isinstance(current, Parameter) else loaded)




def _is_tuple_of_tensors(value):
    return isinstance(value, tuple) and all(isinstance(item, Tensor) for item in value)


def _legacy_hook_problem(inputs, outputs, grad_fn):
    # A legacy hook sits on one autograd node. Say so where the Module's work has more nodes, or none to be found.
    outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
    inputs = (inputs,) if isinstance(inputs, Tensor) else inputs
    advice = " Please use register_full_backward_hook to get the documented behavior."
    text = "Using {} is deprecated and will be removed in future versions. This hook will be missing some {}."
    if not _is_tuple_of_tensors(outputs):
        what = "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors"
        return text.format(what, "of the grad_output") + advice
    if not _is_tuple_of_tensors(inputs):
        what = "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors"
        return text.format(what, "of the grad_input") + advice
    nodes = {output.grad_fn for output in outputs if output.grad_fn is not None}
    if not nodes or (len(nodes) == 1 and grad_fn not in nodes):
        return text.format("a non-full backward hook when outputs are nested in python data structure", "grad_output")
    if len(nodes) > 1:
        what = "a non-full backward hook when outputs are generated by different autograd Nodes"
        return text.format(what, "grad_output") + advice
    if {item.grad_fn for item in inputs if item.grad_fn is not None} != {node for node, _ in grad_fn.next_functions}:
        what = "a non-full backward hook when the forward contains multiple autograd Nodes"
        return text.format(what, "grad_input") + advice
    return None




class _Call:
    """Keep what one call has reached, so that hooks which must run after an exception see it."""

    def __init__(self, args, kwargs):
        self.args, self.kwargs, self.result = args, kwargs, None
        self.called: tuple[int, ...] = ()  # those of the always-called hooks that have had their turn


def _run_forward_pre_hooks(module, call):
    for hook_id, hook in (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
        if hook_id in module._forward_pre_hooks_with_kwargs:
            replacement = hook(module, call.args, call.kwargs)
            if isinstance(replacement, tuple) and len(replacement) == 2:
                call.args, call.kwargs = replacement
            elif replacement is not None:
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replacement}."
                )
        else:
            replacement = hook(module, call.args)
            if replacement is not None:
                call.args = replacement if isinstance(replacement, tuple) else (replacement,)


def _run_forward_hooks(module, call):
    for hook_id, hook in (*_global_forward_hooks.items(), *module._forward_hooks.items()):
        if hook_id in module._forward_hooks_always_called or hook_id in _global_forward_hooks_always_called:
            call.called = (*call.called, hook_id)
        if hook_id in module._forward_hooks_with_kwargs or hook_id in _global_forward_hooks_with_kwargs:
            hook_result = hook(module, call.args, call.kwargs, call.result)
        else:
            hook_result = hook(module, call.args, call.result)
        if hook_result is not None:
            call.result = hook_result


def _tables_of_always_called(module):
    # One after the other: a Module that lacks its tables fails after the global hooks have run. After an exception a
    # global hook gets no kwargs, even if it asked for them: so it is in PyTorch.
    yield "global module", _global_forward_hooks, _global_forward_hooks_always_called, ()
    yield "module", module._forward_hooks, module._forward_hooks_always_called, module._forward_hooks_with_kwargs


def _run_always_called_hooks(module, call):
    for kind, hooks, always_called, with_kwargs in _tables_of_always_called(module):
        for hook_id, hook in hooks.items():
            if hook_id not in always_called or hook_id in call.called:
                continue
            try:
                kwargs = (call.kwargs,) if hook_id in with_kwargs else ()
                hook_result = hook(module, call.args, *kwargs, call.result)
                if hook_result is not None:
                    call.result = hook_result
            except Exception as error:
                warnings.warn(
                    f"{kind} forward hook with ``always_call=True`` raised an exception that was silenced "
                    f"as another error was raised in forward: {error}",
                    stacklevel=3,
                )


def _first_tensor(result):
    while not isinstance(result, Tensor):
        of_dict = isinstance(result, dict)
        result = next(value for value in result.values() if isinstance(value, Tensor)) if of_dict else result[0]
    return result




def _addindent(s_, numSpaces):
    first, *rest = s_.split("\n")
    return "\n".join([first, *[" " * numSpaces + line if line.strip() else "" for line in rest]])




def _forward_unimplemented(self, *input: Any) -> None:
    """Stand where a subclass puts its computation."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')




# The helpers stand above the class, not in it: a name in the class is one that a subclass may take, torch.compile looks
# at, and a ScriptModule refuses.
class Module:
    """Hold Parameters, buffers and child Modules, and call `forward` with hooks around it.

    Source: torch.nn.Module, torch 2.13.
    """

    dump_patches: bool = False
    _version: int = 1
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _backward_pre_hooks: dict[int, Callable]
    _backward_hooks: dict[int, Callable]
    _is_full_backward_hook: bool | None
    _forward_hooks: dict[int, Callable]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _forward_pre_hooks: dict[int, Callable]
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _state_dict_hooks: dict[int, Callable]
    _load_state_dict_pre_hooks: dict[int, Callable]
    _state_dict_pre_hooks: dict[int, Callable]
    _load_state_dict_post_hooks: dict[int, Callable]
    _modules: dict[str, Optional["Module"]]
    call_super_init: bool = False
    _compiled_call_impl: Callable | None = None

    # A value and not a method, so that a subclass's forward may take any arguments.
    forward: Callable[..., Any] = _forward_unimplemented

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the registries and the hook tables, all empty.

        Raises:
            TypeError: if given arguments, unless the class sets `call_super_init`, which passes them on.
        """
        torch._C._log_api_usage_once("python.nn_module")
        if self.call_super_init is False and (args or kwargs):
            unexpected = f"got an unexpected keyword argument '{next(iter(kwargs), None)}'"
            problem = unexpected if kwargs else f"takes 1 positional argument but {len(args) + 1} were given"
            raise TypeError(f"{type(self).__name__}.__init__() {problem}")
        # Around our own __setattr__, which looks into the registries made here. A subclass may have made it a property.
        super().__setattr__("training", True)
        fields = self.__dict__
        for field, make in _FIELDS.items():
            fields[field] = make()
        if self.call_super_init:
            super().__init__(*args, **kwargs)


    def __setattr__(self, name: str, value: Union[Tensor, "Module"]) -> None:
        fields = self.__dict__
        parameters, children, buffers = fields.get("_parameters"), fields.get("_modules"), fields.get("_buffers")
        is_tensor = isinstance(value, Tensor)  # asked first: the checks for Parameter and Buffer run Python code
        if is_tensor and isinstance(value, Parameter):
            _check_initialised(parameters, "parameters")
            _remove_name(self, name, self._buffers, self._modules)
            if name in self._parameters and _is_own(self, "register_parameter") and _is_own(self, "__getattr__"):
                _file_parameter(self, name, value)  # the name is known to be good, and nobody else wants to be asked
            else:
                self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise _cannot_assign(value, f"as parameter '{name}' (torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif (is_child := isinstance(value, Module)) or (children is not None and name in children):
            if is_child:
                _check_initialised(children, "module")
                _remove_name(self, name, self._parameters, self._buffers)
            elif value is not None:
                raise _cannot_assign(value, f"as child module '{name}' (torch.nn.Module or None expected)")
            children[name] = _run_registration_hooks(_global_module_registration_hooks, self, name, value)
        elif (buffers is not None and name in buffers) or (is_tensor and isinstance(value, Buffer)):
            if value is not None and not torch.overrides.is_tensor_like(value):
                raise _cannot_assign(value, f"as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)")
            _assign_buffer(self, name, value)
        else:
            super().__setattr__(name, value)


    def __getattr__(self, name: str) -> Union[Tensor, "Module"]:
        # Python comes here only where the usual look-up found nothing: a registered name is not in __dict__.
        fields = self.__dict__
        if "_parameters" in fields:
            parameters = fields["_parameters"]
            if name in parameters:
                return parameters[name]
        if "_buffers" in fields:
            buffers = fields["_buffers"]
            if name in buffers:
                return buffers[name]
        if "_modules" in fields:
            children = fields["_modules"]
            if name in children:
                return children[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


    def __delattr__(self, name) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """File `param` under `name`; None keeps the place.

        Raises:
            AttributeError: before `super().__init__()`.
            KeyError: if the name is empty, has a dot, or is taken by another attribute.
            TypeError: if the name is not a string, or `param` not a Parameter.
            ValueError: if `param` was computed from other tensors: autograd would not stop at it.
        """
        _check_initialised(self.__dict__.get("_parameters"), "parameter")
        _check_name(self, self._parameters, "parameter", name)
        if param is None:
            self._parameters[name] = None
        elif isinstance(param, Parameter):
            _file_parameter(self, name, param)
        else:
            raise _cannot_assign(param, f"object to parameter '{name}' (torch.nn.Parameter or None required)")


    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """File `tensor` under `name` as state that moves with the Module and gets no gradient.

        Args:
            persistent: whether it is part of the state_dict.

        Raises:
            AttributeError: before `super().__init__()`.
            KeyError: if the name is empty, has a dot, or is taken by another attribute.
            TypeError: if the name is not a string, or `tensor` not a tensor.
        """
        if persistent is False and isinstance(self, torch.jit.ScriptModule):
            raise RuntimeError("ScriptModule does not support non-persistent buffers")
        _check_initialised(self.__dict__.get("_buffers"), "buffer")
        _check_name(self, self._buffers, "buffer", name)
        if tensor is not None and not torch.overrides.is_tensor_like(tensor):
            raise _cannot_assign(tensor, f"object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = _run_registration_hooks(_global_buffer_registration_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)


    def add_module(self, name: str, module: Optional["Module"]) -> None:
        """File `module` under `name` as a child; None keeps the place.

        Raises:
            KeyError: if the name is empty, has a dot, or is taken by another attribute.
            TypeError: if the name is not a string, or `module` not a Module.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        _check_name(self, self._modules, "module", name)
        self._modules[name] = _run_registration_hooks(_global_module_registration_hooks, self, name, module)

    def register_module(self, name: str, module: Optional["Module"]) -> None:
        """File `module` under `name`: another name for add_module."""
        self.add_module(name, module)

