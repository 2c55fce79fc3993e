# SPDX-License-Identifier: Apache-2.0
"""Panels of curves and bars by matplotlib: as SVG and as PDF."""
import dataclasses
import io
import math
import warnings

from suite.terms import Unavailable
from suite.text import printable

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d1f")  # Okabe and Ito
MARKERS = "osD^vP*X"
SIGNS = (("*", 11), ("x", 5), ("|", 9))  # of marks, with their sizes
GAP = (math.nan, math.nan)  # separates two curves of one line
LARGEST = 1e100  # axes that end far beyond this overflow
ABREAST = 3  # panels in a row of a figure
MOST_TICKS = 12  # named ticks; an axis with more values has numbers
OF_TICK, OF_NAME, OF_TITLE = 23, 36, 60  # longest texts, in characters: those of a panel need room beside its curves


def drawable(value):
    """Whether it is a number that an axis can show."""
    try:
        return value is not None and abs(float(value)) <= LARGEST  # false for NaN
    except OverflowError:
        return False


@dataclasses.dataclass
class Panel:
    """One plot. `lines`: name to (x, y) pairs, joined unless `scattered`; `bars`: (name, median, low, high).

    `marks`, name to (x, y) pairs, are drawn over the lines, each name with its own sign; marks without y are at the
    bottom.
    """
    title: str
    x: str  # name of the axis, with its unit
    y: str = ""
    lines: dict = dataclasses.field(default_factory=dict)
    bars: list = dataclasses.field(default_factory=list)
    scattered: bool = False
    target: float | None = None  # a line across
    across: str = "target"  # meaning of that line
    x_scale: str = ""  # linear or log; empty: the one that shows the values better
    ticks: dict = dataclasses.field(default_factory=dict)  # x to its text; empty: numbers
    marks: dict = dataclasses.field(default_factory=dict)

    def __bool__(self):
        """Whether there is something to see: more than one point, since a dot alone tells nothing."""
        return bool(self.bars) or len({p for points in self.lines.values() for p in points if p is not GAP}) > 1


@dataclasses.dataclass
class Section:
    """Panels that belong together, with a table and notes below them."""
    title: str
    about: str
    panels: list
    table: list  # rows of text; the first is the heading
    notes: list


def plotting():
    try:
        import matplotlib
    except ImportError:
        raise Unavailable("matplotlib is not installed (on Debian and Ubuntu: apt-get install python3-matplotlib)") \
            from None
    matplotlib.use("Agg")
    # The same panels give the same bytes, and text stays searchable.
    matplotlib.rcParams.update({"svg.hashsalt": "hogwild", "svg.fonttype": "none", "font.size": 9})
    # Browsers and readers of the SVG files have fonts of their own.
    warnings.filterwarnings("ignore", "Glyph .* missing from")
    from matplotlib import pyplot
    return pyplot


def wide(values):
    """Whether a logarithmic axis shows the values better."""
    return len(values) > 1 and min(values) > 0 and max(values) > 30 * min(values)


def plain(text, longest=OF_TITLE):
    """Text of a record without formulas, and without characters that an SVG cannot hold. Of a long one both ends are
    left: names may differ in either."""
    shown = printable(text, math.inf)
    if len(shown) > longest:
        tail = (longest - 3) * 9 // 20
        shown = f"{shown[:longest - 3 - tail]}...{shown[-tail:]}"
    return shown.replace("$", r"\$")


def mark(axis, panel):
    for (name, points), (sign, size) in zip(panel.marks.items(), SIGNS):
        placed = [(x, y) for x, y in points if y is not None]
        if placed:
            axis.plot(*zip(*placed), sign, color="#000000", markersize=size, label=name, zorder=3)
        at_foot = [x for x, y in points if y is None]
        if at_foot:
            axis.plot(at_foot, [0.03] * len(at_foot), sign, color="#000000", markersize=size, label=name, zorder=3,
                      transform=axis.get_xaxis_transform())


