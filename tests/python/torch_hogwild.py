# SPDX-License-Identifier: Apache-2.0
"""A net that several processes train on small generated images, as PyTorch's users write it. With --hogwild two lines
differ: those that share the module and that start the processes."""
import argparse
import os

import torch
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.hidden = nn.Linear(8 * 5 * 5, 32)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv(x), 2))
        x = F.relu(self.hidden(x.flatten(1)))
        return F.log_softmax(self.out(x), dim=1)


def images(n, seed):
    """12 x 12 noise, with a brighter quarter that is the class."""
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 1, 12, 12, generator=draw)
    y = torch.randint(0, 4, (n,), generator=draw)
    for k in range(n):
        row, column = divmod(int(y[k]), 2)
        x[k, 0, 6 * row:6 * row + 6, 6 * column:6 * column + 6] += 0.7
    return TensorDataset(x, y)


def train(rank, args, model, dataset):
    torch.manual_seed(args.seed + rank)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    optimizer = optim.SGD(model.parameters(), lr=0.02, momentum=0.5)
    model.train()
    for epoch in range(args.epochs):
        for data, target in loader:
            optimizer.zero_grad()
            F.nll_loss(model(data), target).backward()
            optimizer.step()
    print(f"worker {rank} (process {os.getpid()}) is done", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hogwild", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model, dataset = Net(), images(2000, 1)
    if args.hogwild:
        import hogwild.torch
        hogwild.torch.share(model)
        hogwild.torch.spawn(train, workers=args.workers, args=(args, model, dataset))
    else:
        mp.set_start_method("spawn")
        model.share_memory()
        processes = [mp.Process(target=train, args=(rank, args, model, dataset)) for rank in range(args.workers)]
        for p in processes:
            p.start()
        for p in processes:
            p.join()
    x, y = images(1000, 2).tensors
    model.eval()
    with torch.no_grad():
        print(f"accuracy {(model(x).argmax(1) == y).float().mean():.3f}")


if __name__ == "__main__":
    main()
