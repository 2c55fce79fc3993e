// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/machine_speed.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/platform/cpu_load.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t line = 16;  // floats
constexpr std::size_t least_timed_rows = 64;
constexpr double probe_ns = 20e6;  // starting a round takes little time beside this

double wall_ns() {
  return std::chrono::duration<double, std::nano>(clock::now().time_since_epoch()).count();
}

/// CPU time of this thread alone: time that other programs take on its CPU does not count.
double cpu_ns() {
  return std::chrono::duration<double, std::nano>(thread_cpu_time()).count();
}

std::chrono::nanoseconds nanoseconds_of(double ns) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(ns));
}

/// Times of two threads.
struct time_of_two {
  double ns = 0.0;      ///< the longer time
  double missed = 0.0;  ///< fraction of the CPU time of both that other processes took
};

/// Runs `body(worker)`, which does not wait, in two threads that begin together.
template <class Body>
time_of_two in_two_threads(const Body& body) {
  std::atomic<int> ready{0};
  double arrived[2] = {}, ended[2] = {}, ns[2] = {}, had[2] = {};
  const auto run = [&](int worker) {
    arrived[worker] = wall_ns();
    ready.fetch_add(1);
    // With a single CPU the other thread needs ours.
    while (ready.load() < 2) std::this_thread::yield();
    const double start = wall_ns(), before = cpu_ns();
    body(worker);
    had[worker] = cpu_ns() - before;
    ended[worker] = wall_ns();
    ns[worker] = ended[worker] - start;
  };
  std::jthread other = start_thread(run, 1);
  run(0);
  other.join();
  // A thread that got its CPU only after the other ended has not met it, so CPU time counts as asked for from the
  // moment when both had arrived.
  const double begin = std::max(arrived[0], arrived[1]);
  const double asked[2] = {ended[0] - begin, ended[1] - begin};
  // Two threads on one CPU take it from each other: other programs did not take that time.
  const double of_both = usable_cpus() > 1 ? asked[0] + asked[1] : std::max(asked[0], asked[1]);
  return {.ns = std::max(ns[0], ns[1]),
          .missed = missed_fraction(nanoseconds_of(of_both), nanoseconds_of(had[0] + had[1]))};
}

time_of_two exchange_speed() {
  constexpr std::size_t lines = 1024, passes = 8;
  std::vector<float> shared(lines * line);
  const param_view<float> view{std::span<float>(shared)};
  time_of_two took = in_two_threads([&](int worker) {
    std::vector<float> work(shared.size()), base(shared.size());
    for (std::size_t pass = 0; pass < passes; ++pass) {
      for (std::size_t j = 0; j < work.size(); j += line / 2) work[j] += 1.0f;
      const std::size_t cut = worker == 0 ? 0 : shared.size() / 2;
      const std::span<float> w(work), b(base);
      view.exchange(cut, w.subspan(cut), b.subspan(cut), 1.0f);
      view.exchange(0, w.first(cut), b.first(cut), 1.0f);
    }
  });
  took.ns /= static_cast<double>(lines * passes);
  return took;
}

time_of_two sharing_speed() {
  constexpr std::size_t lines = 512, adds = 10'000;
  std::vector<float> shared(lines * line);
  const param_view<float> view{std::span<float>(shared)};
  time_of_two took = in_two_threads([&](int worker) {
    std::uint32_t random = 12345u + static_cast<std::uint32_t>(worker);
    for (std::size_t i = 0; i < adds; ++i) {
      random = random * 1664525u + 1013904223u;
      view.add((random >> 23) * line, 1.0f);
    }
  });
  took.ns /= static_cast<double>(adds);
  return took;
}

/// Nanoseconds of the faster of two passes over the first `rows` rows, by the clock `now`.
double time_of_first(const training_task& work, std::size_t rows, const loop_options& options,
                     const start_function& start, double (*now)(), const std::stop_token& stop) {
  sparse_view sample = work.data().slice(0, rows);
  sample.ensure(0, sample.rows());
  const std::vector<std::uint32_t> degree = count_columns(sample);
  sample.degree = degree;
  const std::unique_ptr<training_task> trial = work.on(sample);
  const loop_plan plan = trial->plan(options);
  const auto workers = start(*trial, plan);
  const stop_relay relay(stop, workers->store());
  trial->initialise(workers->store());
  workers->get_ready();
  round_driver rounds(*trial, plan, *workers);
  // A step that does not overshoot, and leaves rows something to change, whatever the unit of the entries.
  const double square = is_of_linear_model(work) ? squares_of_entries(sample).of_row() : 1.0;
  double step = 1e-3 / (square > 0.0 ? square : 1.0), least = 0.0;
  if (work.facts().scaled) step = std::min(step, 1e-3 / std::max(options.l2, 1e-30));
  for (std::size_t pass = 1; pass <= 2; ++pass) {
    const double begin = now();
    rounds.train_epoch(pass, step);
    const double ns = now() - begin;
    least = pass == 1 ? ns : std::min(least, ns);
  }
  return least;
}

}  // namespace

line_speed measure_lines() {
  const time_of_two exchange = least_disturbed(exchange_speed), sharing = least_disturbed(sharing_speed);
  return {.exchange_ns = exchange.ns, .shared_ns = sharing.ns, .missed = std::max(exchange.missed, sharing.missed)};
}

double measure_row(const training_task& work, const loop_options& options, const std::stop_token& stop,
                   std::size_t sample) {
  const sparse_view& data = work.data();
  const double entries = static_cast<double>(data.nonzeros()) / static_cast<double>(data.rows());
  // A user's code runs only in workers: they may die of it, this process may not.
  if (!work.facts().margin && !work.facts().row_kernels) {
    return entries * static_cast<double>(work.facts().parameters) /
           static_cast<double>(std::max<std::size_t>(data.columns, 1));
  }
  const std::size_t fitting = sample * data.rows() / std::max<std::size_t>(data.nonzeros(), 1);
  const std::size_t rows = std::min(data.rows(), std::max(fitting, least_timed_rows));
  loop_options alone = options;
  alone.all_rows = 0;
  const auto by_one = [](const training_task& task, const loop_plan& plan) {
    return start(serial_engine{}, task, plan, {});
  };
  return time_of_first(work, rows, alone, by_one, cpu_ns, stop) / static_cast<double>(rows);
}

double probe_row(const training_task& work, const loop_options& options, const start_function& start,
                 const std::stop_token& stop) {
  const std::size_t all = work.data().rows();
  std::size_t rows = std::min(all, least_timed_rows);
  // With few rows the time may be mainly that of starting a round or of waiting for a CPU: it does not tell how many
  // rows fit.
  for (;;) {
    const double ns = std::max(time_of_first(work, rows, options, start, wall_ns, stop), 1.0);
    if (rows == all || ns >= probe_ns / 2.0 || stop.stop_requested()) return ns / static_cast<double>(rows);
    const double longer = std::clamp(probe_ns / ns, 4.0, 1000.0) * static_cast<double>(rows);
    rows = longer < static_cast<double>(all) ? static_cast<std::size_t>(longer) : all;
  }
}

}  // namespace hogwild
