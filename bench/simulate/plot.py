# SPDX-License-Identifier: Apache-2.0
"""Lines over machines as SVG, both axes logarithmic; text and lines take the page's colour if it has one."""
import math
from xml.sax.saxutils import escape

COLOURS = {"ring": "#1f77b4", "all_reduce": "#d62728", "local_sgd": "#2ca02c"}
WIDTH, HEIGHT = 340, 240  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 34, 36


def decades(low, high):
    return [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def number(value):
    return f"{value:g}" if 1e-3 <= value < 1e5 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")


class Axis:
    """Maps values to pixels, by logarithms."""

    def __init__(self, low, high, first, last):
        self.low, self.per = math.log(low), (last - first) / max(math.log(high / low), 1e-9)
        self.first = first

    def __call__(self, value):
        return self.first + (math.log(value) - self.low) * self.per


def text(x, y, content, anchor="middle", size=11, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}">'
            f"{escape(content)}</text>")


def line(x1, y1, x2, y2, colour, width):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def panel(title, series, x0, y0, low, high):
    """`series`: engine to (machines, value) pairs; values that are not above 0 are left out."""
    machines = sorted({m for points in series.values() for m, _ in points})
    left, right = x0 + LEFT, x0 + WIDTH - RIGHT
    top, bottom = y0 + TOP, y0 + HEIGHT - BOTTOM
    x, y = Axis(machines[0], max(machines[-1], 2 * machines[0]), left, right), Axis(low, high, bottom, top)
    parts = [text((left + right) / 2, y0 + 18, title, size=12, weight="bold")]
    for tick in decades(low, high):
        parts.append(line(left, y(tick), right, y(tick), "#bbb", 0.5))
        parts.append(text(left - 5, y(tick) + 4, number(tick), anchor="end"))
    for m in machines:
        parts.append(line(x(m), bottom, x(m), bottom + 4, "#888", 1))
        if math.log2(m / machines[0]) % 2 < 0.01 or len(machines) < 6:
            parts.append(text(x(m), bottom + 16, str(m)))
    for engine, points in series.items():
        corners = " ".join(f"{x(m):.1f},{y(v):.1f}" for m, v in points if v > 0)
        colour = COLOURS.get(engine, "#888")
        parts.append(f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return parts


def svg(panels, what, columns):
    """`panels`: (title, series) pairs; `what` labels the vertical axis."""
    values = [v for _, series in panels for points in series.values() for _, v in points if v > 0]
    if not values:
        raise ValueError(f"there is nothing to plot of {what}")
    low, high = decades(min(values), max(values))[0], decades(min(values), max(values))[-1]
    high = max(high, 10 * low)
    rows = math.ceil(len(panels) / columns)
    width, height = columns * WIDTH, rows * HEIGHT + 26
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}" font-family="sans-serif" fill="#333">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for i, (title, series) in enumerate(panels):
        parts += panel(title, series, WIDTH * (i % columns), HEIGHT * (i // columns), low, high)
    engines = list(dict.fromkeys(engine for _, series in panels for engine in series))
    for i, engine in enumerate(engines):
        at = LEFT + 90 * i
        parts.append(line(at, height - 14, at + 18, height - 14, COLOURS.get(engine, "#888"), 2))
        parts.append(text(at + 22, height - 10, engine, anchor="start"))
    parts.append(text(width - RIGHT, height - 10, f"{what} over machines", anchor="end"))
    return "\n".join(parts + ["</svg>", ""])
