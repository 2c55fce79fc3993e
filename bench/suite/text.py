# SPDX-License-Identifier: Apache-2.0
"""Makes text from outside, and figures with their units, fit to show."""

LONGEST = 500  # characters of outside text in a line


def printable(text, longest=LONGEST):
    """One line without characters that a terminal obeys or an SVG cannot hold: control characters, lone surrogates."""
    shown = "".join(c if c.isprintable() else "?" for c in str(text))
    return shown if len(shown) <= longest else shown[:longest - 3] + "..."


def in_bytes(count):
    """A count of bytes with its unit, by thousands."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(count) < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.3g} {unit}"
        count /= 1000
