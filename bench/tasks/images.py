# SPDX-License-Identifier: Apache-2.0
"""A small convolutional net on the first 5,000 images of MNIST."""
from suite import data
from suite.terms import Target, Task

suites = ("quick",)
task = Task("images", "images", data.images(5000, 1000),
            ["--model", "convnet", "--net", "mnist", "--optimizer", "momentum", "--momentum", "0.5", "--batch", "32",
             "--schedule", "geometric"],
            Target("test_accuracy", 0.965, False, "965 of 1,000 test images right"),
            {"": {"step": 0.04, "decay": 0.95}},
            "between the best of ten trials of a serial run (0.06) and of two threads (0.03); the others had none", 20)
