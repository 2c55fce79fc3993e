# SPDX-License-Identifier: Apache-2.0
"""One worker alone: the reference of every other engine."""
from suite.engine import Engine

contestant = Engine("serial", ["--engine", "serial"], workers=(1,))
