# SPDX-License-Identifier: Apache-2.0
"""Hogwild++: a replica for each worker; the replicas exchange on a ring."""
from suite.engine import Engine

contestant = Engine("ring", ["--engine", "ring", "--replicas", "2"], ranks=["--engine", "ring"], least=2,
                    families=("linear", "softmax", "ratings", "machine"))
