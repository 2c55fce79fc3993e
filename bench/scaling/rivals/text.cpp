// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <set>

#include <hogwild/dataset.hpp>

#include "one_run.hpp"
#include "rivals/rival.hpp"

// Ours as a command would run it, from the same text file to a model, so that programs that tell no training time of
// their own have something to stand beside.

namespace hogwild::bench {
namespace {

rival_run run_text(const rival_context& c, std::size_t workers) {
  train_options o = common_options(c.options, c.data);
  o.step.initial = c.settled.step;
  o.step.decay = c.settled.decay;
  o.l2 = c.settled.l2;
  o.test.reset();
  const auto file = c.files.train(export_format::libsvm);
  const value_precision values = c.options.half ? value_precision::half : value_precision::single;
  const auto begin = std::chrono::steady_clock::now();
  const sparse_dataset rows =
      open_libsvm(file.string(), {.cache = open_options::cache_use::none, .values = values, .threads = workers});
  const point what{.model = c.settled.model, .engine = engine_kind::threads, .workers = workers};
  const run_outcome run = run_once(what, rows.view(), o);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const double epochs = static_cast<double>(run.epoch_seconds.size());
  return {took.count(),
          run.result.train_seconds / epochs,
          *std::ranges::min_element(run.epoch_seconds),
          run.result.objective,
          {}};
}

}  // namespace

std::vector<rival> text_rivals(const rival_context& c) {
  std::vector<rival> all;
  for (const std::size_t workers : std::set<std::size_t>(c.options.workers.begin(), c.options.workers.end())) {
    rival r{.name = "text", .setting = "ours, from text", .workers = workers};
    if (workers > c.cpus) r.skip = "there are fewer CPUs";
    r.run = [&c, workers] { return run_text(c, workers); };
    all.push_back(std::move(r));
  }
  return all;
}

}  // namespace hogwild::bench
