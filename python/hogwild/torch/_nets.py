# SPDX-License-Identifier: Apache-2.0
"""nn.Sequential as a net of the engine."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from .. import _engine
from .._data import Dataset
from .._train import Job, words_of

_KNOWN = "Linear, Conv2d, MaxPool2d, ReLU, Dropout, Dropout2d, Flatten and LogSoftmax"


def compile(module: nn.Sequential, *, loss: nn.Module, optimizer: torch.optim.Optimizer,
            input_shape: tuple[int, int, int] | None = None) -> CompiledNet:
    """Compiles a net, its loss and its optimiser into the engine's.

    Parameters
    ----------
    module : nn.Sequential
        Of Linear, Conv2d (square windows, stride 1, no padding), MaxPool2d(2), ReLU, Dropout, Dropout2d, Flatten and
        LogSoftmax, which may be last. At most 16 layers, of them 4 Conv2d and 6 Linear, the last one Linear. Of
        float32 on the CPU.
    loss : nn.CrossEntropyLoss or nn.NLLLoss
        As they are made without arguments. NLLLoss goes with a LogSoftmax, CrossEntropyLoss with none.
    optimizer : torch.optim.SGD, Adagrad or Adam
        Of all parameters of the module. SGD may have momentum; Adagrad adds 1e-8 within its root, whatever its eps.
        Its step is read by each fit(); what it remembers is not taken along.
    input_shape : (planes, height, width), optional
        Of a net that begins with Conv2d; else the first rows say it.

    Returns
    -------
    CompiledNet

    Raises
    ------
    TypeError
        For layers, losses and optimisers that the engine has not, by name.
    ValueError
        For arguments of them that it has not, by name.
    """
    layers, image, logarithms = _layers_of(module)
    _check_loss(loss, logarithms)
    _optimizer_options(optimizer, module)
    return CompiledNet(module, layers, image, optimizer, input_shape)


class CompiledNet:
    """A module that the engine trains. Its parameters are the module's: fit() begins with them, and puts them back.

    Attributes
    ----------
    module : nn.Sequential
    run_ : hogwild.Run or None
        The record of the last fit().
    """

    def __init__(self, module, layers, image, optimizer, input_shape):
        self.module, self.run_ = module, None
        self._layers, self._image, self._optimizer, self._net = layers, image, optimizer, None
        if input_shape is not None:
            self._shape(tuple(input_shape))
        elif not image:
            self._shape((self._trained()[0].in_features,))

    def fit(self, X: Any, y: Any, *, epochs: int = 1, workers: int = 1, batch_size: int = 64,
            callback: Callable[[dict], Any] | None = None, shuffle: bool = True, **options: Any) -> CompiledNet:
        """Trains from the module's parameters, and puts what was trained into the module.

        Parameters
        ----------
        X : tensor or array of shape (rows, planes, height, width) or (rows, values)
        y : tensor or array of shape (rows,)
            Numbers of classes, from 0.
        epochs : int, default=1
        workers : int, default=1
            Threads, which all change the same parameters without locks.
        batch_size : int, default=64
            1 to 256.
        callback : callable, optional
            Is given a dict of each epoch, and ends the run by returning something true.
        shuffle : bool, default=True
            Rows are copied in random order, once, and trained in pieces whose order changes with each epoch.
        **options
            Others of `hogwild train`: seed=1, validation=0.1, schedule="cosine", ...

        Returns
        -------
        self
        """
        rows = self._rows(X)
        labels = np.asarray(y.detach().cpu() if isinstance(y, torch.Tensor) else y)
        classes = self._trained()[-1].out_features
        if labels.shape != (len(rows),):
            raise ValueError(f"y has the shape {labels.shape}, and X has {len(rows)} rows")
        if len(labels) and not (np.all(labels == np.floor(labels)) and labels.min() >= 0 and labels.max() < classes):
            raise ValueError(f"y are numbers of classes, from 0 to {classes - 1}, as the net has {classes} outputs")
        words = words_of({"model": "own_net", "epochs": epochs, "batch": batch_size,
                          "engine": "serial" if workers == 1 else "threads",
                          "workers": None if workers == 1 else int(workers),
                          **_optimizer_options(self._optimizer, self.module), **options})
        data = Dataset(rows, labels.astype(np.float64), shuffle=shuffle)
        job = Job(data, words, None, callback, "X", self._net.beginning_with(self._parameters()))
        interrupt = None
        try:
            job.wait()
        except BaseException as raised:  # whatever a signal's handler raises
            interrupt = raised
        self.run_ = job.record()
        trained = job._run.parameters()
        if job._run.diverged():
            raise RuntimeError("the loss is not finite: the module is left as it was; take a lower lr, and scale X")
        if len(trained):
            self._put_back(trained)
        if interrupt is not None:
            raise interrupt
        return self

    def scores(self, X: Any) -> torch.Tensor:
        """What the last Linear says of each row, without dropout: (rows, classes)."""
        rows = self._rows(X)
        return torch.from_numpy(self._net.beginning_with(self._parameters()).scores(rows))

    def predict(self, X: Any) -> torch.Tensor:
        """The class of each row: (rows,)."""
        return self.scores(X).argmax(dim=1)

    def _trained(self):
        return [layer for _, layer in self._layers if layer is not None]

    def _shape(self, shape):
        """Makes the net for rows of this shape, once."""
        first = self._trained()[0]
        if self._image and (len(shape) != 3 or shape[0] != first.in_channels):
            raise ValueError(f"the net takes images of shape ({first.in_channels}, height, width), not {shape}")
        values = math.prod(shape)
        if not self._image and values != first.in_features:
            raise ValueError(f"the net takes rows of {first.in_features} values, not {values}")
        if self._net is not None:
            if shape != self._of_shape and self._image:
                raise ValueError(f"the net was compiled for images of shape {self._of_shape}, not {shape}")
            return
        net = _engine.OwnNet(shape if self._image else (values, 1, 1), [words for words, _ in self._layers])
        for (_, inputs, _), layer in zip(net.places(), self._trained()):
            if isinstance(layer, nn.Linear) and layer.in_features != inputs:
                raise ValueError(f"Linear({layer.in_features}, {layer.out_features}) gets {inputs} values from images "
                                 f"of shape {shape}")
        self._net, self._of_shape = net, shape

    def _rows(self, X):
        rows = X.detach().cpu().numpy() if isinstance(X, torch.Tensor) else np.asarray(X)
        if rows.ndim < 2:
            raise ValueError(f"X has the shape {rows.shape}: it should have a row for each example")
        self._shape(tuple(int(n) for n in rows.shape[1:]))
        return np.ascontiguousarray(rows.reshape(len(rows), -1), np.float32)

    def _parameters(self):
        """The module's, as the net lays them out."""
        flat = np.empty(self._net.parameters, np.float32)
        for (at, inputs, outputs), layer in zip(self._net.places(), self._trained()):
            biases = at + inputs * outputs
            flat[at:biases].reshape(inputs, outputs)[:] = layer.weight.detach().reshape(outputs, inputs).numpy().T
            flat[biases:biases + outputs] = layer.bias.detach().numpy()
        return flat

    def _put_back(self, flat):
        with torch.no_grad():
            for (at, inputs, outputs), layer in zip(self._net.places(), self._trained()):
                biases = at + inputs * outputs
                weights = np.ascontiguousarray(flat[at:biases].reshape(inputs, outputs).T)
                layer.weight.copy_(torch.from_numpy(weights).reshape(layer.weight.shape))
                layer.bias.copy_(torch.from_numpy(flat[biases:biases + outputs].copy()))


