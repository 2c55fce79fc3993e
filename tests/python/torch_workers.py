# SPDX-License-Identifier: Apache-2.0
"""The functions of torch_test.py's workers, in a module, since processes are started anew."""
import os
import signal
import time

import torch

from eventually import eventually


def add_one(worker, model, done):
    with torch.no_grad():
        model.weight[0, worker] += 1.0
    open(os.path.join(done, str(worker)), "w").close()


def dies_or_goes_on(worker, model, folder):
    if worker == 0:
        open(os.path.join(folder, str(os.getpid())), "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    # The other's end has been noticed once the system has forgotten its number.
    assert eventually(lambda: [pid for pid in os.listdir(folder) if not os.path.exists(f"/proc/{pid}")])
    with torch.no_grad():
        model.weight += 1.0


def raises(worker, model):
    if worker == 1:
        raise ValueError("a batch of nothing")


def share_and_wait(path):
    """Shares a module, writes its name to a file, and waits to be killed."""
    import hogwild.torch
    model = torch.nn.Linear(3, 2)
    with torch.no_grad():
        model.weight.fill_(4.0)
    name = hogwild.torch.share(model)
    with open(path + ".part", "w") as file:
        file.write(name)
    os.rename(path + ".part", path)
    time.sleep(600)


if __name__ == "__main__":
    import sys
    share_and_wait(sys.argv[1])
