#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/device_check on a machine with a GPU, without one, and with parts that fail; its programs build and measure
nothing.

Usage: device_check_test.py SOURCE_FOLDER SCRATCH_FOLDER
"""
import json
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
from same_commands_test import linked_project, put  # noqa: E402

DEVICE_PARTS = ["build: devices", "devices: tests", "devices: sanitizer", "devices: speed"]

# Configures a build folder that names nvcc where there is one, and builds programs that record their arguments.
CMAKE = """
[ "$1" != --version ] || { echo cmake version 3.25.1; exit; }
if [ "$1" = --build ]; then
  case "$*" in
    *--target\\ help*) echo hogwild_tests_unit; exit ;;
    *bench_device*) [ ! -e "$FAKE/broken_build" ] || exit 1 ;;
  esac
  mkdir -p "$2/bin" "$2/tests"
  for program in bin/bench_hardware bin/hogwild bin/bench_device tests/device_tests; do cp "$FAKE/told" "$2/$program"; done
  exit
fi
while [ "$1" != -B ]; do shift; done
mkdir -p "$2"
nvcc=$(command -v nvcc || echo NOTFOUND)
echo "CMAKE_CUDA_COMPILER:FILEPATH=$nvcc" >"$2/CMakeCache.txt"
"""
TOLD = """
echo "$(basename "$0") $*${HOGWILD_DEVICE_EXPECTED:+ where expected}${GTEST_OUTPUT:+ to $GTEST_OUTPUT}" >>"$FAKE/calls"
[ ! -e "$FAKE/broken_$(basename "$0")" ] || exit 1"""
SAID = {"nvidia-smi": "\necho 'Some GPU, 580.1'",
        "compute-sanitizer": '\n[ -e "$FAKE/silent" ] || echo ========= LEAK SUMMARY: 0 bytes leaked in 0 allocations'}
SYSTEM = ("awk basename bash cat chmod cp cut dirname env find getconf grep head ls mkdir mv python3 rm sed sh sort tail "
          "timeout tr true xargs")


class Machine:
    """A folder of programs, and a project without its build folder."""

    def __init__(self, source, folder, *programs, broken=(), silent=False):
        shutil.rmtree(folder, ignore_errors=True)
        self.fake, self.root, self.out = folder / "fake", folder / "project", folder / "out"
        linked_project(source, self.root)
        path = folder / "bin"
        path.mkdir()
        self.fake.mkdir()
        for name in SYSTEM.split():
            (path / name).symlink_to(shutil.which(name))
        put(path / "cmake", CMAKE)
        put(path / "c++", "echo a compiler")
        put(self.fake / "told", TOLD)
        for name in ("ctest", *programs):
            put(path / name, TOLD + SAID.get(name, ""))
        for name in broken:
            (self.fake / f"broken_{name}").touch()
        if silent:
            (self.fake / "silent").touch()
        self.status = subprocess.run(
            [self.root / "tools" / "device_check", "--out", self.out, "--seconds", "300"], cwd=self.root, check=False,
            stdout=subprocess.DEVNULL, env={"PATH": str(path), "HOME": str(folder), "FAKE": str(self.fake)}).returncode
        lines = [json.loads(line) for line in (self.out / "check.jsonl").read_text(encoding="utf-8").splitlines()]
        self.parts = {line["name"]: line for line in lines if line["kind"] == "part"}
        self.gpu, self.end = lines[0]["gpu"], lines[-1]
        self.calls = (self.fake / "calls").read_text(encoding="utf-8").splitlines()

    def states(self):
        return [self.parts[name]["state"] for name in DEVICE_PARTS]

    def asked(self, *words):
        return any(all(word in call for word in words) for call in self.calls)


def require(what, holds, machine):
    if holds:
        return
    sys.exit(f"{what} does not hold: status {machine.status}, parts {json.dumps(machine.parts, indent=1)}, "
             f"calls {machine.calls}")


def without_a_gpu(source, folder):
    m = Machine(source, folder, "nvcc", "compute-sanitizer")
    require("the parts of devices are left out", m.states() == ["left out"] * 4, m)
    require("it says why", all(m.parts[name]["note"] == "there is no GPU" for name in DEVICE_PARTS), m)
    require("no device is measured", m.gpu is None and not m.asked("bench_device") and not m.asked("sanitizer"), m)
    require("the rest is done", m.status == 0 and m.parts["tests: unit"]["state"] == "done", m)


def with_a_gpu(source, folder):
    m = Machine(source, folder, "nvidia-smi", "nvcc", "compute-sanitizer")
    require("everything is done", m.status == 0 and m.states() == ["done"] * 4 and m.end["failed_parts"] == 0, m)
    require("the GPU is named", m.gpu == "Some GPU, 580.1", m)
    require("its tests run", m.asked("ctest ", "--label-regex ^device$", "--no-tests=error"), m)
    require("what they note is kept", m.asked("ctest ", "^device$", f" to xml:{m.out}/device_tests/"), m)
    require("the sanitizer watches them",
            m.asked("compute-sanitizer ", "/device_tests", "--gtest_filter=*/device_0:*nccl", "--error-exitcode"), m)
    require("tests do not skip where it cannot be used", m.asked("ctest ", "^device$", "where expected")
            and m.asked("compute-sanitizer ", "where expected"), m)
    require("it is measured", m.asked("bench_device ", "--seconds ", "--out ", "device.jsonl"), m)
    budgets = sum(m.parts[name]["budget_seconds"] for name in DEVICE_PARTS[1:])
    require("what runs on it takes no more than half of all", 0 < budgets <= 150, m)
    require("the rest is done", m.parts["scaling: text"]["state"] == "done", m)
    require("training is measured by the suite", m.asked("hogwild bench ", "--task text", "--workers 1"), m)


def without_nvcc(source, folder):
    m = Machine(source, folder, "nvidia-smi")
    if pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
        require("a toolkit outside of PATH is found", m.parts["build: devices"]["state"] == "done", m)
        return
    require("the parts of devices are left out", m.states() == ["left out"] * 4, m)
    require("it says why", "nvcc was not found" in m.parts["devices: tests"]["note"], m)


def where_parts_fail(source, folder):
    m = Machine(source, folder, "nvidia-smi", "nvcc", "compute-sanitizer", broken=["compute-sanitizer", "bench_device"])
    require("what fails is told", m.states() == ["done", "done", "failed", "failed"], m)
    require("it ends with 1", m.status == 1 and m.end["failed_parts"] == 2, m)
    require("the rest is done", m.parts["tests: unit"]["state"] == "done", m)
    m = Machine(source, folder, "nvidia-smi", "nvcc", "compute-sanitizer", silent=True)
    require("a sanitizer that does not look for leaks fails", m.states() == ["done", "done", "failed", "done"], m)
    m = Machine(source, folder, "nvidia-smi", "nvcc", broken=["build"])
    require("nothing runs that was not built", m.states() == ["failed"] + ["left out"] * 3, m)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    place = pathlib.Path(sys.argv[2])
    for tried in (without_a_gpu, with_a_gpu, without_nvcc, where_parts_fail):
        tried(pathlib.Path(sys.argv[1]), place)
    shutil.rmtree(place)
    print("device_check does what its machine lets it do")
