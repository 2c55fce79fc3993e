# SPDX-License-Identifier: Apache-2.0
"""napkinXC: probabilistic label trees, node by node by LIBLINEAR, a fit in all. Its own precision of the test rows is
used."""
import pathlib
import time

from suite import point
from suite.peer import module, option, script


def main(asked):
    from napkinxc.datasets import load_libsvm_file
    from napkinxc.models import PLT
    begin = time.perf_counter()
    (rows, labels), (tested, wanted) = (load_libsvm_file(asked.data[part]) for part in ("train", "test"))
    parsed = time.perf_counter() - begin
    model = PLT(str(pathlib.Path(asked.work) / "napkinxc"), max_leaves=int(option(asked, "--leaves", 256)),
                liblinear_c=asked.settings["cost"], threads=asked.workers, seed=asked.seed)
    begin = time.perf_counter()
    model.fit(rows, labels)
    seconds = time.perf_counter() - begin
    right = sum(best[0] in of for best, of in zip(model.predict(tested, top_k=1), wanted)) / len(wanted)
    point.tell(seconds=seconds, epochs=1, value=right, parse_seconds=parsed)


contestant = script("napkinxc", module("napkinxc", "napkinxc"), ("tree",), {"cost": [1, 10, 100]},
                    metrics=("test_precision_at_1",), workers=(1, 2))