def _refuse(what, *wanted):
    """Raises ValueError for the first of (name, value, the value that the engine has)."""
    for name, value, has in wanted:
        if value != has:
            raise ValueError(f"{what} with {name}={value!r} is not the engine's: it has {name}={has!r} alone")


def _pair(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def _flattened(module):
    for layer in module:
        if type(layer) is nn.Sequential:
            yield from _flattened(layer)
        else:
            yield layer


def _layers_of(module):
    """The net's layers, (kind, outputs, side, rate) and the layer where it has parameters; whether rows are images; and
    whether LogSoftmax is last."""
    if type(module) is not nn.Sequential:
        raise TypeError(f"an nn.Sequential is compiled, and this is a {type(module).__name__}: hogwild.torch.share() "
                        "trains any module as it is")
    found, image, flat, logarithms = [], None, False, False
    for layer in _flattened(module):
        kind = type(layer)
        name = kind.__name__
        if logarithms:
            raise ValueError(f"LogSoftmax is the last layer, and {name} comes behind it")
        if layer._forward_hooks or layer._forward_pre_hooks or layer._backward_hooks:
            raise ValueError(f"{name} has hooks, which the engine does not call: remove them")
        if any(layer is other for _, other in found):
            raise ValueError(f"{name} stands in the net twice with the same parameters, which the engine has not")
        if kind in (nn.Linear, nn.Conv2d):
            if image is None:
                image = kind is nn.Conv2d
            _check_trained(layer)
        if kind is nn.Linear:
            if image and not flat:
                raise ValueError("Linear behind layers of images needs a Flatten before it")
            flat = True
            found.append((("dense", layer.out_features, 0, 0.0), layer))
        elif kind is nn.Conv2d:
            if flat:
                raise ValueError("Conv2d behind Flatten or Linear has no images to work on")
            _refuse("Conv2d", ("stride", _pair(layer.stride), (1, 1)), ("dilation", _pair(layer.dilation), (1, 1)),
                    ("groups", layer.groups, 1), ("padding_mode", layer.padding_mode, "zeros"))
            if layer.padding != "valid":
                _refuse("Conv2d", ("padding", layer.padding if isinstance(layer.padding, str) else
                                   _pair(layer.padding), (0, 0)))
            side = _pair(layer.kernel_size)
            _refuse("Conv2d", ("kernel_size", side, (side[0], side[0])))
            found.append((("convolution", layer.out_channels, side[0], 0.0), layer))
        elif kind is nn.MaxPool2d:
            _refuse("MaxPool2d", ("kernel_size", _pair(layer.kernel_size), (2, 2)),
                    ("stride", _pair(layer.stride), (2, 2)), ("padding", _pair(layer.padding), (0, 0)),
                    ("dilation", _pair(layer.dilation), (1, 1)), ("return_indices", layer.return_indices, False),
                    ("ceil_mode", layer.ceil_mode, False))
            _need_images(name, image, flat)
            found.append((("max_pool", 0, 0, 0.0), None))
        elif kind is nn.ReLU:
            found.append((("relu", 0, 0, 0.0), None))
        elif kind is nn.Dropout:
            found.append((("dropout", 0, 0, float(layer.p)), None))
        elif kind is nn.Dropout2d:
            _need_images(name, image, flat)
            found.append((("channel_dropout", 0, 0, float(layer.p)), None))
        elif kind is nn.Flatten:
            _refuse("Flatten", ("start_dim", layer.start_dim, 1), ("end_dim", layer.end_dim, -1))
            flat = True
        elif kind is nn.LogSoftmax:
            if layer.dim not in (1, -1):
                _refuse("LogSoftmax", ("dim", layer.dim, 1))
            logarithms = True
        else:
            raise TypeError(f"the engine has no layer {name}: it has {_KNOWN}; hogwild.torch.share() trains any module "
                            "as it is")
    if not found or found[-1][1] is None or not isinstance(found[-1][1], nn.Linear):
        raise ValueError("the last layer, or the last before LogSoftmax, is Linear, with an output for each class")
    if found[0][1] is None:
        raise ValueError("the first layer, or the first behind Flatten, is Linear or Conv2d")
    return found, image, logarithms


def _need_images(name, image, flat):
    if not image or flat:
        raise ValueError(f"{name} stands behind Conv2d, where there are images")


def _check_trained(layer):
    name = type(layer).__name__
    if layer.bias is None:
        raise ValueError(f"{name} with bias=False is not the engine's: its layers have biases")
    for each in (layer.weight, layer.bias):
        if each.dtype != torch.float32 or each.device.type != "cpu":
            raise ValueError(f"{name} has parameters of {each.dtype} on {each.device}: the engine trains float32 on "
                             "the CPU")
        if not each.requires_grad:
            raise ValueError(f"{name} has parameters with requires_grad=False, and the engine trains all")


def _check_loss(loss, logarithms):
    kind = type(loss)
    if kind not in (nn.CrossEntropyLoss, nn.NLLLoss):
        raise TypeError(f"the engine has no loss {kind.__name__}: it has CrossEntropyLoss and NLLLoss")
    name = kind.__name__
    if loss.weight is not None:
        raise ValueError(f"{name} with weight is not the engine's: fit(class_weights=...) weighs classes")
    _refuse(name, ("reduction", loss.reduction, "mean"), ("ignore_index", loss.ignore_index, -100))
    if kind is nn.CrossEntropyLoss:
        _refuse(name, ("label_smoothing", loss.label_smoothing, 0.0))
    if logarithms != (kind is nn.NLLLoss):
        raise ValueError("NLLLoss goes with LogSoftmax as the last layer, and CrossEntropyLoss with none")


def _optimizer_options(optimizer, module):
    """The options of a run that do what the optimiser does."""
    kind = type(optimizer)
    if kind not in (torch.optim.SGD, torch.optim.Adagrad, torch.optim.Adam):
        raise TypeError(f"the engine has no optimiser {kind.__name__} of PyTorch's: it has SGD, Adagrad and Adam")
    name = kind.__name__
    if len(optimizer.param_groups) != 1:
        raise ValueError(f"{name} with several groups of parameters is not the engine's: give it module.parameters()")
    group = optimizer.param_groups[0]
    if {id(p) for p in group["params"]} != {id(p) for p in module.parameters()}:
        raise ValueError(f"{name} is of other parameters than the module's: give it module.parameters()")
    _refuse(name, ("weight_decay", group["weight_decay"], 0), ("maximize", group["maximize"], False))
    options = {"step": float(group["lr"])}
    if kind is torch.optim.SGD:
        _refuse(name, ("dampening", group["dampening"], 0), ("nesterov", group["nesterov"], False))
        momentum = float(group["momentum"])
        options.update({"optimizer": "momentum", "momentum": momentum} if momentum else {"optimizer": "sgd"})
    elif kind is torch.optim.Adagrad:
        _refuse(name, ("lr_decay", group["lr_decay"], 0),
                ("initial_accumulator_value", group["initial_accumulator_value"], 0))
        if group["eps"] > 1e-8:
            _refuse(name, ("eps", group["eps"], 1e-8))
        options["optimizer"] = "adagrad"
    else:
        _refuse(name, ("eps", group["eps"], 1e-8), ("amsgrad", group["amsgrad"], False))
        if group.get("decoupled_weight_decay"):
            _refuse(name, ("decoupled_weight_decay", True, False))
        options.update(optimizer="adam", beta1=float(group["betas"][0]), beta2=float(group["betas"][1]))
    return options
