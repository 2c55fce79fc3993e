# SPDX-License-Identifier: Apache-2.0
"""Fenced blocks of pages, and a comparison of the output that a page shows with that of a run."""
import re


def blocks(page):
    """(language, text) of the fenced blocks."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def close(shown, told):
    """Whether two words are the same, or numbers that are nearly so."""
    numbers = [re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", word) for word in (shown, told)]
    if len(numbers[0]) != len(numbers[1]) or re.sub(r"[-\d.e]+", "", shown) != re.sub(r"[-\d.e]+", "", told):
        return False
    return all(abs(float(a) - float(b)) <= 0.05 * max(1, abs(float(a))) for a, b in zip(*numbers))


def shows(lines, told):
    """Whether a page's lines are those that a command told."""
    if not lines:
        return not told
    if lines[0] == "...":
        return any(shows(lines[1:], told[k:]) for k in range(len(told) + 1))
    words = [line.split() for line in (lines[0], told[0] if told else "")]
    return bool(told) and len(words[0]) == len(words[1]) and all(map(close, *words)) and shows(lines[1:], told[1:])
