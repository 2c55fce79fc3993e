# SPDX-License-Identifier: Apache-2.0
"""A module's parameters in a named segment of shared memory."""
from __future__ import annotations

import io
import pickle
import weakref

import torch
from torch import nn

from .. import _engine

_LINE = 64  # bytes: no two tensors lie on one cache line


class Share:
    """A segment, and the places of tensors in it."""

    def __init__(self, segment, layout, model):
        self.segment, self.layout, self.model = segment, layout, model
        self.memory = torch.from_numpy(segment.memory())
        self.begin = self.memory.data_ptr()

    @property
    def name(self):
        return self.segment.name

    def tensor(self, offset, dtype, shape):
        size = torch.empty((), dtype=dtype).element_size()
        values = 1
        for n in shape:
            values *= n
        return self.memory[offset:offset + values * size].view(dtype).view(shape)


_of_modules: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_attached: dict[str, Share] = {}


def share(module: nn.Module, name: str | None = None) -> str:
    """Puts a module's parameters and buffers into a named segment of shared memory, where they stay.

    Processes that spawn() starts get the module with the same memory, and attach() gives it to any other process of
    this user. No process owns the memory: a killed one loses nothing. `hogwild segments` lists the segment with the
    process that made it. The name is removed when the module or that process ends normally, and
    `hogwild segments --purge` removes what a killed process has left.

    Parameters
    ----------
    module : nn.Module
        With tensors on the CPU.
    name : str, optional
        Begins with "hogwild-"; by default a new name.

    Returns
    -------
    str
        The segment's name.

    Raises
    ------
    ResourceError
        There is not enough shared memory, or the name is taken.
    """
    tensors, layout, offsets, size = _laid_out(module)
    model = type(module).__name__
    segment = _engine.Segment.create(size, layout, model, f"a torch module, {len(tensors)} tensors", name or "")
    shared = Share(segment, layout, model)
    for tensor, offset in zip(tensors, offsets):
        shared.tensor(offset, tensor.dtype, tensor.shape).copy_(tensor.detach())
    _take(module, shared, tensors, offsets)
    weakref.finalize(module, segment.unlink)
    return segment.name


def attach(module: nn.Module, name: str) -> None:
    """Makes a module use the parameters and buffers that share() has put into a segment, in any process of this user.

    Parameters
    ----------
    module : nn.Module
        Has the same class, and tensors of the same names, types and shapes.
    name : str
        The name that share() returned.

    Raises
    ------
    ResourceError
        There is no such segment, or it holds another module.
    """
    tensors, layout, offsets, _ = _laid_out(module)
    model = type(module).__name__
    _take(module, Share(_engine.Segment.attach(name, layout, model), layout, model), tensors, offsets)


def _laid_out(module):
    """The module's tensors, a description of them, the place of each, and the bytes that all take."""
    if not isinstance(module, nn.Module):
        raise TypeError("what is shared is an nn.Module")
    tensors, words, offsets, end, seen = [], [], [], 0, set()
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        if tensor.device.type != "cpu" or tensor.layout != torch.strided:
            raise ValueError(f"{name} lies on {tensor.device} as {tensor.layout}: dense tensors of the CPU are shared")
        tensors.append(tensor)
        offsets.append(end)
        words.append(f"{name} {tensor.dtype} {tuple(tensor.shape)} {end}")
        end += -(-tensor.numel() * tensor.element_size() // _LINE) * _LINE
    if not tensors:
        raise ValueError("the module has no parameters to share")
    return tensors, "\n".join(words), offsets, end


def _take(module, shared, tensors, offsets):
    for tensor, offset in zip(tensors, offsets):
        tensor.data = shared.tensor(offset, tensor.dtype, tensor.shape)
    _of_modules[module] = shared


def _share_of(tensor):
    """The Share that contains a tensor, or None."""
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        return None
    at = tensor.data_ptr()
    for shared in [*_of_modules.values(), *_attached.values()]:
        if shared.begin <= at < shared.begin + len(shared.memory):
            return shared
    return None


class _Pickler(pickle.Pickler):
    """Pickles shared tensors as their places, and everything else as usual."""

    def reducer_override(self, obj):
        if isinstance(obj, torch.Tensor):
            shared = _share_of(obj)
            if shared is not None and obj.is_contiguous():
                place = obj.data_ptr() - shared.begin
                return _tensor_at, (shared.name, shared.layout, shared.model, place, obj.dtype, tuple(obj.shape),
                                    isinstance(obj, nn.Parameter), obj.requires_grad)
        return NotImplemented


def pickled(what) -> bytes:
    into = io.BytesIO()
    _Pickler(into, pickle.HIGHEST_PROTOCOL).dump(what)
    return into.getvalue()


def _tensor_at(name, layout, model, place, dtype, shape, is_parameter, trains):
    if name not in _attached:
        _attached[name] = Share(_engine.Segment.attach(name, layout, model), layout, model)
    tensor = _attached[name].tensor(place, dtype, shape)
    return nn.Parameter(tensor, requires_grad=trains) if is_parameter else tensor.requires_grad_(trains)
