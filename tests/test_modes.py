"""train, eval, requires_grad_ and zero_grad: flags that are set by walking the tree."""

import pytest
import torch
from exactly import raises, warns
from torch import nn


def flags(m):
    return [part.training for part in m.modules()]


@pytest.fixture
def net():
    return nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(2)))


def test_train_and_eval_set_the_flag_of_every_module_and_return_the_root(net):
    assert net.eval() is net and flags(net) == [False] * 5
    assert net.train() is net and flags(net) == [True] * 5
    assert net.train(False) is net and flags(net) == [False] * 5
    assert net.train(mode=True) is net and flags(net) == [True] * 5


def test_a_mode_that_is_no_bool_is_refused(net):
    for mode in (1, 0, None, "eval"):
        with raises(ValueError, "training mode is expected to be boolean"):
            net.train(mode)
    assert flags(net) == [True] * 5


def test_eval_on_a_part_lasts_until_the_next_train(net):
    net[1].eval()
    assert flags(net) == [True, True, False, False, False]
    net.train()
    assert flags(net) == [True] * 5


def test_a_child_that_is_added_later_comes_in_its_own_mode(net):
    net.eval()
    net.append(nn.Dropout())
    assert flags(net) == [False] * 5 + [True]


def test_setting_the_flag_by_hand_reaches_one_module(net):
    net.training = False
    assert flags(net) == [False] + [True] * 4


def test_train_goes_through_the_train_of_the_children_once_for_each():
    calls = []

    class Own(nn.Module):
        def train(self, mode=True):
            calls.append(mode)
            return super().train(mode)

    own = Own()
    net = nn.Sequential(own, own)
    net.eval()
    net.train()
    assert calls == [False, True]


def test_eval_goes_through_train():
    class Own(nn.Module):
        def train(self, mode=True):
            self.told = mode
            return "returned"

    m = Own()
    assert m.eval() == "returned" and m.told is False


def test_the_flag_is_set_before_the_children_are_told():
    class Own(nn.Module):
        def train(self, mode=True):
            self.above = parent.training
            return super().train(mode)

    parent = nn.Module()
    parent.child = Own()
    parent.eval()
    assert parent.child.above is False


def test_the_flag_is_set_as_an_attribute_so_that_a_subclass_sees_it():
    seen = []

    class Loud(nn.Module):
        def __setattr__(self, name, value):
            seen.append((name, value))
            super().__setattr__(name, value)

    Loud().eval()
    assert seen == [("training", False)]


def test_dropout_and_batch_norm_read_the_flag(net):
    x = torch.ones(4, 2)
    net.eval()
    assert torch.equal(net(x), net(x)) and net[1][1].num_batches_tracked == 0
    net.train()
    assert not torch.equal(net(x), net(x)) and net[1][1].num_batches_tracked == 2


def test_eval_neither_stops_gradients_nor_freezes(net):
    net.eval()
    net(torch.ones(1, 2)).sum().backward()
    assert all(p.requires_grad and p.grad is not None for p in net.parameters())


# --- requires_grad_ ----------------------------------------------------------------------------------------------


def test_requires_grad_freezes_and_thaws_every_parameter_and_returns_the_root(net):
    assert net.requires_grad_(False) is net
    assert not any(p.requires_grad for p in net.parameters())
    assert net.requires_grad_() is net
    assert all(p.requires_grad for p in net.parameters())
    net[1].requires_grad_(requires_grad=False)
    assert [p.requires_grad for p in net.parameters()] == [True, True, False, False]


def test_requires_grad_leaves_buffers_and_modes_alone(net):
    net.requires_grad_(True)
    assert not any(b.requires_grad for b in net.buffers()) and flags(net) == [True] * 5


def test_requires_grad_stops_at_the_first_parameter_that_cannot_need_grad():
    m = nn.Module()
    m.frozen = nn.Parameter(torch.ones(2), requires_grad=False)
    m.index = nn.Parameter(torch.zeros(2, dtype=torch.long), requires_grad=False)
    with pytest.raises(RuntimeError, match="only Tensors of floating point"):
        m.requires_grad_(True)
    assert m.frozen.requires_grad


