# SPDX-License-Identifier: Apache-2.0
"""PyTorch, synchronous: processes sum their gradients over gloo after each batch."""
import time

from suite import point
from suite.peer import module, option, script


def work(before, asked, port, me=None):
    me = before + 1 if me is None else me
    import torch
    from torch import distributed, nn
    from suite.torch_mnist import net, read
    torch.set_num_threads(1), torch.manual_seed(asked.seed)
    distributed.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=me, world_size=asked.workers)
    (images, labels), tested = read(asked.data["train"]), read(asked.data["test"])
    batch, momentum = (float(option(asked, name)) for name in ("--batch", "--momentum"))
    model, seconds = net(), 0
    optimizer = torch.optim.SGD(model.parameters(), lr=asked.settings["step"], momentum=momentum)
    for epoch in range(1, asked.epochs + 1):
        order = torch.randperm(len(images), generator=torch.Generator().manual_seed(asked.seed * 1000 + epoch))
        order = order[:len(order) - len(order) % asked.workers]  # all have as many batches: none waits for ever
        distributed.barrier()
        begin = time.monotonic()
        for rows in order[me::asked.workers].split(int(batch)):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model.train()(images[rows]), labels[rows]).backward()
            gradient = nn.utils.parameters_to_vector([p.grad for p in model.parameters()])
            distributed.all_reduce(gradient)
            nn.utils.vector_to_parameters(gradient / asked.workers, [p.grad for p in model.parameters()])
            optimizer.step()
        distributed.barrier()
        seconds += time.monotonic() - begin
        if me == 0:
            with torch.no_grad():
                right = (model.eval()(tested[0]).argmax(1) == tested[1]).float().mean().item()
            point.tell(seconds=seconds, epochs=epoch, value=right)


def main(asked):
    import socket
    from torch import multiprocessing
    with socket.socket() as found:  # a free port
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    others = multiprocessing.start_processes(work, (asked, port), nprocs=asked.workers - 1, join=False, daemon=True,
                                             start_method="spawn")
    work(0, asked, port, 0)  # rank 0 reports
    others.join()


contestant = script("torch_all_reduce", module("torch", "torch"), ("images",), {"step": [0.01, 0.02, 0.04]}, 1200,
                    metrics=("test_accuracy",), workers=(2,))
