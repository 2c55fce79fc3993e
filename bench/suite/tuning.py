# SPDX-License-Identifier: Apache-2.0
"""Equal tuning: the same number of trials for each contestant, and up to as many again while its best lies on an
edge."""
import math
import statistics

from suite import quality
from suite.terms import Outcome, Point

SEEDS = range(1001, 1004)  # of each trial; measured runs use none of them
BOUNDS = {"decay": (0.0, 1.0), "batch": (1, math.inf), "meeting": (1, math.inf), "iterations": (1, math.inf)}


def beyond(name, values, upper):
    """The next value past an edge, at the distance of the last two; None if there is none."""
    if len(values) < 2:
        return None
    near, far = (values[-2], values[-1]) if upper else (values[1], values[0])
    if not (isinstance(far, (int, float)) and near > 0 < far):
        return None
    if name == "decay":  # the distance to 1 is halved and doubled
        next_value = round(1 - (1 - far) ** 2 / (1 - near), 6) if far < 1 and near < 1 else 1.0
    else:
        next_value = far * far / near
        next_value = round(next_value) if isinstance(far, int) else next_value
    low, high = BOUNDS.get(name, (0.0, math.inf))
    return next_value if low < next_value < high and next_value != far else None


def epoch_seconds(outcome):
    """Seconds of an epoch; infinite if unknown."""
    last = outcome.points[-1] if outcome.points else None
    return last.seconds / last.epochs if last and last.epochs else math.inf


def score(outcomes, target, references=(), each=None):
    """Less is better: median seconds to the target; if most runs do not reach it, how far they are from it.

    `each`: seconds of an epoch, if more runs than these have measured them. If one run loses the target again, which is
    a failure, none counts as reaching it; `references`: serial runs, as quality.lost_again takes them, else one that
    ends at the target.
    """
    references = references or [Outcome([Point(0.0, 0.0, target.value)])]

    def seconds(o):
        reached = quality.to_target(o.points, target)
        if not reached:
            return math.inf
        return reached[0] if each is None else reached[1] * each
    lost = any(quality.to_target(o.points, target) and quality.lost_again(target, o, references) for o in outcomes)
    arrived = math.inf if lost else statistics.median(map(seconds, outcomes))
    values = [o.points[-1].value for o in outcomes if o.points and o.points[-1].value is not None]
    if arrived < math.inf or not values:
        return (arrived, math.inf)
    return (arrived, statistics.median(values) * (1 if target.less_is_better else -1))


def tune(run, grid, begun, target, trials, references=()):
    """Tries one knob after the other, then step and decay together, until nothing changes or no trial is left.

    Then tries values past the edge on which the best one lies, until it lies on none; with at most as many trials
    again. `run(settings, seed)` returns an Outcome, `grid` has ascending values by knob, `begun` settings to begin
    with. Returns the points that were tried, as dictionaries of `settings`, `outcomes`, `best` and `on_edge`; one is
    the best. Step and decay change how many epochs are needed, but not the time of an epoch, which varies more from run
    to run: that is the median of all runs whose other settings are the same.
    """
    tried, most = {}, trials

    def key(settings):
        return tuple(sorted(settings.items()))

    def ask(settings):
        if key(settings) not in tried:
            if len(tried) >= most:
                return None
            tried[key(settings)] = (settings, [run(settings, seed) for seed in SEEDS])
        return key(settings)

    def costs(settings):
        return tuple(sorted((name, x) for name, x in settings.items() if name not in ("step", "decay")))

    def found(at):
        settings, outcomes = tried[at]
        alike = [epoch_seconds(o) for other, runs in tried.values() if costs(other) == costs(settings) for o in runs]
        each = statistics.median(alike)
        return score(outcomes, target, references, each if each < math.inf else None)

    values = {name: sorted(each) for name, each in grid.items()}
    best = {**{name: each[len(each) // 2] for name, each in values.items()},
            **{name: x for name, x in begun.items() if name in values}}
    for name, x in best.items():
        values[name] = sorted({*values[name], x})
    ask(best)
    changed = True
    while changed and len(tried) < trials:
        changed = False
        for name in values:
            while True:
                asked = {x: ask({**best, name: x}) for x in values[name]}
                known = {x: found(at) for x, at in asked.items() if at is not None}
                winner = min(known, key=known.get)
                if winner != best[name]:
                    best, changed = {**best, name: winner}, True
                at = values[name].index(winner)
                if None in asked.values() or 0 < at < len(values[name]) - 1:
                    break
                further = beyond(name, values[name], at > 0)
                if further is None or len(tried) >= trials:
                    break
                values[name] = sorted([*values[name], further])
        if not changed and {"step", "decay"} <= values.keys():
            # A larger step needs a decay that is farther from 1: neither is better without the other.
            for upwards in (True, False):
                both = {name: beside(name, values[name], best[name], up)
                        for name, up in (("step", upwards), ("decay", not upwards))}
                at = ask({**best, **both}) if None not in both.values() else None
                if at is not None and found(at) < found(key(best)):
                    best, changed = {**best, **both}, True
                    values = {name: sorted({*each, best[name]}) for name, each in values.items()}
                    break

    def widened(settings):
        """The settings with the next value past an edge of the tried values, if they lie on one; else None."""
        for name, each in values.items():
            known = [other[name] for other, _ in tried.values()]
            for upper, end in ((True, max(known)), (False, min(known))):
                further = beside(name, sorted({*each, *known}), end, upper) if settings[name] == end else None
                if further is not None:
                    return {**settings, name: further}
        return None

    most = 2 * trials
    best = tried[min(tried, key=found)][0]
    while (further := widened(best)) and ask(further) is not None:
        best = tried[min(tried, key=found)][0]
    return [{"settings": settings, "outcomes": outcomes, "best": settings == best,
             "on_edge": settings == best and widened(best) is not None} for settings, outcomes in tried.values()]


def beside(name, values, x, upper):
    """The value next to x; if x is the last one, the one past it, or None."""
    at = values.index(x) + (1 if upper else -1)
    return values[at] if 0 <= at < len(values) else beyond(name, values, upper)
