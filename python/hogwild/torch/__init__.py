# SPDX-License-Identifier: Apache-2.0
"""PyTorch modules, compiled into the engine's nets or shared by processes that train them unchanged."""
try:
    import torch as _torch  # noqa: F401
except ImportError:
    raise ImportError("hogwild.torch needs PyTorch: pip install torch") from None

from ._nets import CompiledNet, compile
from ._shared import attach, share
from ._spawn import WorkerEnd, spawn

__all__ = ["CompiledNet", "WorkerEnd", "attach", "compile", "share", "spawn"]
