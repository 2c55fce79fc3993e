# SPDX-License-Identifier: Apache-2.0
"""PyTorch's layers, losses and optimisers that the engine supports; others are refused by name."""
import torch
from torch import nn

_KNOWN = "Linear, Conv2d, MaxPool2d, ReLU, Dropout, Dropout2d, Flatten and LogSoftmax"


def _refuse(what, *wanted):
    """Raises ValueError for the first of (name, value, the value that the engine supports) that differs."""
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


def layers_of(module):
    """The net's layers as (kind, outputs, side, rate), each with the PyTorch layer if that has parameters; whether rows
    are images; and whether LogSoftmax is last."""
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


def check_loss(loss, logarithms):
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


def optimizer_options(optimizer, module):
    """The options of a run that correspond to the optimiser."""
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
