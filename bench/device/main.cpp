// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <bench/parse_and_run.hpp>
#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>
#include <interrupt/interrupt.hpp>

#include "device_task.hpp"
#include "kernel_rates.hpp"
#include "record.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::bench;

struct device_options {
  int device = 0;
  std::string out;
  std::vector<std::string> tasks{std::begin(workload_names), std::end(workload_names)};
  workload_sizes sizes;
  std::size_t copy_bytes = std::size_t{256} << 20;
  double seconds = 0.0, least = 0.2, tolerance = 0.005, target_gap = 0.01;
  std::stop_token stop{};
};

/// Measures everything, in order. Nothing begins when the time is up.
class measuring {
 public:
  explicit measuring(const device_options& options) : options_(options), record_(options.out) {}

  /// False if a run missed the quality, or failed.
  bool all() {
    {
      const auto device = device::open_device(options_.device);
      record_.put_context(device->facts());
      name_ = device->facts().name;
      ceilings_ = measure_ceilings(*device, options_.copy_bytes, options_.least);
      record_.put(ceilings_, name_);
    }
    sum_up();
    for (const std::string& name : options_.tasks) measure(name);
    record_.put_end(cut_);
    return sound_;
  }

 private:
  /// Measures sums over all devices of the machine, each as a rank.
  void sum_up() {
    if (time_is_up("sums", "all")) return;
    if (options_.device == emulated_device) return record_.put_skipped("sums", "all", "NCCL has no emulated devices");
    const std::size_t ranks = devices_here();
    if (ranks < 2)
      return record_.put_skipped("sums", "all", "there is one device, and NCCL lets no two ranks share it");
    try {
      const nccl::functions with = nccl::load("libnccl.so.2");
      const auto open = [](std::size_t rank) { return device::open_cuda(static_cast<int>(rank)); };
      for (const std::size_t floats : {std::size_t{1} << 10, std::size_t{1} << 20, std::size_t{1} << 24})
        record_.put(measure_sums(with, open, ranks, floats, options_.least));
    } catch (const error& e) {
      record_.put_skipped("sums", "all", e.what());
    }
  }
  static std::size_t devices_here() {
    std::size_t count = 1;  // one is open already
    try {
      while (device::facts_of_cuda(static_cast<int>(count)).number >= 0) ++count;
    } catch (const resource_error&) {
    }
    return count;
  }

  bool time_is_up(const std::string& task, const std::string& name) {
    if (options_.stop.stop_requested())
      throw error(exit_code::interrupted, "interrupted; what was measured so far is in the record");
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
    if (options_.seconds <= 0 || passed.count() < options_.seconds) return false;
    record_.put_skipped(task, name, "the time was up");
    return cut_ = true;
  }

  void measure(const std::string& name) {
    if (time_is_up(name, "all")) return;
    const workload work = make_workload(name, options_.sizes);
    if (time_is_up(name, "all")) return;
    const reference by = train_reference(work, options_.target_gap, options_.stop);
    record_.put(work, by);
    // The rows in flight are known from the device's runs; one row if no run succeeded.
    std::map<training_way, std::uint32_t> in_flight;
    std::map<std::string, double> to_target;
    for (const contestant& who : contestants(work, worker_count())) {
      if (who.device) in_flight.try_emplace(who.way, 1);
      if (time_is_up(name, who.name)) continue;
      const contest outcome = train_contestant(work, who, options_.device, by, options_.tolerance, options_.stop);
      record_.put(work, who, outcome);
      sound_ = sound_ && outcome.state == "measured";
      if (!outcome.result.devices.empty())
        in_flight[who.way] = static_cast<std::uint32_t>(outcome.result.devices[0].rows_in_flight);
      if (outcome.state == "measured" && outcome.seconds_to_target) to_target[who.name] = *outcome.seconds_to_target;
    }
    compare(work, to_target);
    if (!time_is_up(name, "kernels")) measure_kernels(work, by.result, in_flight);
  }

