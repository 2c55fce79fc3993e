# SPDX-License-Identifier: Apache-2.0
"""Workers train by themselves and average their parameters now and then."""
from suite.engine import Engine

contestant = Engine("local_sgd", ["--engine", "local_sgd"], ranks=["--engine", "local_sgd"], meeting=(256, 1024, 4096),
                    families=("linear", "softmax", "ratings", "machine", "images"))
