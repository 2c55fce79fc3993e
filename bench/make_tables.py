#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/performance.md and of README.md from the records of bench_scaling under bench/results.

Usage: make_tables.py            rewrites what stands between the marks in the pages
       make_tables.py --check    changes nothing; ends with 1 where a page is out of date

README.md shows the speed of the default sharing, from the newest folder that has it: the one with the highest number.
"""
import pathlib
import sys
import textwrap

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "scaling"))
import speedup_table as parts  # noqa: E402  (lies beside, in no package)

BEGIN, END = "<!-- tables:begin -->\n", "<!-- tables:end -->\n"
SCHEMA = 2
UNTOLD = {"failed": "missed", "broken": "broken"}  # why there is no speed
WAYS = ["direct", "buffered", "head", "auto", "reproducible", "deltas", "average", "released"]


def records_in(folder):
    """Records of bench_scaling of the schema that this script knows; a folder has others too, as those of runs."""
    records = [parts.read(path) for path in sorted(folder.glob("*.jsonl"))]
    return [lines for lines in records if lines and is_of_scaling(lines[0])]


def is_of_scaling(first):
    """A run has one engine, so its context names no list of them."""
    return first["kind"] == "context" and first.get("schema") == SCHEMA and "engines" in first["options"]


def told_once(values):
    return ", ".join(dict.fromkeys(values))


def machine(records):
    contexts = [lines[0] for lines in records]
    facts = [c["machine"] for c in contexts]
    cpus = told_once(f"{m['usable_cpus']} CPUs of {m['cpu_model']}" for m in facts)
    kernels, commits = told_once(c["options"]["isa"] for c in contexts), told_once(c["commit"] for c in contexts)
    return (f"{cpus}, {told_once(m['kernel'] for m in facts)}, {told_once(c['compiler'] for c in contexts)}, "
            f"{kernels} kernels, commit {commits}.")


def singles(records):
    """One worker: our fastest, whatever its engine."""
    rows = []
    for lines in records:
        data = lines[0]["dataset"]
        for reference in parts.of_kind(lines, "reference"):
            model = reference["model"]
            ours = [c for c in parts.of_kind(lines, "configuration")
                    if c["state"] == parts.MEASURED and c["model"] == model and c["workers"] == 1]
            if not ours:
                continue
            best = min(ours, key=lambda c: c["median_epoch_seconds"])
            rows.append([parts.name_of(lines), model, f"{data['rows']:,}", f"{data['columns']:,}",
                         bits_of(lines[0]), f"{best['engine']} {parts.way_of(best)}",
                         parts.milliseconds(best["median_epoch_seconds"]), f"{best['nonzeros_per_second'] / 1e6:,.0f}"])
    return parts.table(["set", "model", "rows", "columns", "bits an entry", "fastest single worker", "ms an epoch",
                        "M nonzeros/s"], rows)


def bits_of(context):
    data = context["dataset"]
    return f"{data['index_bits']} + {data['value_bits']}" + (", rounded" if context["options"].get("half") else "")


def gains(records):
    """Several workers over that one, with a column for each way of sharing."""
    rows = {}
    for lines in records:
        for c in parts.of_kind(lines, "configuration"):
            if c["workers"] > 1 and c["state"] in UNTOLD:
                rows.setdefault(place(lines, c), {})[parts.way_of(c)] = UNTOLD[c["state"]]
        for s in parts.of_kind(lines, "speedup"):
            rows.setdefault(place(lines, s), {})[parts.way_of(s)] = f"{parts.schedule_ratio(lines, s):.2f}"
    ways = [way for way in WAYS if any(way in row for row in rows.values())]
    return parts.table(["set", "model", "workers", "update", *ways],
                       [[*key, *(row.get(way, "") for way in ways)] for key, row in rows.items()])


def more_epochs(records):
    """Who had more epochs than the rest, to reach the same objective."""
    told = {}
    for lines in records:
        for c in parts.of_kind(lines, "configuration"):
            times = len(c["runs"][0]["epoch_seconds"]) // lines[0]["options"]["epochs"] if c["state"] == parts.MEASURED else 1
            if times > 1:
                told.setdefault(times, {})[f"`{parts.way_of(c)}`"] = None
    return "".join(f", of which {' and '.join(ways)} had {times} times as many" for times, ways in told.items())


def place(lines, line):
    return (parts.name_of(lines), line["model"], f"{line['workers']} {line['engine']}", line["update"])


def without_skipped(records):
    return [[line for line in lines if line.get("state") != "skipped"] for lines in records]


def skipped(records):
    """What was left out and why, each once."""
    reasons = {}
    for lines in records:
        for line in lines:
            if line.get("state") == "skipped":
                who = line["name"] if line["kind"] == "rival" else f"{line['engine']} {line['workers']}"
                reasons.setdefault(line["reason"], {})[who] = None
    return [f"Left out: {', '.join(names)} ({reason})." for reason, names in reasons.items()]


def wrapped(text):
    """As wide as pages are; names and options stay whole."""
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def titled(title, text, table):
    return [wrapped(f"**{title}** {text}"), "", *table] if table else []


def section(folder):
    every = records_in(folder)
    if not every:
        return []
    records, left_out = without_skipped(every), skipped(every)
    return [f"### {folder.name}", "", wrapped(machine(records)), "",
            *titled("One worker.", "Medians of epochs.", singles(records)),
            *titled("What workers gain.", "Over the whole schedule: the time of the fastest single worker, whatever its "
                    "engine, over theirs, by median epochs" + more_epochs(records) + "; `missed`: the serial objective was "
                    "not reached, so no speed is told.", gains(records)),
            *titled("Rivals", "on the same rows, with our step, decay and l2 as far as they have them. `of our time`: "
                    "their epoch over our shortest with at most as many workers.", parts.rivals(records)),
            *titled("Missed.", "Trained, but not to the reference's quality; `broken`: ended with an error.", parts.failures(records)),
            *(["\n".join(map(wrapped, left_out)), ""] if left_out else [])]


def by_default(records):
    """M nonzeros a second under auto sharing and lossy updates: one thread, and two workers."""
    rows = []
    for lines in records:
        data = lines[0]["dataset"]
        for reference in parts.of_kind(lines, "reference"):
            speed = {(c["engine"], c["workers"]): c["nonzeros_per_second"] / 1e6
                     for c in parts.of_kind(lines, "configuration")
                     if c["state"] == parts.MEASURED and c["model"] == reference["model"] and c["sharing"] == "auto"
                     and c["update"] == "lossy" and not c["reproducible"]}
            ours = [speed.get(who) for who in [("threads", 1), ("threads", 2), ("processes", 2)]]
            if all(ours):
                one, *two = ours
                rows.append([parts.name_of(lines), f"{data['rows']:,}", f"{data['columns']:,}", bits_of(lines[0]),
                             f"{one:,.0f}", *(f"{both:,.0f} ({both / one:.2f})" for both in two)])
    return parts.table(["set", "rows", "columns", "bits an entry", "1 thread", "2 threads", "2 processes"], rows)


def newest_first(folder):
    return -int("0" + "".join(filter(str.isdigit, folder.name.rpartition("-")[2])))


def defaults_of(folders):
    for folder in sorted(folders, key=newest_first):
        records = without_skipped(records_in(folder))
        table = by_default(records)
        if table:
            record = f"The records are [{folder.name}](bench/results/{folder.name})."
            return [wrapped(f"{machine(records)} {record}"), "", *table]
    return []


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__)
        return 2
    folders = [folder for folder in sorted((ROOT / "bench" / "results").iterdir()) if folder.is_dir()]
    made = {ROOT / "docs" / "performance.md": [line for folder in folders for line in section(folder)],
            ROOT / "README.md": defaults_of(folders)}
    stale = False
    for page, tables in made.items():
        text = page.read_text(encoding="utf-8")
        head, begin, rest = text.partition(BEGIN)
        _, end, tail = rest.partition(END)
        if not begin or not end:
            print(f"{page}: the marks of the tables are missing")
            return 1
        now = head + BEGIN + "".join(f"{line}\n" for line in tables) + END + tail
        if now == text:
            continue
        if arguments:
            print(f"{page} is not what the records say: run bench/make_tables.py")
        else:
            page.write_text(now, encoding="utf-8")
        stale = True
    return 1 if stale and arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
