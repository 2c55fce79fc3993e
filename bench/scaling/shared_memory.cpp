// SPDX-License-Identifier: Apache-2.0
#include "shared_memory.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <hogwild/error.hpp>
#include <hogwild/observer.hpp>

namespace hogwild::bench {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> pss_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::uint64_t kibibytes = 0;
    if (words >> key >> kibibytes && key == "Pss:") return kibibytes * 1024;
  }
  return std::nullopt;
}

/// Parent of a process: the second word behind the name, which stands in brackets and may hold anything.
std::optional<pid_t> parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(bracket + 1));
  std::string state;
  pid_t parent = 0;
  if (words >> state >> parent) return parent;
  return std::nullopt;
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (fault == std::errc() && end == name.data() + name.size() && parent_of(pid) == ::getpid()) found.push_back(pid);
  }
  return found;
}

/// Sums at the gates, while all workers live and hold their mappings.
class pss_watch final : public observer {
 public:
  explicit pss_watch(pss_line& line) : line_(line) {}
  void on_epoch(const epoch_report&) override {
    std::vector<pid_t> pids = children();
    pids.push_back(::getpid());
    std::uint64_t sum = 0;
    for (const pid_t pid : pids) sum += pss_of(pid).value_or(0);
    if (sum > line_.bytes) line_.bytes = sum, line_.processes = pids.size();
  }

 private:
  pss_line& line_;
};

}  // namespace

pss_report measure_pss(const model_settings& settled, const bench_options& options, const workload& data) {
  if (!pss_of(::getpid())) throw resource_error("this kernel has no /proc/PID/smaps_rollup (it came with 4.14)");
  // What parsing the text left behind in the allocator is no part of training.
  ::malloc_trim(0);
  pss_report report{.model = settled.model, .cache_bytes = fs::file_size(data.train().shared_path())};
  train_options o = common_options(options, data);
  o.epochs = defaults::pss_epochs;
  o.step.initial = settled.step;
  o.step.decay = 1.0;
  o.l2 = settled.l2;
  o.test = std::nullopt;
  for (const std::size_t workers : defaults::pss_workers) {
    pss_line line{.workers = workers};
    pss_watch watch(line);
    run_once({.model = settled.model, .engine = engine_kind::processes, .workers = workers}, data.train().view(), o, {},
             &watch);
    report.lines.push_back(line);
  }
  return report;
}

}  // namespace hogwild::bench
