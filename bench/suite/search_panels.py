# SPDX-License-Identifier: Apache-2.0
"""The plots of a record of `hogwild search`: the metric against each option and against epochs."""
from suite.draw import GAP, LARGEST, MOST_TICKS, Panel, Section, drawable
from suite.tables import number

DEALS_EPOCHS = ("halving", "hyperband")  # strategies that drop trials on their way


def section(line):
    metric, trials = line["metric"], [t for t in line["trials"] if t["epochs"] > 0]
    best = line.get("best") if drawable(line.get("best", {}).get("metric")) else None
    panels, notes = [], []
    if any(drawable(t["metric"]) for t in trials):
        drawn = [_by_option(line, trials, best, *space.split("=", 1)) for space in line["space"]]
        drawn.append(_by_epochs(line, trials, best))
        panels = [d for d in drawn if isinstance(d, Panel)]
        notes = [d for d in drawn if isinstance(d, str)]
        if larger := sum(t["metric"] is not None and not drawable(t["metric"]) for t in trials):
            notes.append(f"drawn as diverged: {larger} trials with a {metric} that is infinite or beyond {LARGEST:g}")
    else:
        notes.append(f"no trial has a {metric} that is finite and within {LARGEST:g}: there is nothing to draw")
    counts = {state: sum(t["state"] == state for t in line["trials"])
              for state in ("done", "stopped", "diverged", "waiting")}
    if not line["finished"]:
        notes.append(f"the search was stopped before its end: {counts['waiting']} trials wait for epochs")
    table = [("figure", "value"), ("trials", ", ".join(f"{n} {state}" for state, n in counts.items())),
             ("space", ", ".join(line["space"])), ("seconds", number(line["seconds"]))]
    if best:
        table += [(f"best {metric}", f"{best['metric']:.6g} of trial {best['trial']} after {best['epochs']} epochs"),
                  ("trains it", best["command"])]
    measured = f"{line['folds']} folds" if line["folds"] else f"{line['validation_rows']} rows held back"
    return Section(f"search by {line['strategy']}", f"{line['rows']} rows of {line['data']}, {metric} by {measured}, "
                   f"{line['epochs']} epochs for a trial that is trained to its end", panels, table, notes)


def _number(text):
    """The number in an option's text; None if it is a name."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if drawable(value) else None


def _by_option(line, trials, best, option, values):
    """The plot of one option; a sentence if all trials have the same value."""
    texts = [t["options"][option] for t in trials]
    places, scale, ticks = {text: _number(text) for text in texts}, "", {}
    if None in places.values():  # by name, in the order of the space
        order = dict.fromkeys([v for v in values.split(",") if v in places] + texts)
        places = {text: k for k, text in enumerate(order)}
        scale, ticks = "linear", {k: str(text) for text, k in places.items()}
    elif ":" in values:
        scale = "log" if values.startswith("log:") else "linear"
    if len(set(places.values())) == 1:
        return f"{option} is {texts[0]} in all trials: there is no plot of it"
    deals = _deals(line["strategy"], {t["epochs"] for t in trials})
    lines, diverged = {}, []
    for t in sorted(trials, key=lambda t: -t["epochs"] if deals else 0):  # sorting is stable
        x = places[t["options"][option]]
        if drawable(t["metric"]):
            name = _epochs(t["epochs"]) if deals else t["state"]
            lines.setdefault(name, []).append((x, t["metric"]))
        else:
            diverged.append((x, None))
    return Panel(f"{line['metric']} by {option}", option, line["metric"], lines=lines, scattered=True, x_scale=scale,
                 ticks=ticks, marks={_called(best): [(places[best["options"][option]], best["metric"])]
                                     if best and best["options"].get(option) in places else [],
                                     "dropped": [], "diverged": diverged})


def _by_epochs(line, trials, best):
    """The metrics of trials over epochs; a sentence if all were measured once, after the same number of epochs."""
    reached = sorted({epochs for t in trials for epochs, _ in t["measured"] if drawable(epochs)})
    if len(reached) < 2:
        return f"all trials were measured after {_epochs(reached[0])} only: there is no plot by epochs"
    deals = _deals(line["strategy"], reached)
    several = len({t["bracket"] for t in trials}) > 1
    lines, dropped, diverged = {}, [], []
    for t in trials:
        points = [(epochs, value) for epochs, value in t["measured"] if drawable(value)]
        lines.setdefault(f"bracket {t['bracket']}" if several else "trials", []).extend([*points, GAP])
        if not drawable(t["metric"]):
            diverged.append((t["epochs"], None))
        elif t["state"] == "stopped":
            dropped.append((t["epochs"], t["metric"]))
    return Panel(f"{line['metric']} over epochs", "epochs", line["metric"], lines=lines, scattered=not deals,
                 x_scale="log" if deals else "", ticks={epochs: str(epochs) for epochs in reached} if deals else {},
                 marks={_called(best): [(best["epochs"], best["metric"])] if best else [], "dropped": dropped,
                        "diverged": diverged})


def _deals(strategy, reached):
    """Whether trials are distinguished by their epochs: strategies that drop trials have few rungs."""
    return strategy in DEALS_EPOCHS and len(reached) <= MOST_TICKS


def _epochs(count):
    return f"{count} epoch" + "s" * (count != 1)


def _called(best):
    return f"best: trial {best['trial']}" if best else "best"
