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
from ._layers import check_loss, layers_of, optimizer_options

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
        With default arguments. NLLLoss requires a LogSoftmax, CrossEntropyLoss requires that there is none.
    optimizer : torch.optim.SGD, Adagrad or Adam
        Over all parameters of the module. SGD may have momentum; Adagrad adds 1e-8 within its root, whatever its eps.
        Each fit() reads its step; its state is not used.
    input_shape : (planes, height, width), optional
        For a net that begins with Conv2d; otherwise taken from the first rows.

    Returns
    -------
    CompiledNet

    Raises
    ------
    TypeError
        For layers, losses and optimisers that the engine does not support, by name.
    ValueError
        For arguments of them that it does not support, by name.
    """
    layers, image, logarithms = layers_of(module)
    check_loss(loss, logarithms)
    optimizer_options(optimizer, module)
    return CompiledNet(module, layers, image, optimizer, input_shape)


class CompiledNet:
    """A module that the engine trains. fit() begins with the module's parameters, and writes the trained ones back.

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
        """Trains from the module's parameters, and writes the trained ones into the module.

        Parameters
        ----------
        X : tensor or array of shape (rows, planes, height, width) or (rows, values)
        y : tensor or array of shape (rows,)
            Numbers of classes, from 0.
        epochs : int, default=1
        workers : int, default=1
            Number of threads, which all change the same parameters without locks.
        batch_size : int, default=64
            1 to 256.
        callback : callable, optional
            Called with a dict after each epoch; the run ends if it returns something true.
        shuffle : bool, default=True
            Rows are copied in random order, once, and trained in pieces whose order changes with each epoch.
        **options
            Other options of `hogwild train`: seed=1, validation=0.1, schedule="cosine", ...

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
                          **optimizer_options(self._optimizer, self.module), **options})
        data = Dataset(rows, labels.astype(np.float64), shuffle=shuffle)
        job = Job(data, words, None, callback, "X", self._net.beginning_with(self._parameters()))
        interrupt = job._interrupted()
        self.run_ = job.record()
        trained = job._run.parameters()
        if job._run.diverged():
            raise RuntimeError("the loss is not finite, or ended above its start: the module is left as it was; take a "
                               "lower lr, and scale X")
        if len(trained):
            self._put_back(trained)
        if interrupt is not None:
            raise interrupt
        return self

    def scores(self, X: Any) -> torch.Tensor:
        """The outputs of the last Linear for each row, without dropout: (rows, classes)."""
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
        """The module's parameters, in the net's layout."""
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
