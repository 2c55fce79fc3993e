#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The net mnist in PyTorch: processes share its parameters and update them without locks; each has one thread.

The last line says, as JSON, how many images a second all processes train and how accurate the net ends.
"""
import argparse
import gzip
import json
import pathlib
import time

import numpy
import torch
import torch.multiprocessing as processes
from torch import nn
from torch.nn import functional

MEAN, DEVIATION = 0.1307, 0.3081


class Net(nn.Module):
    """Two convolutions, two dense layers; 21,840 parameters."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 10, 5), nn.Conv2d(10, 20, 5)
        self.thinned = nn.Dropout2d()
        self.dense, self.last = nn.Linear(320, 50), nn.Linear(50, 10)

    def forward(self, x):
        x = functional.relu(functional.max_pool2d(self.first(x), 2))
        x = functional.relu(functional.max_pool2d(self.thinned(self.second(x)), 2)).flatten(1)
        x = functional.dropout(functional.relu(self.dense(x)), training=self.training)
        return functional.log_softmax(self.last(x), dim=1)


def read(folder, part):
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        pixels = numpy.frombuffer(file.read(), numpy.uint8, offset=16).reshape(-1, 1, 28, 28)
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    scaled = (torch.from_numpy(pixels.copy()).float() / 255 - MEAN) / DEVIATION
    return scaled, torch.from_numpy(labels.copy()).long()


def train(me, asked, net, gates):
    """One process's part of every epoch."""
    torch.set_num_threads(1)
    torch.manual_seed(1 + me)
    images, labels = read(asked.data, "train")
    optimizer = torch.optim.SGD(net.parameters(), lr=asked.step, momentum=asked.momentum)
    net.train()
    for _ in range(asked.epochs):
        gates.wait()  # an epoch begins
        for batch in torch.randperm(len(images))[me::asked.workers].split(asked.batch):
            optimizer.zero_grad()
            functional.nll_loss(net(images[batch]), labels[batch]).backward()
            optimizer.step()
        gates.wait()  # and ends


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--step", type=float, default=0.01)
    parser.add_argument("--momentum", type=float, default=0.5)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    processes.set_start_method("spawn")
    net = Net()
    net.share_memory()
    tested, answers = read(asked.data, "t10k")
    gates = processes.Barrier(asked.workers + 1)
    workers = [processes.Process(target=train, args=(k, asked, net, gates)) for k in range(asked.workers)]
    for process in workers:
        process.start()
    seconds, reached = [], None
    for _ in range(asked.epochs):
        gates.wait()
        begin = time.monotonic()
        gates.wait()
        seconds.append(time.monotonic() - begin)
        net.eval()
        with torch.no_grad():
            accuracy = (net(tested).argmax(1) == answers).float().mean().item()
        net.train()
        if reached is None and accuracy >= 0.98:
            reached = sum(seconds)
    for process in workers:
        process.join()
    rate = 60_000 / sorted(seconds)[len(seconds) // 2]
    print(json.dumps({"rate": rate, "train_seconds": sum(seconds), "test_accuracy": accuracy,
                      "seconds_to_target": reached, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
