# SPDX-License-Identifier: Apache-2.0
"""PyTorch, a deep factorization machine: embeddings with sparse gradients."""
import time

from suite import point
from suite.peer import module, option, script


def read(path):
    """Columns, one for each field, and labels of libffm rows whose values are all 1."""
    import torch
    with open(path, encoding="ascii") as file:
        rows = [[int(label), *(int(e.split(":")[1]) for e in entries)] for label, *entries in map(str.split, file)]
    rows = torch.tensor(rows)
    return rows[:, 1:], rows[:, 0].float()


def main(asked):
    import torch
    from torch import nn
    settings, seconds = asked.settings, 0.0
    torch.set_num_threads(asked.workers), torch.manual_seed(asked.seed)
    begin = time.perf_counter()
    (rows, labels), (tested, wanted) = (read(asked.data[part]) for part in ("train", "test"))
    parsed, factors = time.perf_counter() - begin, int(option(asked, "--factors"))
    table = nn.Embedding(int(max(rows.max(), tested.max())) + 1, factors + 1, sparse=True)  # a weight, then factors
    widths = [rows.shape[1] * factors, *map(int, option(asked, "--hidden").split(","))]
    net = nn.Sequential(*(layer for a, b in zip(widths, widths[1:]) for layer in (nn.Linear(a, b), nn.ReLU())),
                        nn.Linear(widths[-1], 1))
    nn.init.normal_(table.weight, std=0.1)
    optimizer = torch.optim.Adagrad([*table.parameters(), *net.parameters()], settings["step"])

    def loss(chosen, labels):
        found = table(chosen)
        weights, v = found[..., 0], found[..., 1:]
        pairs = 0.5 * (v.sum(1).square() - v.square().sum(1)).sum(1)
        return nn.functional.binary_cross_entropy_with_logits(
            weights.sum(1) + pairs + net(v.flatten(1)).squeeze(1), labels)
    for epoch in range(1, asked.epochs + 1):
        begin = time.perf_counter()
        for some in torch.randperm(len(labels)).split(settings["batch"]):
            optimizer.zero_grad()
            loss(rows[some], labels[some]).backward()
            optimizer.step()
        seconds += time.perf_counter() - begin
        with torch.no_grad():
            point.tell(seconds=seconds, epochs=epoch, value=loss(tested, wanted).item(), parse_seconds=parsed)


contestant = script("torch_deepfm", module("torch", "torch"), ("machine",),
                    {"step": [0.01, 0.02, 0.05], "batch": [64, 256, 1024]}, models=("deepfm",),
                    metrics=("test_loss",), workers=(1, 2))
