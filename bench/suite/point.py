# SPDX-License-Identifier: Apache-2.0
"""Reports the points of a contestant that runs as a program of its own (see suite/peer.py: by_script)."""
import json
import sys


def tell(seconds, epochs, **more):
    """Prints a line for the caller, with `value` or `weights` in `more`. Waits until it is measured, and ends the
    program if it was the last point that is wanted."""
    print("\n" + json.dumps({"seconds": seconds, "epochs": epochs, **more}), flush=True)  # libraries print, too
    if input() != "go on":
        sys.exit(0)
