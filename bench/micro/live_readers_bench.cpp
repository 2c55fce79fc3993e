// SPDX-License-Identifier: Apache-2.0
// The cost of live readers for a run: trainings alternate without and with a reader that attaches, reads once and
// detaches 1,000 times while the run trains, and is killed now and then.
//
//   live_readers_bench [TURNS] [threads|processes] [WORKERS] [EPOCHS]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/live_parameters.hpp>
#include <hogwild/models/logistic.hpp>

using namespace hogwild;

namespace {

constexpr const char* reader_word = "--reader";
constexpr std::size_t attachments = 1'000, readers = 10;

struct made_rows {
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<float> value, label;
};

/// Shaped like RCV1: 47,000 columns with a long tail, 75 entries a row.
made_rows make_rows() {
  constexpr std::size_t columns = 47'000, in_each = 75;
  const counter_random random(1, 0);
  made_rows rows;
  std::uint64_t draw = 0;
  for (std::size_t r = 0; r < 20'000; ++r) {
    for (std::size_t k = 0; k < in_each; ++k) {
      const double u = random.uniform(draw++);
      rows.index.push_back(static_cast<std::uint32_t>((static_cast<double>(k) + u * u * u) * (columns / in_each)));
      rows.value.push_back(static_cast<float>(random.uniform(draw++)) - 0.5f);
    }
    rows.start.push_back(rows.index.size());
    rows.label.push_back(random.below(draw++, 2) == 0 ? -1.0f : 1.0f);
  }
  return rows;
}

/// A counter in a segment, where the parent can read it: a killed reader has counted what it did.
std::atomic<std::uint64_t>& count_in(const segment& of) {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(of.data() + segment_header_bytes);
}
const segment_identity counter{.layout_hash = 1, .build_id = 1, .model_name = "count"};

int read_again_and_again(const std::string& name, const std::string& counted, double pause) {
  const segment counts = segment::attach(counted, counter);
  for (;;) {
    {
      const auto live = live_parameters::attach(name);
      if (live.values().empty()) return 1;
    }
    ++count_in(counts);
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  }
}

double median(std::vector<double> x) {
  std::ranges::nth_element(x, x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
  return x[x.size() / 2];
}

struct one_run {
  double seconds, cpu;  ///< of training; CPU time of this process, without its children
  std::uint64_t read;
};

one_run run_once(const csr_rows& rows, bool processes, std::size_t workers, std::size_t epochs, double expected) {
  const std::string name = unique_segment_name();
  const segment counts = segment::create(unique_segment_name(), segment_header_bytes + 4096, counter);
  std::jthread reading;
  train_options options{.epochs = epochs, .step = {.initial = 0.1}};
  options.observers.push_back([&, begun = false](const epoch_report&) mutable {
    if (expected == 0.0 || std::exchange(begun, true)) return;
    reading = std::jthread([&](const std::stop_token& over) {
      // Each reader is killed in the middle of its work, and another one goes on.
      while (!over.stop_requested() && count_in(counts) < attachments) {
        const std::uint64_t last = count_in(counts) + attachments / readers;
        char pause[32];
        std::snprintf(pause, sizeof pause, "%.9f", 0.6 * expected / attachments);
        child_process reader = spawn(this_program(), {reader_word, name, counts.name(), pause});
        while (!over.stop_requested() && count_in(counts) < last && !reader.poll_exit())
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        reader.kill(SIGKILL);
      }
    });
  });
  const std::clock_t begun = std::clock();
  train_result run;
  if (processes)
    run = train(logistic{}, rows, process_engine{.workers = workers, .segment = name}, options);
  else
    run = train(logistic{}, rows, thread_engine{.workers = workers, .team = thread_team_kind::std, .segment = name},
                options);
  return {run.train_seconds, static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, count_in(counts)};
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto rc = worker_main<logistic>(argc, argv)) return *rc;
  if (argc == 5 && std::string_view(argv[1]) == reader_word)
    return read_again_and_again(argv[2], argv[3], std::atof(argv[4]));
  const auto turns = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 9);
  const bool processes = argc > 2 && std::string_view(argv[2]) == "processes";
  const auto workers = static_cast<std::size_t>(argc > 3 ? std::atoi(argv[3]) : 1);
  const auto epochs = static_cast<std::size_t>(argc > 4 ? std::atoi(argv[4]) : 1'000);
  const made_rows made = make_rows();
  const csr_rows rows(made.start, made.index, made.value, made.label, 47'000);
  const double expected = run_once(rows, processes, workers, epochs, 0.0).seconds;
  std::vector<double> alone, beside, ratios, cpu_ratios;
  std::uint64_t least = attachments;
  for (std::size_t t = 0; t < turns; ++t) {
    // Alternating, so that other load on the machine affects both.
    one_run without{}, with{};
    for (const bool beside_reader : {t % 2 == 1, t % 2 == 0})
      (beside_reader ? with : without) = run_once(rows, processes, workers, epochs, beside_reader ? expected : 0.0);
    alone.push_back(without.seconds), beside.push_back(with.seconds);
    ratios.push_back(with.seconds / without.seconds);
    cpu_ratios.push_back(with.cpu / without.cpu);
    least = std::min(least, with.read);
    std::printf("turn %zu: %.3f s (CPU %.3f s) alone, %.3f s (%.3f s) beside a reader that attached %llu times\n",
                t + 1, without.seconds, without.cpu, with.seconds, with.cpu,
                static_cast<unsigned long long>(with.read));
    std::fflush(stdout);
  }
  std::printf(
      "%s, %zu workers: medians %.3f s and %.3f s, of ratios %.4f, of CPU time's %.4f; at least %llu attachments\n",
      processes ? "processes" : "threads", workers, median(alone), median(beside), median(ratios), median(cpu_ratios),
      static_cast<unsigned long long>(least));
}
