# SPDX-License-Identifier: Apache-2.0
"""Text of others, and figures with their units, as they are shown."""

LONGEST = 500  # characters of others that a line shows


def printable(text, longest=LONGEST):
    """One line without what a terminal obeys or an SVG cannot hold: control characters, lone halves of a surrogate."""
    shown = "".join(c if c.isprintable() else "?" for c in str(text))
    return shown if len(shown) <= longest else shown[:longest - 3] + "..."


def in_bytes(count):
    """A count of bytes with its unit, by thousands."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(count) < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.3g} {unit}"
        count /= 1000
