# SPDX-License-Identifier: Apache-2.0
"""Synchronous SGD: the gradients of all workers are summed after each batch."""
from suite.engine import Engine

contestant = Engine("all_reduce", ["--engine", "all_reduce"], ranks=["--engine", "all_reduce"], meeting=(16, 64, 256),
                    batch=(1, 4, 16),
                    families=("linear", "softmax", "ratings", "machine", "images"))
