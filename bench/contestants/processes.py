# SPDX-License-Identifier: Apache-2.0
"""Hogwild! by processes that share a memory segment."""
from suite.engine import Engine

contestant = Engine("processes", ["--engine", "processes"])