def test_requires_grad_and_zero_grad_go_through_parameters():
    class Own(nn.Linear):
        def parameters(self, recurse=True):
            yield self.weight

    m = Own(1, 1)
    m.requires_grad_(False)
    assert not m.weight.requires_grad and m.bias.requires_grad
    m.weight.grad, m.bias.grad = torch.ones(1, 1), torch.ones(1)
    m.zero_grad()
    assert m.weight.grad is None and m.bias.grad is not None


# --- zero_grad ---------------------------------------------------------------------------------------------------


def test_zero_grad_drops_the_gradients_by_default(net):
    net(torch.ones(3, 2)).sum().backward()
    assert net.zero_grad() is None
    assert [p.grad for p in net.parameters()] == [None] * 4


def test_zero_grad_fills_with_zeros_in_place_on_request(net):
    net(torch.ones(3, 2)).sum().backward()
    before = [p.grad for p in net.parameters()]
    net.zero_grad(set_to_none=False)
    assert all(p.grad is kept and not kept.any() for p, kept in zip(net.parameters(), before, strict=True))
    net.zero_grad(False)
    assert all(p.grad is not None for p in net.parameters())


def test_zero_grad_skips_parameters_that_have_no_gradient(net):
    net.zero_grad(set_to_none=False)
    net.zero_grad()
    assert [p.grad for p in net.parameters()] == [None] * 4


def test_zero_grad_detaches_a_gradient_that_has_a_graph():
    m = nn.Linear(1, 1, bias=False)
    m.weight.grad = grad = torch.ones(1, 1, requires_grad=True) * 2
    assert grad.grad_fn is not None
    m.zero_grad(set_to_none=False)
    assert m.weight.grad is grad and grad.grad_fn is None and not grad.requires_grad and grad.item() == 0.0


def test_zero_grad_clears_requires_grad_of_a_leaf_gradient():
    m = nn.Linear(1, 1, bias=False)
    m.weight.grad = torch.ones(1, 1, requires_grad=True)
    m.zero_grad(set_to_none=False)
    assert not m.weight.grad.requires_grad and m.weight.grad.item() == 0.0


def test_zero_grad_drops_the_gradient_of_a_frozen_parameter_too():
    m = nn.Linear(1, 1, bias=False)
    m(torch.ones(1, 1)).sum().backward()
    m.requires_grad_(False).zero_grad()
    assert m.weight.grad is None


NO_EFFECT = (
    "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The parameters are copied (in a "
    "differentiable manner) from the original module. This means they are not leaf nodes in autograd and so don't "
    "accumulate gradients. If you need gradients in your forward method, consider using autograd.grad instead."
)


def test_zero_grad_of_a_replica_warns_that_it_has_no_effect():
    replica = nn.Linear(1, 1)._replicate_for_data_parallel()
    with warns((UserWarning, NO_EFFECT)) as seen:
        replica.zero_grad()
    assert seen[0].filename == __file__
    with warns():
        nn.Linear(1, 1).zero_grad()


def test_a_replica_shares_fields_but_has_tables_of_its_own():
    m = nn.Sequential(nn.BatchNorm1d(1))
    m.scale = nn.Parameter(torch.ones(1))
    m.register_buffer("mask", torch.ones(1))
    m.register_forward_hook(print)
    replica = m._replicate_for_data_parallel()
    assert type(replica) is nn.Sequential and replica._is_replica is True and not hasattr(m, "_is_replica")
    assert replica._parameters == {} and type(replica._parameters) is dict and list(m._parameters) == ["scale"]
    assert replica._buffers == m._buffers and replica._buffers is not m._buffers
    assert replica._modules == m._modules and replica._modules is not m._modules
    assert replica._forward_hooks is m._forward_hooks and vars(replica) is not vars(m)


def test_a_replica_is_made_without_running_init():
    class Net(nn.Module):
        made = 0

        def __init__(self):
            super().__init__()
            Net.made += 1

    assert type(Net()._replicate_for_data_parallel()) is Net and Net.made == 1


def test_train_refuses_a_mode_where_a_parameter_is_called_training():
    model = nn.Module()
    model._parameters["training"] = nn.Parameter(torch.ones(1))
    with pytest.raises(TypeError, match="cannot assign 'bool' as parameter 'training'"):
        model.train()
