# SPDX-License-Identifier: Apache-2.0
"""A CUDA device as a worker with a replica of its own."""
import shutil

from suite.engine import Engine


def lacking(_):
    return "" if shutil.which("nvidia-smi") else "there is no CUDA device (no program nvidia-smi)"


contestant = Engine("device", ["--engine", "cuda"], workers=(1,), lacking=lacking,
                    families=("linear", "softmax", "ratings", "machine", "words"))
