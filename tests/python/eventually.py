# SPDX-License-Identifier: Apache-2.0
"""Waiting for what another thread or process does."""
import time


def eventually(holds, seconds=60.0):
    """Waits until holds(), at most so long. Returns whether it came true."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True
