# SPDX-License-Identifier: Apache-2.0
"""`python -m hogwild` runs the command: the program in this package replaces this process."""
import os
import sys


def main():
    path = os.path.join(os.path.dirname(__file__), "bin", "hogwild")
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as fault:
        print(f"hogwild: {path} cannot be started: {fault.strerror}; install the package anew", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())
