# SPDX-License-Identifier: Apache-2.0
"""Machines in lockstep: each trains so many rows, then all meet; all_reduce and local_sgd."""
from machines import Pace, Trainer, shard_rows
from messages import MessageLaw
from outcome import Outcome, quantile

SAMPLES = 8  # of staleness, between two meetings


INDEX_BYTES = 4
NEWS_BYTES = 16  # rows, and number of pairs: exchanged by all before each meeting
CHECK_BYTES = 16  # at an epoch's end
PAIRS_OF_PARAMETERS = 2  # pairs are sent if all machines together have at most the parameters divided by this


def exchange(workload, net, machines, engine):
    """Seconds that a meeting's numbers are under way, bytes that a machine sends, and whether pairs are sent."""
    if engine == "all_reduce":
        pairs = MessageLaw(workload).changed_columns(workload.sync_rows[engine])
        if pairs * machines * PAIRS_OF_PARAMETERS <= workload.parameters:
            return *net.all_gather(machines, pairs * (INDEX_BYTES + workload.number_bytes)), True
        return *net.all_reduce(machines, workload.parameters, workload.number_bytes), False
    # A mean includes the optimiser's state, too.
    seconds, sent = net.all_reduce(machines, workload.parameters, workload.number_bytes)
    return workload.arrays * seconds, workload.arrays * sent, False


def simulate(workload, net, machines, engine, law="constant", epochs=3, seed=1):
    rows = workload.sync_rows[engine]
    pace = Pace(law, machines, seed)
    trainers = [Trainer(m, shard_rows(workload.rows, m, machines), workload.row_seconds, pace)
                for m in range(machines)]
    agree_seconds, agree_bytes = net.all_gather(machines, NEWS_BYTES)
    sum_seconds, sum_bytes, _ = exchange(workload, net, machines, engine)
    own_seconds = workload.meeting_seconds.get(engine, 0.0)
    now = sent = trained = 0.0
    meetings = 0
    staleness = []
    for _ in range(epochs):
        for trainer in trainers:  # the first one tells the others when to begin
            trainer.open_epoch(now if trainer.machine == 0 else now + net.latency_seconds)
        while True:
            brought = [trainer.train_rows(rows) for trainer in trainers]
            now = max(trainer.now for trainer in trainers) + agree_seconds
            sent += agree_bytes
            total = sum(brought)
            if total == 0.0:
                break
            staleness += [(total - brought[0]) * (i + 0.5) / SAMPLES for i in range(SAMPLES)]
            now += sum_seconds + own_seconds
            sent += sum_bytes
            meetings += 1
            for trainer in trainers:
                trainer.pause_until(now)
        if machines > 1:  # the first one sends its bytes, and each other one answers whether it has the same
            check_seconds, check_bytes = net.all_gather(machines, CHECK_BYTES)
            now += net.message(CHECK_BYTES) + check_seconds
            sent += check_bytes
        trained += sum(trainer.trained for trainer in trainers)
    return Outcome(machines=machines, epoch_seconds=now / epochs, exchanges=meetings / epochs,
                   bytes_sent=sent / epochs, rows_trained=trained / epochs,
                   staleness_p50=quantile(staleness, 0.50), staleness_p99=quantile(staleness, 0.99))
