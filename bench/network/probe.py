# SPDX-License-Identifier: Apache-2.0
"""Measures a network as programs see it: probe.py serve ADDRESS, then probe.py ask ADDRESS on another machine."""
import json
import socket
import statistics
import sys
import time

PORT, BYTES, CALLS = 7099, 4 << 20, 10


def taken(connection, size):
    """Reads so many bytes; returns the last ones read."""
    last = b""
    while size > 0:
        last = connection.recv(min(size, 1 << 16))
        if not last:
            raise ConnectionError("the other side closed")
        size -= len(last)
    return last


def serve(address):
    """Serves one caller, then ends."""
    with socket.create_server((address, PORT)) as server:
        server.settimeout(30)
        connection, _ = server.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(60)
            for _ in range(CALLS):
                connection.sendall(taken(connection, 1))
            for _ in range(2):  # the first one opens the window
                taken(connection, BYTES)
                connection.sendall(b"x")


def connected(address):
    for _ in range(100):  # until it serves
        try:
            return socket.create_connection((address, PORT), timeout=60)
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise ConnectionError(f"nobody serves at {address}")


def ask(address):
    with connected(address) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        calls = []
        for _ in range(CALLS):
            begin = time.perf_counter()
            connection.sendall(b"x")
            taken(connection, 1)
            calls.append(time.perf_counter() - begin)
        there_and_back = statistics.median(calls)
        for _ in range(2):
            begin = time.perf_counter()
            connection.sendall(bytes(BYTES))
            taken(connection, 1)
            seconds = time.perf_counter() - begin
    return {"round_trip_seconds": there_and_back, "bytes_per_second": BYTES / max(1e-9, seconds - there_and_back)}


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        print(json.dumps(ask(sys.argv[2])))
