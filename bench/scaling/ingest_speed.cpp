// SPDX-License-Identifier: Apache-2.0
#include "ingest_speed.hpp"

#include <chrono>
#include <optional>

#include <hogwild/error.hpp>

#include "leave_when_asked.hpp"
#include "statistics.hpp"

namespace hogwild::bench {
namespace {

template <class F>
double seconds_of(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void require_rows(const sparse_dataset& opened, const workload& data) {
  if (opened.rows() != data.train().rows()) throw input_error("ingest lost rows: the measurement is worth nothing");
}

}  // namespace

ingest_speed measure_ingest(const bench_options& options, const workload& data, std::size_t usable_cpus) {
  const std::string path = data.text().string();
  ingest_speed speed{.bytes = std::filesystem::file_size(path)};
  for (const std::size_t threads : defaults::ingest_threads) {
    if (threads <= usable_cpus || options.oversubscribe) speed.lines.push_back({.threads = threads});
  }
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    leave_when_asked(options.stop);
    for (auto& line : speed.lines) {
      // Giving the memory back when the data are no longer wanted is not part of opening them.
      std::optional<sparse_dataset> opened;
      line.seconds.push_back(seconds_of(
          [&] { opened = open_libsvm(path, {.cache = open_options::cache_use::none, .threads = line.threads}); }));
      require_rows(*opened, data);
    }
    for (std::size_t i = 0; i < defaults::warm_starts; ++i) {
      speed.warm_seconds.push_back(seconds_of([&] {
        const sparse_dataset opened = open_libsvm(path);
        if (!opened.from_cache()) throw input_error("the cache of " + path + " was not used: is its folder writable?");
      }));
    }
  }
  for (auto& line : speed.lines) line.bytes_per_second = static_cast<double>(speed.bytes) / median(line.seconds);
  speed.median_warm_seconds = median(speed.warm_seconds);
  return speed;
}

}  // namespace hogwild::bench
