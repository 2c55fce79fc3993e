// SPDX-License-Identifier: Apache-2.0
#include "rivals/figures.hpp"
#include "rivals/program.hpp"
#include "rivals/quality.hpp"
#include "rivals/rival.hpp"
#include "rivals/weights.hpp"

// LIBLINEAR: batch and dual coordinate solvers that go on to convergence. With C = 1 / (n l2) they minimise our
// objective.

namespace hogwild::bench {
namespace {

rival_run run_liblinear(const rival_context& c, const std::string& program, const std::string& solver) {
  const double cost = 1.0 / (static_cast<double>(c.data.train().rows()) * c.settled.l2);
  const auto model = c.files.scratch("liblinear.model");
  const program_run run =
      run_program(program, {"-s", solver, "-c", written(cost), "-q", c.files.train(export_format::libsvm), model},
                  c.files.scratch("liblinear.log"), {c.options.rivals.limit_seconds, c.options.stop});
  const auto weights = c.files.columns().by_position(read_weights(model, read_liblinear));
  const model_quality q = measure_quality(c.settled, weights, c.data);
  return {run.seconds, {}, {}, q.objective, q.test_accuracy};
}

}  // namespace

std::vector<rival> liblinear_rivals(const rival_context& c) {
  auto program = find_program("liblinear-train");
  if (!program) program = find_program("train");
  const bool hinge = c.settled.model == "hinge_svm";
  std::vector<rival> all;
  for (const char* solver : hinge ? std::vector{"3"} : std::vector{"0", "7"}) {
    rival r{.name = "liblinear", .setting = std::string("-s ") + solver};
    if (!program) r.skip = "neither liblinear-train nor train is installed (Debian: liblinear-tools)";
    if (c.settled.l2 <= 0) r.skip = "it cannot train without regularisation";
    r.run = [&c, program, solver] { return run_liblinear(c, *program, solver); };
    all.push_back(std::move(r));
  }
  return all;
}

}  // namespace hogwild::bench
