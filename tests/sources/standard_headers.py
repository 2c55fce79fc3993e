#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each header names the standard headers that it needs, or includes one of ours that does: standard_headers.py ROOT

The test install.headers compiles public headers with the standard ones at hand, in a fifth of the time, and leaves this
to be checked here."""
import pathlib
import re
import sys

# Names of std, and the headers of which one declares them.
NAMES = {
    "string": "string to_string getline", "string_view": "string_view", "vector": "vector", "optional": "optional nullopt",
    "functional": "function hash less greater plus reference_wrapper", "span": "span as_bytes byte_span",
    "memory": "unique_ptr shared_ptr make_unique make_shared weak_ptr", "array": "array to_array",
    "map": "map multimap", "set": "set multiset", "utility": "pair move forward exchange swap in_range",
    "cstddef": "size_t ptrdiff_t byte nullptr_t", "cstdint": " ".join(f"{s}int{n}_t" for s in ("", "u") for n in (8, 16, 32, 64)),
    "filesystem": "filesystem", "atomic": "atomic atomic_ref", "variant": "variant monostate visit",
    "mutex": "mutex lock_guard unique_lock once_flag call_once", "limits": "numeric_limits", "tuple": "tuple tie",
    "concepts": "same_as convertible_to integral floating_point invocable derived_from", "bit": "bit_cast bit_width bit_ceil",
    "type_traits": "is_same_v remove_cvref_t is_trivially_copyable_v conditional_t decay_t enable_if_t",
    "stdexcept": "runtime_error logic_error invalid_argument", "cmath": "sqrt exp log log1p pow isfinite abs",
    "algorithm": "min max clamp sort fill", "chrono": "chrono", "iosfwd ostream iostream sstream": "ostream",
    "deque": "deque", "unordered_map": "unordered_map", "cstring": "memcpy memset", "exception": "exception_ptr",
    "initializer_list vector string span": "initializer_list", "random": "mt19937_64", "numeric": "accumulate iota",
}
# Headers that are sure to bring what others declare.
BRINGS = {"string": {"string_view", "cstddef", "initializer_list"}, "vector": {"cstddef", "initializer_list"}, "map": {"utility", "tuple"},
          "ranges": {"span", "concepts", "type_traits", "utility"}, "cstring": {"cstddef"}, "span": {"cstddef", "array"},
          "array": {"cstddef"}, "string_view": {"cstddef"}, "algorithm": {"utility"}, "functional": {"utility"},
          "memory": {"utility", "cstddef"}, "optional": {"utility"}, "tuple": {"utility"}, "filesystem": {"string"},
          "chrono": {"limits"}, "unordered_map": {"utility"}, "variant": {"utility"}, "set": {"utility"}}
NEEDS = {name: set(headers.split()) for headers, names in NAMES.items() for name in names.split()}
COMMENT = re.compile(r"//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"")


class tree:
    def __init__(self, root):
        self.files = {}
        for folder in sorted(root.glob("*/**/include")):
            if "build" not in folder.relative_to(root).parts:
                for file in folder.rglob("*.hpp"):
                    self.files[file.relative_to(folder).as_posix()] = file
        self.known = {}

    def standard(self, name, seen=()):
        """The standard headers that this one includes, itself or by others of ours."""
        if name in self.known or name in seen:
            return self.known.get(name, set())
        found = set()
        for included in re.findall(r'^#include <([^>]+)>', self.files[name].read_text(encoding="utf-8"), re.M):
            if included in self.files:
                found |= self.standard(included, (*seen, name))
            else:
                found |= {included} | BRINGS.get(included, set())
        self.known[name] = found
        return found

    def faults(self):
        for name, file in self.files.items():
            has = self.standard(name)
            if not any("hogwild/models.hpp" in line for line in re.findall(r"#include .*", file.read_text(encoding="utf-8"))):
                text = COMMENT.sub("", file.read_text(encoding="utf-8"))
                for used in sorted(set(re.findall(r"\bstd::(\w+)", text))):
                    if used in NEEDS and not NEEDS[used] & has:
                        yield f"{file}: std::{used} needs <{sorted(NEEDS[used])[0]}>"


def main(root):
    found = tree(pathlib.Path(root))
    if len(found.files) < 100:
        raise SystemExit(f"{root}: only {len(found.files)} headers were found")
    faults = list(found.faults())
    print("\n".join(faults) or f"{len(found.files)} headers name the standard headers that they need")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main(sys.argv[1])
