# SPDX-License-Identifier: Apache-2.0
"""Lock-free shared-memory training of sparse, factor and small neural models."""
from . import _engine
