# SPDX-License-Identifier: Apache-2.0
"""A task made from the command line: the user's rows, with the settings that a serial run chooses itself, and a target
that it reaches."""
import contextlib
import dataclasses
import json
import math
import pathlib
import statistics
import subprocess

from suite import engine, life, quality, tuning
from suite.terms import Target, Task, Unavailable
from suite.text import printable

SUITE = "own data"  # as in records
OFF = 0.01  # fraction by which a target differs from the end of serial runs, at least
NEAR = 0.001  # the same for an objective, if serial runs reach it too early to time
MODELS = {  # by family
    "linear": ("logistic", "hinge_svm", "squared_hinge", "modified_huber", "least_squares", "huber", "quantile",
               "epsilon_insensitive", "squared_epsilon_insensitive", "poisson"),
    "softmax": ("softmax",),
    "tree": ("label_tree",),
    "texts": ("text_classifier",),
    "ratings": ("matrix_factorization",),
    "pairs": ("bpr", "warp", "sampled_softmax"),
    "triples": ("transe", "distmult", "complex", "rotate"),
    "machine": ("factorization_machine", "ffm", "deepfm"),
    "images": ("mlp", "convnet"),
    "cut": ("graph_cut",),
    "words": ("skip_gram", "cbow", "glove", "paragraph_vectors"),
    "walks": ("node_vectors", "line"),
}
FAMILIES = {model: family for family, models in MODELS.items() for model in models}
METRICS = {"graph_cut": "test_cut"}  # for `--target auto`; for all others the objective
LESS = ("loss", "objective", "rmse", "cut")  # endings of metrics that are better if less
TOLD = ("--epochs", "--step", "--decay", "--schedule", "--l2")  # which runs take from the first serial run
OF_BENCH = {"--model", "--test", "--target", "--engine", "--workers", "--replicas", "--sync-rows", "--transport",
            "--seed", "--record", "--json", "--quiet", "--cache-dir", "--no-cache"}
LEAVES = {"--save", "--checkpoint", "--resume", "--segment", "--stream", "--folds", "--path"}
ENDS = {"--tolerance", "--tolerance-epochs", "--validation", "--patience", "--max-seconds"}
OF_PEERS = {"--model", "--l2", "--factors", "--hidden", "--batch", "--dimension", "--window", "--negative", "--sample",
            "--min-count"}  # options that other programs support, or that do not change their objective


def add_options(parser):
    parser.add_argument("rows", nargs="?", metavar="DATA", help="your own rows, the only task then; options "
                        "after -- go to every hogwild train")
    parser.add_argument("--test", metavar="FILE|FRACTION", help="test rows, or the fraction of DATA to hold back")
    parser.add_argument("--model", metavar="NAME", help="the model to train on DATA (default: logistic)")
    parser.add_argument("--target", metavar="auto|METRIC|METRIC=VALUE", help="the target that runs on DATA must reach. "
                        "A metric alone: near the value where serial runs end; auto: the same for the objective "
                        "(default: auto)")


def require(given):
    """ValueError if words of a call are incompatible. `given.of_train`: those after --."""
    if not given.rows:
        for name, value in (("--test", given.test), ("--model", given.model), ("--target", given.target),
                            ("--", given.of_train)):
            if value:
                raise ValueError(f"{name} is for your own rows: name their file, DATA")
        return
    if given.suite or given.task:
        raise ValueError(f"DATA is a task by itself: leave out {'--suite' if given.suite else '--task'}")
    if given.rows == "-":
        raise ValueError("DATA is read by every run: name a file")
    for name in filter(lambda word: word.startswith("--"), words_of(given)):
        if name in OF_BENCH:
            raise ValueError(f"-- {name}: who trains, on what and for which target, is said before --, or by the bench")
        if name in LEAVES:
            raise ValueError(f"-- {name}: runs that are measured leave nothing behind, and begin anew")
        if name in ENDS:
            raise ValueError(f"-- {name}: runs are compared over all of their epochs; say how many with --epochs")
    metric, _, value = target_of(given)
    if (metric or value is not None) and metric != "objective" and not metric.startswith("test_"):
        raise ValueError(f"--target {given.target}: auto, objective or a measure of test rows, as test_accuracy, is "
                         "expected; a value may follow it behind =")
    if metric.startswith("test_") and metric != METRICS.get(given.model) and not given.test:
        raise ValueError(f"--target {metric}: give test rows with --test FILE, or the fraction of DATA to hold back")
    if value is not None and not math.isfinite(value):
        raise ValueError(f"--target {given.target}: a number is expected behind =")


def words_of(given):
    """The words after --, one for each name and each value."""
    return [part for word in given.of_train for part in (word.split("=", 1) if word.startswith("--") else [word])]


def target_of(given):
    """(metric, =, value) of --target: the metric is empty for auto, the value None if none is given."""
    metric, equals, value = (given.target or "auto").partition("=")
    try:
        return "" if (metric, equals) == ("auto", "") else metric, equals, float(value) if equals else None
    except ValueError:
        return metric, equals, math.nan


def without(words, names):
    """Words without those options and their values."""
    kept, skip = [], False
    for word in words:
        if not skip and word not in names:
            kept.append(word)
        skip = word in names and not skip
    return kept


