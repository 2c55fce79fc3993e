# SPDX-License-Identifier: Apache-2.0
"""The small convolutional net of PyTorch's Hogwild example on MNIST."""
import json
import pathlib

import runs

BATCH, STEP, MOMENTUM, EPOCHS = 64, 0.01, 0.5, 10
LEAST_ACCURACY = 0.982
FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
HERE = pathlib.Path(__file__).resolve().parent


def task(asked, folder):
    images = [pathlib.Path(asked.data or ".") / (name + ".gz") for name in FILES]
    if not asked.data or not all(path.exists() for path in images):
        raise runs.NoData("the files of MNIST are not there; name their folder with --data")

    def ours(*more):
        return runs.Hogwild(asked.hogwild, folder,
                            [images[0], "--model", "convnet", "--net", "mnist", "--optimizer", "momentum",
                             "--momentum", str(MOMENTUM), "--step", str(STEP), "--batch", str(BATCH), "--epochs",
                             str(EPOCHS), "--test", images[2], "--cache-dir", str(folder), *more],
                            target=("test_accuracy", 0.98))

    def torch(workers):
        def run():
            seconds, said = runs.output_of([asked.python, HERE / "torch_hogwild.py", "--data", asked.data, "--workers",
                                            workers, "--epochs", EPOCHS, "--batch", BATCH, "--step", STEP,
                                            "--momentum", MOMENTUM], folder, 7200.0)
            return {**json.loads(said.splitlines()[-1]), "command_seconds": seconds}
        return run

    lacks_torch = runs.found(asked.python)
    if not lacks_torch:
        try:
            runs.output_of([asked.python, "-c", "import torch"], folder)
        except runs.NoData:
            lacks_torch = "this Python has no torch"
    few = f"{asked.workers} "
    return runs.Task(
        "images", f"MNIST, the net mnist, momentum {MOMENTUM}, step {STEP}, batch {BATCH}, {EPOCHS} epochs",
        "test_accuracy", f"at least {LEAST_ACCURACY}", lambda f: f["test_accuracy"] >= LEAST_ACCURACY,
        [runs.Contestant("one worker", 1, ours("--engine", "serial")),
         runs.Contestant(few + "threads", asked.workers, ours("--workers", str(asked.workers))),
         runs.Contestant(few + "processes", asked.workers,
                         ours("--workers", str(asked.workers), "--engine", "processes")),
         *(runs.Contestant(f"PyTorch, {n} process" + ("es" if n > 1 else ""), n, torch(n), lacks_torch, most_runs=1)
           for n in (1, asked.workers))],
        [("two workers against one", few + "threads", "one worker", "rate"),
         ("two workers against one, time to 98 %", "one worker", few + "threads", "seconds_to_target"),
         ("processes against threads", few + "processes", few + "threads", "rate"),
         ("one worker against PyTorch", "one worker", "PyTorch, 1 process", "rate"),
         ("two workers against PyTorch", few + "threads", f"PyTorch, {asked.workers} processes", "rate")])
