// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "rivals/figures.hpp"
#include "rivals/program.hpp"
#include "rivals/rival.hpp"
#include "statistics.hpp"

// Hogwild! of the Hazy project, the program `svm`: the reference code of the paper. It leaves no weights, so its own
// figures are told. It minimises the same objective, with the l2 shared out over the rows that have a column.

namespace hogwild::bench {
namespace {

rival_run run_hazy(const rival_context& c, std::size_t workers) {
  const model_settings& s = c.settled;
  const double rows = static_cast<double>(c.data.train().rows()), mu = s.l2 * rows;
  const program_run run =
      run_program(c.options.rivals.hazy,
                  {"--epochs", std::to_string(c.options.epochs), "--binary", "1", "--stepinitial", written(s.step),
                   "--step_decay", written(s.decay), "--mu", written(mu), "--splits", std::to_string(workers),
                   c.files.train(export_format::hazy), c.files.test(export_format::hazy)},
                  c.files.scratch("hazy.log"), {c.options.rivals.limit_seconds, c.options.stop});
  const hazy_figures f = read_hazy(run.output);
  // As with ours, the first epoch is not counted.
  const std::vector<double> counted(f.epoch_seconds.begin() + (f.epoch_seconds.size() > 1 ? 1 : 0),
                                    f.epoch_seconds.end());
  rival_run out{run.seconds, median(counted), *std::ranges::min_element(counted), {}, f.test_accuracy};
  // The objective that it prints has mu = 1, whatever mu it trains with.
  if (f.objective_sum && std::abs(mu - 1.0) < 1e-6) out.objective = *f.objective_sum / rows;
  return out;
}

}  // namespace

std::vector<rival> hazy_rivals(const rival_context& c) {
  std::vector<rival> all;
  for (const std::size_t workers : c.options.workers) {
    rival r{.name = "hazy", .setting = "svm", .workers = workers, .evaluated_by = evaluator::its_own};
    if (c.settled.model != "hinge_svm") {
      r.skip = "it has no model but the SVM";
    } else if (c.options.rivals.hazy.empty()) {
      r.skip = "its program was not named: --hazy";
    } else if (!find_program(c.options.rivals.hazy)) {
      r.skip = "--hazy names no program";
    } else if (workers > c.cpus) {
      r.skip = "there are fewer CPUs";
    }
    r.run = [&c, workers] { return run_hazy(c, workers); };
    all.push_back(std::move(r));
  }
  return all;
}

}  // namespace hogwild::bench