def first_run(place, data, words, arguments):
    """The report of a run, including options that it chose itself; Unavailable with its reason if it fails."""
    command = [place.hogwild, "train", data["train"], *(["--test", data["test"]] if "test" in data else []), *words,
               *arguments, "--seed", tuning.SEEDS[0], "--cache-dir", place.work / "cache", "--json", "--quiet"]
    try:
        done = life.run(command, timeout=engine.LONGEST)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"a serial run takes longer than {engine.LONGEST:g} s; take fewer rows, or fewer epochs by "
                          "-- --epochs N") from None
    if done.returncode != 0:
        raise Unavailable(f"the serial run that says what to reach failed: {done.stderr.strip()}")
    told = json.loads(done.stdout)
    if "models" in told:
        raise Unavailable("one class against the rest and ensembles are not measured; for classes use --model softmax")
    return told


def steps_of_engines(place, data, words, task, contestants, workers):
    """Steps, by contestant, that engines find themselves, if they differ from the serial run's: engines that make one
    step for many rows need a larger one. A contestant that fails reports why when it is measured."""
    found = {}
    for c in contestants:
        if not isinstance(c, engine.Engine) or c.name == "serial" or c.missing(place) or c.refuses(task):
            continue
        many = [] if c.workers == (1,) else ["--workers", workers]
        with contextlib.suppress(Unavailable):
            told = first_run(place, data, words, [*c.arguments, *many, "--epochs", task.epochs])
            if told["step"] != task.settings[""]["step"]:
                found[c.name] = {"step": told["step"]}
    return found


def reached(task, place, serial, told, wanted):
    """The target of a task: the requested one, or one near the end of three serial runs, of which `told` is one.

    It is farther from their median than the best run is from the worst, so each of them reaches it.
    """
    metric, less = task.target.metric, task.target.less_is_better
    if told.get(metric) is None:
        measured = [k for k, v in told.items() if v is not None and (k == "objective" or k.startswith("test_"))]
        raise Unavailable(f"{metric} is not measured for {told['model']} on these rows; choose one of "
                          + ", ".join(measured))
    if wanted is not None:
        return Target(metric, wanted, less, "named in the call")
    others = [serial.run(task, place, 1, serial.settings(task), seed) for seed in tuning.SEEDS[1:]]
    for outcome in others:
        if outcome.error:
            raise Unavailable(f"a serial run that says what to reach failed: {outcome.error}")
    ends = [told[metric], *(o.points[-1].value for o in others)]
    if None in ends:
        raise Unavailable(f"a serial run that says what to reach ends without {metric}")
    end, spread = statistics.median(ends), max(ends) - min(ends)

    def beside(part):
        wide = spread > part * abs(end)
        margin = spread if wide else part * abs(end)
        by = f"{100 * margin / abs(end):.3g} %" if end else f"{margin:.3g}"
        value = max(end + margin, *ends) if less else min(end - margin, *ends)  # sums are rounded
        return Target(metric, value, less, (
            f"{end:.6g} {'+' if less else '-'} {by}: the median of 3 serial runs of {task.epochs} epochs"
            f"{', and by how much these differ' if wide else ''}"))

    def comes_early(target):
        return all((at := quality.to_target(o.points, target)) and at[1] < quality.FEWEST_MEASUREMENTS for o in others)
    return beside(NEAR if metric == "objective" and comes_early(beside(OFF)) else OFF)


def task(given, place, contestants):
    """The task of a call. Unavailable if a serial run cannot train it, or does not measure the metric."""
    path, words = pathlib.Path(given.rows).absolute(), words_of(given)
    data, name = {"train": path}, printable(path.name)
    held_back = given.test and is_number(given.test)
    if given.test and not held_back:
        data["test"] = pathlib.Path(given.test).absolute()
    of_test = ["--test", given.test] if held_back else []
    named = ["--model", given.model] if given.model else []
    print(f"{name}: serial runs say what to reach", flush=True)
    serial = next(c for c in contestants if c.name == "serial")
    told = first_run(place, data, [*named, *of_test, *words], serial.arguments)
    model, others = told["model"], without(words, TOLD)
    options, settings = ["--model", model, *of_test, *others], {"step": told["step"]}
    if told["l2"] > 0 or "--l2" in words:
        options += ["--l2", repr(told["l2"])]
    if told["schedule"] == "geometric":
        settings["decay"] = told["decay"]
    else:  # trials of settings leave it unchanged
        options += ["--schedule", told["schedule"]]
        options += ["--decay", repr(told["decay"])] if told["schedule"] != "constant" else []
    metric, _, wanted = target_of(given)
    metric = metric or METRICS.get(model, "objective")
    made = Task(name, FAMILIES.get(model, ""), lambda _: data, options,
                Target(metric, math.nan, metric.endswith(LESS), "not known yet"), {"": settings}, "", told["epochs"],
                ours_alone(others, held_back, model, told["l2"]))
    made = dataclasses.replace(made, target=reached(made, place, serial, told, wanted))
    of_engines = steps_of_engines(place, data, options, made, contestants, max(given.workers)) if told["step_found"] \
        else {}
    shown = [", ".join(f"{k} {v:.6g}" for k, v in settings.items()),
             *(f"{c} {each['step']:.6g}" for c, each in of_engines.items())]
    how = "found by a search" if told["step_found"] else "as given, or as the model has them"
    return dataclasses.replace(made, settings={"": settings, **of_engines},
                               found=f"{', '.join(shown)}; {how}; --tune N tries others")


def ours_alone(words, held_back, model, l2):
    """Why other programs cannot train with these words of hogwild train; empty if they can."""
    if held_back:
        return "the task's test rows are not in a file of their own"
    unknown = [word for word in words if word.startswith("--") and word not in OF_PEERS]
    if unknown:
        return f"it does not know {unknown[0]}"
    return "what it minimises has l2" if l2 == 0 and FAMILIES.get(model) in ("linear", "softmax") else ""


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
