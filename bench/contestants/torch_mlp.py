# SPDX-License-Identifier: Apache-2.0
"""PyTorch, an mlp with one hidden layer: on images, or on sparse rows by EmbeddingBag with sparse gradients; its output
is the full softmax."""
import time

from suite import point
from suite.peer import module, option, script


def images(asked):
    """For each part a function from row numbers to inputs, and the labels; and a function that makes a first layer of a
    width."""
    from torch import nn
    from suite.torch_mnist import read
    parts = [(lambda chosen, x=x: (x[chosen].flatten(1),), y) for x, y in (read(p) for p in asked.data.values())]
    return parts, lambda width: nn.Linear(784, width)


def sparse(asked):
    import numpy
    import torch
    from sklearn.datasets import load_svmlight_files
    found = load_svmlight_files(list(asked.data.values()), zero_based=False)
    classes = numpy.unique(found[1])

    def inputs(rows):
        def batch(chosen):
            some = rows[chosen.numpy()]
            return (torch.from_numpy(some.indices.astype("int64")), torch.from_numpy(some.indptr[:-1].astype("int64")),
                    torch.from_numpy(some.data.astype("float32")))
        return batch
    parts = [(inputs(rows), torch.from_numpy(numpy.searchsorted(classes, labels)))
             for rows, labels in (found[:2], found[2:])]
    columns = found[0].shape[1]

    class First(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.bag = torch.nn.EmbeddingBag(columns, width, mode="sum", sparse=True)
            torch.nn.init.uniform_(self.bag.weight, -0.1, 0.1)
            self.bias = torch.nn.Parameter(torch.zeros(width))

        def forward(self, columns, begins, values):
            return self.bag(columns, begins, per_sample_weights=values) + self.bias
    return parts, First


def main(asked):
    import torch
    from torch import nn
    settings, seconds = asked.settings, 0.0
    torch.set_num_threads(asked.workers), torch.manual_seed(asked.seed)
    begin = time.perf_counter()
    (train, test), layer = (images if "images" in asked.data["train"] else sparse)(asked)
    parsed, width = time.perf_counter() - begin, int(option(asked, "--hidden"))
    first, rest = layer(width), nn.Sequential(nn.ReLU(), nn.Linear(width, int(train[1].max()) + 1))
    optimizer = getattr(torch.optim, settings["optimizer"])([*first.parameters(), *rest.parameters()], settings["step"])
    for epoch in range(1, asked.epochs + 1):
        begin = time.perf_counter()
        for chosen in torch.randperm(len(train[1])).split(settings["batch"]):
            optimizer.zero_grad()
            nn.functional.cross_entropy(rest(first(*train[0](chosen))), train[1][chosen]).backward()
            optimizer.step()
        seconds += time.perf_counter() - begin
        with torch.no_grad():
            right = sum((rest(first(*test[0](some))).argmax(1) == test[1][some]).sum().item()
                        for some in torch.arange(len(test[1])).split(1000))
        point.tell(seconds=seconds, epochs=epoch, value=right / len(test[1]), parse_seconds=parsed)


contestant = script("torch_mlp", module("torch", "torch"), ("net",),
                    {"step": [0.02, 0.05, 0.1], "batch": [16, 64, 256], "optimizer": ["SGD", "Adagrad"]},
                    metrics=("test_accuracy",), workers=(1, 2))
