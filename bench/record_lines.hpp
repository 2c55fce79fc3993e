// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/error.hpp>

namespace hogwild::bench {

/// The lines of a record, to a file or, if its name is empty, to standard output.
class record_lines {
 public:
  using json = nlohmann::ordered_json;

  /// Throws input_error if the file cannot be written.
  explicit record_lines(const std::string& path) : path_(path) {
    if (path.empty()) return;
    file_.open(path);
    if (!file_) throw input_error(path + ": cannot be written; name another file with --out");
  }
  /// Throws resource_error if it cannot be written.
  void put(const json& line) {
    std::ostream& to = path_.empty() ? std::cout : file_;
    to << line.dump() << std::endl;
    if (!to) throw resource_error((path_.empty() ? "standard output" : path_) + ": cannot be written");
  }
  /// The first line: the build, the machine, and one more fact if it has a name.
  void put_context(const std::string& name = {}, const json& fact = {}) {
    const machine_facts m = this_machine();
    json machine{{"cpu_model", m.cpu_model},   {"logical_cpus", m.logical_cpus}, {"usable_cpus", m.usable_cpus},
                 {"numa_nodes", m.numa_nodes}, {"memory_bytes", m.memory_bytes}, {"kernel", m.kernel}};
    if (m.cpu_quota) machine["cpu_quota"] = *m.cpu_quota;
    if (m.governor) machine["governor"] = *m.governor;
    json context{{"kind", "context"},
                 {"schema", 1},
                 {"version", build_info.version},
                 {"commit", build_info.commit},
                 {"build_type", build_info.build_type},
                 {"compiler", build_info.compiler},
                 {"machine", machine}};
    if (!name.empty()) context[name] = fact;
    put(context);
  }

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace hogwild::bench
