# SPDX-License-Identifier: Apache-2.0
"""The arguments of a call of `hogwild bench`."""
import argparse
import os
import pathlib
import sys

from suite import own, places, record

SEEDS = {"tiny": 1, "quick": 3}  # by suite; all others: nine
SUITE = {"tasks", "contestants", "places", "workers", "seeds", "seeds_of_others"}  # keys that a suite's file may have


def require_suite(chosen):
    """ValueError if `chosen` has keys that a suite's file may not have."""
    if set(chosen) - SUITE:
        raise ValueError(f"an object with any of {', '.join(sorted(SUITE))} is expected")

    def number(x):
        return isinstance(x, int) and not isinstance(x, bool) and x > 0
    for name, value in chosen.items():
        if name.startswith("seeds"):
            if not number(value):
                raise ValueError(f"{name}: a whole number from 1 on is expected")
        elif not isinstance(value, list) or not value or not all(
                number(x) if name == "workers" else isinstance(x, str) for x in value):
            raise ValueError(f"{name}: a list of {'whole numbers from 1 on' if name == 'workers' else 'names'} is "
                             "expected")


def asked(purpose, words):
    """The parser, for errors beyond single words, and the parsed arguments of a call."""
    parser = argparse.ArgumentParser(
        prog="hogwild bench", description=purpose, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [OPTIONS]\n       %(prog)s DATA [--test FILE] [--model NAME] [OPTIONS] [-- OPTIONS OF TRAIN]",
        epilog="Example:\n  hogwild bench --suite tiny --workers 1,2 --out records\n"
               "  hogwild bench train.svm --test test.svm --engines threads,processes -- --l2 1e-6 --epochs 30")
    parser.add_argument("--suite", help="tiny, quick or full, or a JSON file that sets any of tasks, contestants, "
                        "places, workers and seeds (default: quick)")
    parser.add_argument("--task", action="append", metavar="NAME", help="run only this task (may be repeated)")
    own.add_options(parser)
    parser.add_argument("--contestant", "--engines", action="extend", metavar="NAME,...",
                        type=lambda text: text.split(","),
                        help="run only these, beside serial (may be repeated; default for DATA: all engines)")
    parser.add_argument("--workers", help="numbers of workers, with commas (default: one for each CPU)")
    parser.add_argument("--sharing", help="ways of sharing that threads and processes run with, with commas: direct, "
                        "buffered, head, auto (default: auto)")
    parser.add_argument("--place", action="append", metavar="NAME",
                        help="where to run: here (default), or on a slow network of namespaces with one worker "
                        f"each: {', '.join(places.NAMES[1:])} (may be repeated)")
    parser.add_argument("--seeds", type=int,
                        help="runs of each contestant (default: 9; tiny: 1; quick: 3, and 1 of peers)")
    parser.add_argument("--tune", type=int, default=0, metavar="N",
                        help="try N settings for each contestant first (default: 0)")
    parser.add_argument("--wait", type=float, default=None, metavar="SECONDS",
                        help="longest wait for idle CPUs before a run (default: 2; tiny: 0)")
    parser.add_argument("--data", type=pathlib.Path, metavar="DIR", default=os.environ.get("HOGWILD_DATA_DIR"),
                        help="folder of the data sets (default: $HOGWILD_DATA_DIR)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("bench-records"),
                        help="folder for the record (default: bench-records)")
    parser.add_argument("--hogwild", default=places.program(),
                        help="the hogwild program to run (default: $HOGWILD_PROGRAM, that of this prefix, or hogwild)")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs peers (default: this one)")
    parser.add_argument("--list", action="store_true",
                        help="list tasks and contestants, and what this machine lacks for them")
    at = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:at])
    given.of_train = words[at + 1:]
    try:
        own.require(given)
    except ValueError as error:
        parser.error(str(error))
    given.suite = given.suite or (own.SUITE if given.rows else "quick")
    given.chosen = {}
    if not given.rows and given.suite not in ("tiny", "quick", "full"):
        try:
            given.chosen = record.document(given.suite)
            require_suite(given.chosen)
        except (OSError, record.Damaged) as error:
            parser.error(f"--suite {error}")
        except ValueError as error:
            parser.error(f"--suite {given.suite}: {error}")
    try:
        workers = given.workers.split(",") if given.workers else given.chosen.get("workers", [os.cpu_count() or 1])
        given.workers = [int(w) for w in workers]
    except ValueError:
        parser.error("--workers takes whole numbers with commas between them")
    of_suite = given.chosen if given.seeds is None else {}
    told = of_suite.get("seeds", given.seeds)
    given.seeds = SEEDS.get(given.suite, 9) if told is None else told
    given.of_peers = of_suite.get("seeds_of_others", 1 if told is None and given.suite == "quick" else given.seeds)
    given.sharing = given.sharing.split(",") if given.sharing else []
    if unknown := [s for s in given.sharing if s not in ("direct", "buffered", "head", "auto")]:
        parser.error(f"--sharing {unknown[0]}: direct, buffered, head or auto is expected")
    if given.seeds < 1 or given.tune < 0 or min(given.workers) < 1:
        parser.error("--seeds and --workers are at least 1, --tune at least 0")
    given.places = given.place or given.chosen.get("places") or ["here"]
    if unknown := [p for p in given.places if p not in places.NAMES]:
        parser.error(f"there is no place {unknown[0]}; there are {', '.join(places.NAMES)}")
    given.wait = (0 if given.suite == "tiny" else 2) if given.wait is None else given.wait
    return parser, given
