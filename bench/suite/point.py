# SPDX-License-Identifier: Apache-2.0
"""How a contestant that is a program of its own tells its points (see suite/peer.py: by_script)."""
import json
import sys


def tell(seconds, epochs, **more):
    """A line to who asked: and in `more` `value` or `weights`. Waits until it is measured, and ends the
    program where it was the last one that is wanted."""
    print("\n" + json.dumps({"seconds": seconds, "epochs": epochs, **more}), flush=True)  # libraries print, too
    if input() != "go on":
        sys.exit(0)
