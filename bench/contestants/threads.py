# SPDX-License-Identifier: Apache-2.0
"""Hogwild! by threads of one process."""
from suite.engine import Engine

contestant = Engine("threads", ["--engine", "threads"])
