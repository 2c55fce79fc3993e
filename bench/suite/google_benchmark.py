# SPDX-License-Identifier: Apache-2.0
"""Bench records as JSON that Google Benchmark's compare.py reads: each run is a repetition."""
import json

from suite import comparison, record


def text(lines, figure):
    """The runs that reached the target, of every line: `real_time` is the figure, in milliseconds if it is a time."""
    repetitions, benchmarks = {}, []
    scale = 1e3 if figure.endswith("seconds") or figure == "seconds_to_target" else 1
    for run in record.of(lines, "run", state="measured"):
        value = comparison.value(run, figure)
        if value is None:
            continue
        name = f"{run['task']}/{run['contestant']}/workers:{run['workers']}/place:{run['place']}"
        index = repetitions[name] = repetitions.get(name, -1) + 1
        benchmarks.append({"name": name, "run_name": name, "run_type": "iteration", "repetition_index": index,
                           "threads": 1, "iterations": 1, "real_time": value * scale,
                           "cpu_time": (run["cpu_seconds"] or 0.0) * 1e3, "time_unit": "ms"})
    for line in benchmarks:
        line["repetitions"] = repetitions[line["name"]] + 1
    context, machine = lines[0], lines[0]["machine"]
    return json.dumps({"context": {"date": context["began"], "executable": f"hogwild {context['commit']}",
                                   "num_cpus": machine.get("usable_cpus", 1), "mhz_per_cpu": 0, "caches": [],
                                   "cpu_scaling_enabled": False, "library_build_type": "release", "figure": figure},
                       "benchmarks": benchmarks}, indent=1) + "\n"