  void compare(const workload& work, const std::map<std::string, double>& seconds) {
    const auto known = [&](const std::string& name) { return seconds.contains(name); };
    for (const auto& [name, its] : seconds)
      if (name != "cpu" && known("cpu")) record_.put_ratio(work, name, "cpu", seconds.at("cpu") / its);
    for (const std::string policy : {"lossy", "exact"}) {
      const std::string hybrid = "hybrid, " + policy, alone = "device, " + policy;
      if (!known("cpu") || !known(hybrid) || !known(alone)) continue;
      const std::string better = seconds.at(alone) < seconds.at("cpu") ? alone : "cpu";
      record_.put_ratio(work, hybrid, "the better of both", seconds.at(better) / seconds.at(hybrid));
    }
  }

  void measure_kernels(const workload& work, const train_result& trained,
                       const std::map<training_way, std::uint32_t>& in_flight) {
    const auto rate_on = [&](device::runtime& device, const training_way& way, std::uint32_t rows) {
      return kernel_rows_per_second(device, work, trained.parameters, trained.labels, way, rows, options_.least);
    };
    {
      const auto device = device::open_device(options_.device);
      for (const auto& [way, chosen] : in_flight) {
        std::vector<std::uint32_t> tried{1, chosen, most_warps(device->facts())};
        tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
        for (const std::uint32_t rows : tried)
          record_.put_rate(work, name_, way, rows, rate_on(*device, way, rows), bound_of(work, ceilings_, way, rows));
      }
    }
    const auto one_core = device::open_emulated(1);
    for (const auto& [way, chosen] : in_flight)
      record_.put_rate(work, "one CPU", way, 1, rate_on(*one_core, way, 1), std::nullopt);
  }

  const device_options& options_;
  device_record record_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::string name_;
  ceilings ceilings_;
  bool cut_ = false, sound_ = true;
};

void declare(CLI::App& app, device_options& o) {
  app.option_defaults()->always_capture_default();
  app.add_option("--device", o.device, "its number, or emulated: kernels run on the CPU")
      ->transform(CLI::Transformer({{"emulated", std::to_string(emulated_device)}}))
      ->check(CLI::Range(emulated_device, 1 << 16))
      ->type_name("N|emulated");
  app.add_option("--tasks", o.tasks, "some of " + names_of_workloads())
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(workload_names), std::end(workload_names))))
      ->type_name("NAMES");
  app.add_option("--ratings", o.sizes.ratings, "generated ratings")->check(CLI::Range(1'000, 1'000'000'000));
  app.add_option("--factors", o.sizes.factors, "of each user and item")->check(CLI::Range(1, 1'024));
  app.add_option("--rows", o.sizes.rows, "generated rows of text")->check(CLI::Range(1'000, 100'000'000));
  app.add_option("--words", o.sizes.words, "generated words")->check(CLI::Range(1'000, 1'000'000'000));
  app.add_option("--dimension", o.sizes.dimension, "of each word's vector")->check(CLI::Range(1, 128));
  app.add_option("--epochs", o.sizes.epochs, "of each run; 0: as many as suit the task");
  app.add_option("--copy-bytes", o.copy_bytes, "size of each of the two arrays")->check(CLI::PositiveNumber);
  app.add_option("--least", o.least, "seconds of each measurement of a kernel, at least")->check(CLI::PositiveNumber);
  app.add_option("--tolerance", o.tolerance, "how far above one worker's objective others may end, as a fraction");
  app.add_option("--target-gap", o.target_gap, "how far above it the objective is that they are timed to");
  app.add_option("--seconds", o.seconds, "leave out what would begin later; 0: nothing")->type_name("SEC");
  app.add_option("--out", o.out, "file for the record; standard output where not given")->type_name("FILE");
}

}  // namespace

int main(int argc, char** argv) {
  interrupt signals({.answer = "bench_device: interrupted, leaving\n"});
  device_options o;
  CLI::App app("Measures what a device can do, and training on it beside the CPU's own workers.", "bench_device");
  declare(app, o);
  return parse_and_run(app, argc, argv, [&] {
    signals.begin_asking();
    o.stop = signals.token();
    return measuring(o).all() ? 0 : 1;
  });
}
