# SPDX-License-Identifier: Apache-2.0
"""PyTorch as in its Hogwild example: processes update one net without locks."""
import time

from suite import point
from suite.peer import module, option, script


def work(me, asked, model, gates):
    import torch
    from suite.torch_mnist import read
    torch.set_num_threads(1), torch.manual_seed(asked.seed * 100 + me)
    images, labels = read(asked.data["train"])
    batch, momentum = (float(option(asked, name)) for name in ("--batch", "--momentum"))
    optimizer = torch.optim.SGD(model.parameters(), lr=asked.settings["step"], momentum=momentum)
    for _ in range(asked.epochs):
        gates.wait()
        for rows in torch.randperm(len(images))[me::asked.workers].split(int(batch)):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model.train()(images[rows]), labels[rows]).backward()
            optimizer.step()
        gates.wait()


def main(asked):
    import torch
    from torch import multiprocessing
    from suite.torch_mnist import net, read
    spawned = multiprocessing.get_context("spawn")
    torch.manual_seed(asked.seed)
    model = net().share_memory()
    (images, labels), gates = read(asked.data["test"]), spawned.Barrier(asked.workers + 1)
    for k in range(asked.workers):
        spawned.Process(target=work, args=(k, asked, model, gates), daemon=True).start()
    seconds = 0
    for epoch in range(1, asked.epochs + 1):
        gates.wait()
        begin = time.monotonic()
        gates.wait()
        seconds += time.monotonic() - begin
        with torch.no_grad():
            right = (model.eval()(images).argmax(1) == labels).float().mean().item()
        point.tell(seconds=seconds, epochs=epoch, value=right)


contestant = script("torch_hogwild", module("torch", "torch"), ("images",), {"step": [0.005, 0.01, 0.02]}, 1200,
                    metrics=("test_accuracy",), workers=(1, 2))
