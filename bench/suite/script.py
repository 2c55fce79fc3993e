# SPDX-License-Identifier: Apache-2.0
"""Calls main() of a contestant's module under the Python that peers run under: python -m suite.script MODULE ASKED."""
import contextlib
import importlib
import json
import os
import sys
import types

if __name__ == "__main__":  # and not where a worker process that a contestant has spawned imports this file
    with contextlib.suppress(ValueError):
        sys.path.remove(os.getcwd())  # files there would hide packages of the same name
    importlib.import_module(sys.argv[1]).main(types.SimpleNamespace(**json.loads(sys.argv[2])))
