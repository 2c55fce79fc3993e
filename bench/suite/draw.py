# SPDX-License-Identifier: Apache-2.0
"""Panels of curves and bars by matplotlib: as SVG and as PDF."""
import dataclasses
import io

from suite.terms import Unavailable

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d1f")  # Okabe and Ito
MARKERS = "osD^vP*X"


@dataclasses.dataclass
class Panel:
    """One plot. `lines`: name to (x, y) pairs, joined unless `scattered`; `bars`: (name, median, low, high)."""
    title: str
    x: str  # name of the axis, with its unit
    y: str = ""
    lines: dict = dataclasses.field(default_factory=dict)
    bars: list = dataclasses.field(default_factory=list)
    scattered: bool = False
    target: float | None = None  # a line across

    def __bool__(self):
        return bool(self.bars or any(self.lines.values()))


def plotting():
    try:
        import matplotlib
    except ImportError:
        raise Unavailable("matplotlib is not installed (on Debian and Ubuntu: apt-get install python3-matplotlib)") \
            from None
    matplotlib.use("Agg")
    # The same bytes for the same panels, and letters that can be searched for.
    matplotlib.rcParams.update({"svg.hashsalt": "hogwild", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot
    return pyplot


def wide(values):
    """Whether values are told better on a logarithmic axis."""
    return len(values) > 1 and min(values) > 0 and max(values) > 30 * min(values)


def paint(axis, panel):
    for k, (name, points) in enumerate(panel.lines.items()):
        if points:
            axis.plot(*zip(*points), marker=MARKERS[k % len(MARKERS)], markersize=3, label=name,
                      color=COLOURS[k % len(COLOURS)], linestyle="" if panel.scattered else
                      ":" if name.endswith(", predicted") else ("-", "--")[k // len(COLOURS) % 2])
    for k, (_, median, low, high) in enumerate(panel.bars):
        ends = None if low is None or high is None else [[median - low], [high - median]]
        axis.barh(k, median, xerr=ends, color=COLOURS[0], capsize=3, height=0.7)
    if panel.bars:
        axis.set_yticks(range(len(panel.bars)), [name for name, *_ in panel.bars])
        axis.invert_yaxis()
        if wide([median for _, median, *_ in panel.bars]):
            axis.set_xscale("log")
    for scale, values in ((axis.set_xscale, [x for line in panel.lines.values() for x, _ in line]),
                          (axis.set_yscale, [y for line in panel.lines.values() for _, y in line])):
        if wide(values):
            scale("log")
    if panel.target is not None:
        axis.axhline(panel.target, color="#666666", linewidth=0.8, linestyle="--", label="target")
    axis.set_title(panel.title)
    axis.set_xlabel(panel.x)
    axis.set_ylabel(panel.y)
    axis.grid(alpha=0.3)
    if len(panel.lines) > 1 or panel.target is not None:
        axis.legend(fontsize="x-small", ncols=1 + len(panel.lines) // 9)


def figure_of(panels, title=""):
    """A figure of panels side by side; Unavailable where there is no matplotlib."""
    pyplot = plotting()
    height = max(3.4, *(0.8 + 0.22 * len(p.bars) for p in panels)) if panels else 3.4
    figure, axes = pyplot.subplots(1, len(panels), figsize=(5.2 * len(panels), height), squeeze=False)
    for axis, panel in zip(axes[0], panels):
        paint(axis, panel)
    figure.suptitle(title)
    figure.tight_layout()
    return figure


def written(figure, ending):
    """A figure as bytes of a file; it says nothing of when it was made."""
    kept = io.BytesIO()
    figure.savefig(kept, format=ending, metadata={"Date": None} if ending == "svg" else {"CreationDate": None})
    return kept.getvalue()


def draw(curves, title, folder):
    """Writes figure.svg and figure.pdf; why it did not, else an empty text. `curves`: panel to line to (x, y)."""
    if not curves:
        return "there is nothing to draw"
    try:
        figure = figure_of([Panel(name, "", lines=lines) for name, lines in curves.items()], title)
    except Unavailable as reason:
        return str(reason)
    for ending in ("svg", "pdf"):
        (folder / f"figure.{ending}").write_bytes(written(figure, ending))
    return ""
