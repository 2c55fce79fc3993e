# SPDX-License-Identifier: Apache-2.0
"""Linear models and factorization machines as graphs of ONNX."""
import json
import os
from dataclasses import dataclass, field

import numpy as np

from . import _engine
from ._engine import ConfigError

# Of 2021, so that older runtimes take the graphs as well.
OPSET, IR_VERSION = 15, 8


@dataclass
class Formula:
    """What a graph computes: margins X @ weights + intercept, with factors V also ((X V)^2 - X^2 V^2) / 2, summed."""

    decision: str  # "number", "sign" of the only margin, or "greatest"
    link: str  # "identity", "logistic", "clipped", "exponential" or "softmax"
    weights: np.ndarray  # (columns, margins), float32
    intercept: np.ndarray  # (margins,), float32
    factors: np.ndarray | None = None  # (columns, factors), float32
    classes: np.ndarray | None = None
    normalised: bool = False  # whether the probabilities of classes are divided by their sum
    names: list = field(default_factory=list)  # of the columns, if they have some


def formula_of(saved, classes, features=None):
    """The formula of a saved model on arrays of `features` columns; raises ConfigError for a model that is none."""
    parts = _engine.formula(saved, 0 if features is None else int(features))
    if parts["decision"] in ("mean", "vote"):
        raise ConfigError("several models that make one prediction are no graph here; ensemble='mean-weights' trains one")
    return Formula(**parts, classes=classes)


def _labels(classes):
    """Labels as ONNX holds them: texts, whole numbers, or numbers."""
    if classes.dtype.kind in "OUS":
        return np.array([str(label) for label in classes], object)
    if classes.dtype.kind == "f":
        return classes.astype(np.int64) if np.all(classes == np.rint(classes)) else classes.astype(np.float64)
    return classes if classes.dtype.kind == "b" else classes.astype(np.int64)


class _Graph:
    """Nodes and constants that are added one by one; each function returns the name of what it adds."""

    def __init__(self, onnx):
        self._onnx, self.nodes, self._constants = onnx, [], {}

    @property
    def constants(self):
        return list(self._constants.values())

    def constant(self, name, value):
        self._constants[name] = self._onnx.numpy_helper.from_array(np.asarray(value), name)
        return name

    def number(self, value, kind=np.float32):
        return self.constant(f"{np.dtype(kind).name}_{value}", kind(value))

    def along(self, axis):
        """For operators that take an axis or a shape as a tensor."""
        return self.constant(f"along_{axis}", np.array([axis]))

    def add(self, kind, *inputs, result=None, **attributes):
        result = result or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self._onnx.helper.make_node(kind, inputs, [result], **attributes))
        return result


def _margins(graph, formula):
    """(N, margins)"""
    sums = graph.add("MatMul", "X", graph.constant("weights", formula.weights))
    if formula.factors is not None:
        of_pairs = graph.add("MatMul", "X", graph.constant("factors", formula.factors))
        of_pairs = graph.add("Mul", of_pairs, of_pairs)
        squares = graph.add("MatMul", graph.add("Mul", "X", "X"), graph.constant("squares", formula.factors**2))
        pairs = graph.add("ReduceSum", graph.add("Sub", of_pairs, squares), graph.along(1))
        sums = graph.add("Add", sums, graph.add("Mul", pairs, graph.number(0.5)))
    return graph.add("Add", sums, graph.constant("intercept", formula.intercept), result="margins")


def _linked(graph, margins, link):
    if link == "logistic":
        return graph.add("Sigmoid", margins)
    if link == "clipped":
        half = graph.add("Mul", graph.add("Add", margins, graph.number(1.0)), graph.number(0.5))
        return graph.add("Clip", half, graph.number(0.0), graph.number(1.0))
    if link == "exponential":
        return graph.add("Exp", graph.add("Min", margins, graph.number(30.0)))
    return graph.add("Softmax", margins, axis=1) if link == "softmax" else margins


def _normalised(graph, parts):
    """Probabilities that sum to 1; if all are 0 they are equal."""
    total = graph.add("ReduceSum", parts, graph.along(1))
    none = graph.add("Equal", total, graph.number(0.0))
    parts = graph.add("Where", none, graph.number(1.0), parts)
    return graph.add("Div", parts, graph.add("ReduceSum", parts, graph.along(1)))


def _number_outputs(graph, formula, margins):
    said = _linked(graph, margins, formula.link)
    graph.add("Reshape", said, graph.along(-1), result="prediction")
    return [("prediction", np.float32, ["N"])]


def _class_outputs(graph, formula, margins):
    labels, count = _labels(formula.classes), len(formula.classes)
    if formula.decision == "sign":
        row = graph.add("Reshape", margins, graph.along(-1), result="scores")
        number = graph.add("Where", graph.add("Greater", row, graph.number(0.0)), graph.number(1, np.int64),
                           graph.number(0, np.int64))
    else:
        graph.add("Identity", margins, result="scores")
        number = graph.add("ArgMax", margins, axis=1, keepdims=0)
    graph.add("Gather", graph.constant("labels", labels), number, result="label")
    outputs = [("label", labels.dtype, ["N"]),
               ("scores", np.float32, ["N"] if formula.decision == "sign" else ["N", count])]
    if formula.link == "identity":
        return outputs
    parts = _linked(graph, margins, formula.link)
    if formula.decision == "sign":
        parts = graph.add("Concat", graph.add("Sub", graph.number(1.0), parts), parts, axis=1)
    elif formula.normalised and formula.link != "softmax":
        parts = _normalised(graph, parts)
    graph.add("Identity", parts, result="probabilities")
    return outputs + [("probabilities", np.float32, ["N", count])]


def to_onnx(formula, path=None):
    """The onnx.ModelProto of a formula, which is also written to `path` if there is one.

    Its input is X, (N, columns) of float32. Of a regression the output is "prediction", (N,). Of classes the outputs
    are "label", (N,), "scores", the margins, and if the model has them "probabilities", (N, classes).
    """
    try:
        import onnx
        from onnx import helper
    except ImportError:
        raise ImportError("to_onnx() needs the package onnx: pip install onnx") from None
    graph = _Graph(onnx)
    margins = _margins(graph, formula)
    outputs = (_number_outputs if formula.decision == "number" else _class_outputs)(graph, formula, margins)

    def described(name, kind, shape):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)

    whole = helper.make_graph(graph.nodes, "hogwild", [described("X", np.float32, ["N", formula.weights.shape[0]])],
                              [described(*output) for output in outputs], graph.constants)
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION,
                              producer_name="hogwild", producer_version=_engine.version)
    if formula.names:
        helper.set_model_props(model, {"columns": json.dumps(formula.names)})
    onnx.checker.check_model(model)
    if path is not None:
        onnx.save(model, os.fspath(path))
    return model
