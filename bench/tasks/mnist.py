# SPDX-License-Identifier: Apache-2.0
"""A small convolutional net on MNIST."""
from suite import data
from suite.terms import Target, Task

suites = ("full",)
task = Task("mnist", "images", data.images(60000, 10000),
            ["--model", "convnet", "--net", "mnist", "--optimizer", "momentum", "--momentum", "0.5", "--batch", "64"],
            Target("test_accuracy", 0.98, False, "98 of 100 test images right"),
            {"": {"step": 0.01}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 14)
