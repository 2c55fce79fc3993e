# SPDX-License-Identifier: Apache-2.0
"""Data and net of contestants in PyTorch: images in the format of MNIST, and the net of its Hogwild example."""
import torch


def read(images):
    """Scaled pixels and labels of files in the format of MNIST."""
    pixels, labels = (torch.frombuffer(bytearray(open(path, "rb").read()), dtype=torch.uint8)
                      for path in (images, images.replace("images-idx3", "labels-idx1")))
    return (pixels[16:].reshape(-1, 1, 28, 28).float() / 255 - 0.1307) / 0.3081, labels[8:].long()


def net():
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.Dropout2d(),
                         nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(320, 50), nn.ReLU(), nn.Dropout(),
                         nn.Linear(50, 10))
