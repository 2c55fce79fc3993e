# SPDX-License-Identifier: Apache-2.0
"""The time of messages between machines that each have one full-duplex link to a switch."""
import dataclasses

PIECE = 1 << 22  # numbers that one MPI collective sends at a time
SHORT_BYTES = 32 * 1024  # of all machines together: below this all ranks send everything to all


@dataclasses.dataclass(frozen=True)
class Network:
    bytes_per_second: float
    latency_seconds: float  # one way
    eager_bytes: float = 65536.0  # sent before the receiver has said that it is ready
    message_seconds: float = 0.0  # of a CPU, for each message sent and received, including the wait until it is polled

    def message(self, size):
        """Seconds from the sending call until the message is complete on the other side."""
        ready = 2 * self.latency_seconds if size > self.eager_bytes else 0.0
        return self.message_seconds + self.latency_seconds + ready + size / self.bytes_per_second

    def all_to_all(self, machines, size):
        """Seconds for all machines to send so many bytes to each other, from the last start to the last end."""
        if machines == 1:
            return 0.0
        others = machines - 1
        wire = others * size / self.bytes_per_second
        idle = 0.0
        if size > self.eager_bytes:  # first parts to all the others go out while the first of them answers
            idle = max(0.0, 2 * self.latency_seconds - (others - 1) * self.eager_bytes / self.bytes_per_second)
        return others * self.message_seconds + self.latency_seconds + idle + wire

    def all_gather(self, machines, size):
        """Seconds, and bytes that each machine sends, if all get the `size` bytes of all."""
        return self.all_to_all(machines, size), (machines - 1) * size

    def all_reduce(self, machines, numbers, number_bytes):
        """Seconds, and bytes that each machine sends."""
        seconds = sent = 0.0
        for at in range(0, numbers, PIECE):
            piece = min(PIECE, numbers - at) * number_bytes
            if piece * machines <= SHORT_BYTES:
                seconds += self.all_to_all(machines, piece)
                sent += (machines - 1) * piece
            else:  # parts to their owners, sums to all
                seconds += 2 * self.all_to_all(machines, piece / machines)
                sent += 2 * (machines - 1) * piece / machines
        return seconds, sent
