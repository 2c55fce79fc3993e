# SPDX-License-Identifier: Apache-2.0
"""A small convolutional net on the first 5,000 images of MNIST."""
from suite import data
from suite.terms import Target, Task

suites = ("quick",)
task = Task("images", "images", data.images(5000, 1000),
            ["--model", "convnet", "--net", "mnist", "--optimizer", "momentum", "--momentum", "0.5", "--batch", "32"],
            Target("test_accuracy", 0.965, False, "965 of 1,000 test images right"),
            {"": {"step": 0.03, "decay": 0.9}},
            "not tuned, but chosen so that a serial run takes about eight measurements or more", 20)
