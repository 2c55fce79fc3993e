# SPDX-License-Identifier: Apache-2.0
"""The simulator's input: figures of one data set on one kind of machine, and of networks, from a JSON file."""
import bisect
import dataclasses
import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import network  # noqa: E402
from suite import record  # noqa: E402

ENGINES = ("ring", "all_reduce", "local_sgd")


@dataclasses.dataclass(frozen=True)
class Workload:
    """A data set and a model, as one machine trains them."""
    rows: int
    parameters: int
    row_seconds: float  # to train one row
    number_bytes: int = 4
    arrays: int = 1  # parameters, and the optimiser's state beside them
    turn_seconds: float = 0.0  # of a ring's turn, a part that does not depend on its length
    turn_seconds_per_parameter: float = 0.0
    meeting_seconds: dict = dataclasses.field(default_factory=dict)  # engine: of a meeting, without the network's time
    merge_seconds: float = 0.0  # of a ring's merge at the end of an epoch, without the network's time
    sync_rows: dict = dataclasses.field(default_factory=lambda: {"all_reduce": 64, "local_sgd": 1024})
    column_shares: tuple = ()  # (rank, share of rows that have this column), ascending; empty: all rows have all
    message_scale: float = 1.0  # measured bytes of a ring's messages divided by those of the law
    epochs_to_target: dict = dataclasses.field(default_factory=dict)  # engine: ((machines, epochs), ...)
    by_network: dict = dataclasses.field(default_factory=dict)  # network name: which of the above differ there

    def on(self, network_name):
        """The workload as it is trained on that network."""
        return dataclasses.replace(self, **self.by_network.get(network_name, {}), by_network={})

    def share_of_column(self, rank):
        """The share of rows that have this column, interpolated linearly between the given ones, in logarithms."""
        points = self.column_shares
        if not points:
            return 1.0
        at = bisect.bisect_left(points, (rank, -1.0))
        if at == 0:
            return points[0][1]
        if at == len(points):
            return points[-1][1]
        (r0, s0), (r1, s1) = points[at - 1], points[at]
        if s0 <= 0.0 or s1 <= 0.0:
            return min(s0, s1)
        way = math.log((rank + 1) / (r0 + 1)) / math.log((r1 + 1) / (r0 + 1))
        return math.exp(math.log(s0) + way * (math.log(s1) - math.log(s0)))

    def epochs(self, engine, machines):
        """Epochs to the target, and whether they were measured with so many machines; None if nothing was measured."""
        points = sorted(tuple(point) for point in self.epochs_to_target.get(engine, ()))
        if not points:
            return None, False
        known = dict(points)
        if machines in known:
            return known[machines], True
        below = [p for p in points if p[0] < machines]
        above = [p for p in points if p[0] > machines]
        if not below or not above:  # outside the measured range: as many as at its end
            return (above[0] if above else below[-1])[1], False
        (m0, e0), (m1, e1) = below[-1], above[0]
        return e0 + (e1 - e0) * math.log(machines / m0) / math.log(m1 / m0), False


def _made(kind, values, where):
    known = {field.name for field in dataclasses.fields(kind)}
    if unknown := sorted(set(values) - known):
        raise ValueError(f"{where}: unknown: {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from error


def checked(workload, where):
    for name in ("rows", "parameters", "row_seconds", "number_bytes", "arrays", "message_scale"):
        if not getattr(workload, name) > 0:
            raise ValueError(f"{where}: {name} has to be above 0")
    for name in ("turn_seconds", "turn_seconds_per_parameter", "merge_seconds"):
        if not getattr(workload, name) >= 0:
            raise ValueError(f"{where}: {name} cannot be below 0")
    if any(not seconds >= 0 for seconds in workload.meeting_seconds.values()):
        raise ValueError(f"{where}: meeting_seconds cannot be below 0")
    if workload.turn_seconds + workload.turn_seconds_per_parameter <= 0:
        raise ValueError(f"{where}: a turn of the ring takes some time: turn_seconds or turn_seconds_per_parameter")
    return workload


def read(path):
    """The sets and the networks of a file, each by its name."""
    told = record.document(path)
    if not told.get("sets") or not told.get("networks"):
        raise ValueError(f"{path}: it needs 'sets' and 'networks', at least one of each")
    with record.taken_from(path, "bench/network/constants"):
        return _sets_and_networks(path, told)


def _sets_and_networks(path, told):
    sets, networks = {}, {}
    for name, values in told["sets"].items():
        where = f"{path}: set {name}"
        values = dict(values, column_shares=tuple(tuple(point) for point in values.get("column_shares", ())))
        sets[name] = checked(_made(Workload, values, where), where)
        for network_name, changes in sets[name].by_network.items():
            if unknown := sorted(set(changes) - {"sync_rows", "epochs_to_target"}):
                raise ValueError(f"{where}: by_network: {network_name}: {unknown[0]} is the same everywhere")
    for name, values in told["networks"].items():
        networks[name] = _made(network.Network, values, f"{path}: network {name}")
        if not networks[name].bytes_per_second > 0 or not networks[name].latency_seconds >= 0:
            raise ValueError(f"{path}: network {name}: bytes_per_second above 0, latency_seconds not below 0")
    return sets, networks
