# SPDX-License-Identifier: Apache-2.0
"""A row of dots for each name over a logarithmic axis, as SVG: the same figures give the same bytes."""
from simulate.plot import Axis, decades, line, number, text

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 860, 210, 120, 19, 30, 42
COLOURS = ("#56b4e9", "#0072b2", "#d55e00")  # Okabe and Ito


def dot(x, y, colour):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'


def svg(rows, series, what):
    """`rows`: (name, values, remark) with a value above 0, or None, for each of the `series`; `what` labels the axis."""
    ticks = decades(*(f(v for _, values, _ in rows for v in values if v) for f in (min, max)))
    x = Axis(ticks[0], ticks[-1], LEFT, WIDTH - RIGHT)
    bottom = TOP + ROW * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + BOTTOM}" '
             f'viewBox="0 0 {WIDTH} {bottom + BOTTOM}" font-family="sans-serif" fill="#333">',
             '<rect width="100%" height="100%" fill="#fff"/>']
    for k, (name, colour) in enumerate(zip(series, COLOURS)):
        parts += [dot(LEFT + 190 * k, 12, colour), text(LEFT + 190 * k + 10, 16, name, "start")]
    for tick in ticks:
        parts += [line(x(tick), TOP, x(tick), bottom, "#ddd", 1), text(x(tick), bottom + 16, number(tick))]
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, bottom + 34, what))
    for k, (name, values, remark) in enumerate(rows):
        y = TOP + ROW * (k + 0.5)
        placed = [(x(value), colour) for value, colour in zip(values, COLOURS) if value]
        parts += [text(LEFT - 12, y + 4, name, "end"), line(min(placed)[0], y, max(placed)[0], y, "#bbb", 1),
                  *(dot(at, y, colour) for at, colour in placed), text(max(placed)[0] + 9, y + 4, remark, "start")]
    return "\n".join([*parts, "</svg>", ""])
