# SPDX-License-Identifier: Apache-2.0
"""Lock-free shared-memory training of sparse, factor and small neural models.

    import hogwild as hw
    data = hw.Dataset(X, y)                        # scipy CSR, numpy, pandas, polars, Arrow
    model = hw.train(data, "logistic", epochs=10)  # any model and option of the command
    from hogwild.sklearn import SGDClassifier      # scikit-learn's interface
    hw.search.Grid(SGDClassifier(), {"alpha": [1e-5, 1e-4]}).fit(X, y)
"""
import importlib as _importlib

from ._data import Dataset, open
from ._engine import ConfigError, Error, InputError, Note, ResourceError, WorkerError
from ._engine import version as __version__
from ._live import LiveParameters, attach
from ._loss import Loss, loss
from ._record import Run
from ._train import Job, Model, load, models, start, tqdm, train

__all__ = ["Dataset", "open", "train", "start", "attach", "load", "loss", "models", "tqdm", "Job", "LiveParameters", "Loss", "Model", "MatrixFactorization", "Run",
           "FastText", "Word2Vec", "WordVectors", "Error", "ConfigError",
           "InputError", "Note", "ResourceError", "WorkerError", "__version__"]


def __getattr__(name):
    """Imports parts on first use that need scipy, scikit-learn or PyTorch, whose import is slow."""
    if name in ("FastText", "MatrixFactorization", "Word2Vec", "WordVectors"):
        return getattr(_importlib.import_module("hogwild.factors" if name[0] == "M" else "hogwild.words"), name)
    if name in ("graph", "kg", "recommend", "sklearn", "search", "text", "torch", "words"):
        return _importlib.import_module("hogwild." + name)
    raise AttributeError(f"module 'hogwild' has no attribute {name!r}")
