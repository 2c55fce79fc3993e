// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <hogwild/error.hpp>

#include "rivals/figures.hpp"
#include "rivals/program.hpp"
#include "rivals/quality.hpp"
#include "rivals/rival.hpp"
#include "rivals/weights.hpp"

// SGDClassifier of scikit-learn, one thread, with its own rule for steps and our l2; see bench/baselines.

namespace hogwild::bench {
namespace {

const std::string script = HOGWILD_BASELINES "/sklearn_sgd.py";

rival_run run_sklearn(const rival_context& c, const std::string& python, std::size_t epochs) {
  const auto weights = c.files.scratch("sklearn.weights");
  const program_run run = run_program(
      python,
      {script, "--loss", c.settled.model == "logistic" ? "logistic" : "hinge", "--alpha", written(c.settled.l2),
       "--epochs", std::to_string(epochs), "--weights", weights, c.files.train(export_format::libsvm)},
      c.files.scratch("sklearn.log"), {c.options.rivals.limit_seconds, c.options.stop});
  const auto said = nlohmann::json::parse(run.output, nullptr, false);
  if (!said.is_object() || !said.contains("train_seconds")) throw input_error("it does not tell its training time");
  const double epoch = said["train_seconds"].get<double>() / static_cast<double>(epochs);
  const auto ordered = c.files.columns().by_position(read_weights(weights, read_pairs));
  const model_quality q = measure_quality(c.settled, ordered, c.data);
  return {run.seconds, epoch, epoch, q.objective, q.test_accuracy};
}

/// The first Python that has the module.
std::optional<std::string> python_with_sklearn(const rival_context& c) {
  for (const char* name : {"python3", "/usr/bin/python3"}) {
    const auto python = find_program(name);
    if (!python) continue;
    try {
      run_program(*python, {"-c", "import sklearn"}, c.files.scratch("sklearn.log"), {60.0, c.options.stop});
      return python;
    } catch (const resource_error&) {
      continue;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<rival> sklearn_rivals(const rival_context& c) {
  const auto python = python_with_sklearn(c);
  std::vector<rival> all;
  for (const std::size_t epochs : {c.options.epochs, 2 * c.options.epochs}) {  // its rule for steps wants more of them
    rival r{.name = "sklearn", .setting = "SGD, " + std::to_string(epochs) + " epochs"};
    if (!python) r.skip = "no Python here has the module sklearn (Debian: python3-sklearn)";
    r.run = [&c, python, epochs] { return run_sklearn(c, *python, epochs); };
    all.push_back(std::move(r));
  }
  return all;
}

}  // namespace hogwild::bench