def paint(axis, panel):
    lines = {name: [p for p in points if p is GAP or all(map(drawable, p))] for name, points in panel.lines.items()}
    bars = [bar for bar in panel.bars if drawable(bar[1])]
    for k, (name, points) in enumerate(lines.items()):
        if points:
            axis.plot(*zip(*points), marker=MARKERS[k % len(MARKERS)], markersize=3, label=plain(name, OF_NAME),
                      color=COLOURS[k % len(COLOURS)], linestyle="" if panel.scattered else
                      ":" if name.endswith(", predicted") else ("-", "--")[k // len(COLOURS) % 2])
    for k, (_, median, low, high) in enumerate(bars):
        ends = [[median - low], [high - median]] if drawable(low) and drawable(high) else None
        axis.barh(k, median, xerr=ends, color=COLOURS[0], capsize=3, height=0.7)
    if bars:
        axis.set_yticks(range(len(bars)), [plain(name, OF_NAME) for name, *_ in bars])
        axis.invert_yaxis()
        if wide([median for _, median, *_ in bars]):
            axis.set_xscale("log")
    mark(axis, panel)
    drawn = [p for group in (lines, panel.marks) for points in group.values() for p in points if p is not GAP]
    for scale, asked, values in ((axis.set_xscale, panel.x_scale, [x for x, _ in drawn]),
                                 (axis.set_yscale, "", [y for _, y in drawn if y is not None])):
        if asked == "log" and values and min(values) > 0 or not asked and wide(values):
            scale("log")
    if panel.ticks and len(panel.ticks) <= MOST_TICKS:
        texts = [plain(text, OF_TICK) for text in panel.ticks.values()]
        crowded = sum(map(len, texts)) > 40
        axis.set_xticks(list(panel.ticks), texts,
                        **({"rotation": 30, "horizontalalignment": "right"} if crowded else {}))
        axis.minorticks_off()
    if panel.target is not None:
        axis.axhline(panel.target, color="#666666", linewidth=0.8, linestyle="--", label=panel.across)
    axis.set_title(plain(panel.title))
    axis.set_xlabel(plain(panel.x, OF_NAME))
    axis.set_ylabel(plain(panel.y, OF_NAME))
    axis.grid(alpha=0.3)
    if len(lines) > 1 or panel.target is not None or any(panel.marks.values()):
        axis.legend(fontsize="x-small", ncols=1 + len(lines) // 9)


def figure_of(panels, title=""):
    """A figure of panels, at most three in a row; Unavailable if matplotlib is missing."""
    pyplot = plotting()
    abreast = max(1, min(ABREAST, len(panels)))
    rows = -(-len(panels) // abreast) or 1
    height = max(3.4, *(0.8 + 0.22 * len(p.bars) for p in panels)) if panels else 3.4
    figure, axes = pyplot.subplots(rows, abreast, figsize=(5.2 * abreast, height * rows), squeeze=False)
    places = list(axes.flat)
    for axis, panel in zip(places, panels):
        paint(axis, panel)
    for axis in places[len(panels):]:
        axis.remove()
    figure.suptitle(plain(title, 120))
    figure.tight_layout()
    return figure


def written(figure, ending):
    """A figure as bytes of a file, without the time at which it was made."""
    kept = io.BytesIO()
    figure.savefig(kept, format=ending, metadata={"Date": None} if ending == "svg" else {"CreationDate": None})
    return kept.getvalue()


def panel_of(name, lines):
    """A panel by its name, "title: y over x", which names the axes with their units."""
    y, _, x = name.rpartition(": ")[2].partition(" over ")
    speeds = "speed-up" in y
    return Panel(name, x, y, lines=lines, target=1.0 if speeds else None, across="no gain" if speeds else "target")


def draw(curves, title, folder):
    """Writes figure.svg and figure.pdf; returns why it did not, or "". `curves`: panel to line to (x, y)."""
    panels = [p for p in (panel_of(name, lines) for name, lines in curves.items()) if p]
    if not panels:
        return "there is nothing to draw: no line has two points"
    try:
        figure = figure_of(panels, title)
    except Unavailable as reason:
        return str(reason)
    for ending in ("svg", "pdf"):
        (folder / f"figure.{ending}").write_bytes(written(figure, ending))
    return ""
