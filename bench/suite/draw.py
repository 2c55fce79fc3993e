# SPDX-License-Identifier: Apache-2.0
"""Curves of a paper as SVG and PDF, where matplotlib is installed."""


def draw(curves, title, folder):
    """Writes figure.svg and figure.pdf; why it did not, else an empty text. `curves`: panel to line to (x, y)."""
    if not curves:
        return "there is nothing to draw"
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return "matplotlib is not installed"
    figure, axes = pyplot.subplots(1, len(curves), figsize=(4.5 * len(curves), 3.6), squeeze=False)
    for axis, (panel, lines) in zip(axes[0], curves.items()):
        for name, points in lines.items():
            axis.plot(*zip(*points), marker="o", markersize=3, label=name)
        axis.set_title(panel)
        axis.legend(fontsize="small")
        if min(x for points in lines.values() for x, _ in points) > 0 and \
                max(x for p in lines.values() for x, _ in p) > 100 * min(x for p in lines.values() for x, _ in p):
            axis.set_xscale("log")
    figure.suptitle(title)
    figure.tight_layout()
    for ending in ("svg", "pdf"):
        figure.savefig(folder / f"figure.{ending}")
    pyplot.close(figure)
    return ""
