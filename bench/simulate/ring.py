# SPDX-License-Identifier: Apache-2.0
"""Replicas on a ring: one message goes round while all machines train.

As there is only one message, its events form a chain in the order of time, and each machine is brought up to date only
when the message arrives. An epoch is over when the first machine learns, at its turn, that all together have trained
its rows; machines that have finished theirs by then train some again, two turns later.
"""
from machines import Pace, Trainer, shard_rows
from messages import MessageLaw, ruler_prefix
from outcome import Outcome, quantile

PAUSE_PER_TURN, LONGEST_PAUSE = 19, 0.020
SAMPLES = 8  # of staleness, between two turns of a machine
WATCHED = 16  # machines whose staleness is noted, if there are more


class _Replica:
    def __init__(self, trainer, bands):
        self.trainer = trainer
        self.pause = 0.0
        self.known = 0.0  # rows of the others, by the last message
        self.sent_at = [0.0] * bands  # rows of all machines when each band was last sent
        self.open_epoch(0.0)

    def open_epoch(self, at):
        self.turns = 0
        self.next_pass_at = None
        self.opened = at
        self.stale = self.known = 0.0
        self.sent_at = [0.0] * len(self.sent_at)
        self.trainer.open_epoch(at)

    def come_to(self, at):
        """Trains until `at`, and notes if it has run out of rows."""
        self.trainer.train_until(at)
        if self.trainer.finished and self.next_pass_at is None:
            self.next_pass_at = self.turns + 2

    def end_turn(self, at):
        self.trainer.pause_until(at)
        self.turns += 1
        if self.next_pass_at is not None and self.turns >= self.next_pass_at:
            self.trainer.begin_pass(at)
            self.next_pass_at = None


class _Run:
    def __init__(self, workload, net, machines, law, seed):
        self.workload, self.net, self.machines = workload, net, machines
        self.messages = MessageLaw(workload)
        pace = Pace(law, machines, seed)
        self.replicas = [_Replica(Trainer(m, shard_rows(workload.rows, m, machines), workload.row_seconds, pace),
                                  len(self.messages.bands)) for m in range(machines)]
        self.sent = self.exchanges = self.trained = 0.0
        self.staleness = []

    def epoch(self, begin):
        """Returns when it ends."""
        for replica in self.replicas:  # the first one tells the others when to begin
            replica.open_epoch(begin if replica.trainer.machine == 0 else begin + self.net.latency_seconds)
        rows = [0.0] * self.machines  # rows in the message
        arrival, turn = begin, 1
        while True:
            for replica in self.replicas:
                me = replica.trainer.machine
                first_of_all = me == 0 and turn == 1
                at = max(arrival, replica.opened) + (0.0 if first_of_all else replica.pause)
                replica.come_to(at)
                rows[me] = replica.trainer.trained
                if me == 0 and sum(rows) >= self.workload.rows:
                    return self._end(at)
                arrival = self._turn(replica, at, turn, rows)
            turn += 1

    def _turn(self, replica, at, turn, rows):
        """Returns when the message has reached the next machine."""
        total = sum(rows)
        if replica.trainer.machine % max(1, self.machines // WATCHED) == 0:
            self._note_staleness(replica, at, total - rows[replica.trainer.machine])
        bands, parameters = self.messages.covered(ruler_prefix(turn))
        size = self.messages.header_bytes(self.machines)
        for band in range(bands):
            size += self.messages.band_bytes(band, total - replica.sent_at[band])
            replica.sent_at[band] = total
        w = self.workload
        took = w.turn_seconds + w.turn_seconds_per_parameter * parameters * w.arrays
        replica.end_turn(at + took)
        replica.pause = min(PAUSE_PER_TURN * took, LONGEST_PAUSE)
        self.sent += size
        self.exchanges += 1
        return at + took + self.net.message(size)

    def _note_staleness(self, replica, at, told):
        """Notes how many rows the others have trained since the machine's last turn, which it has not seen."""
        now = sum(other.trainer.expected_at(at) for other in self.replicas if other is not replica)
        begin, end = replica.stale, now - replica.known
        self.staleness += [begin + (end - begin) * (i + 0.5) / SAMPLES for i in range(SAMPLES)]
        replica.stale, replica.known = now - told, told

    def _end(self, at):
        """The stop goes round, then all sum their parameters."""
        arrival = at
        for replica in self.replicas:
            if replica.trainer.machine > 0:
                at = max(arrival, replica.opened) + replica.pause
                replica.come_to(at)
            self.trained += replica.trainer.trained
            if replica.trainer.machine + 1 < self.machines:
                size = self.messages.header_bytes(self.machines)
                self.sent += size
                arrival = at + self.net.message(size)
        for _ in range(self.workload.arrays):
            seconds, sent = self.net.all_reduce(self.machines, self.workload.parameters, self.workload.number_bytes)
            at += seconds
            self.sent += sent * self.machines
        return at + self.workload.merge_seconds


def simulate(workload, net, machines, law="constant", epochs=3, seed=1):
    if machines < 2:
        raise ValueError("a ring has at least two machines")
    run = _Run(workload, net, machines, law, seed)
    now = 0.0
    for _ in range(epochs):
        now = run.epoch(now)
    each = epochs * machines
    return Outcome(machines=machines, epoch_seconds=now / epochs, exchanges=run.exchanges / each,
                   bytes_sent=run.sent / each, rows_trained=run.trained / epochs,
                   staleness_p50=quantile(run.staleness, 0.50), staleness_p99=quantile(run.staleness, 0.99))
