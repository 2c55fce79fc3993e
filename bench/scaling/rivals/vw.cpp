// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "rivals/program.hpp"
#include "rivals/quality.hpp"
#include "rivals/rival.hpp"
#include "rivals/weights.hpp"

// Vowpal Wabbit: one learner thread, normalised adaptive steps, no l2; so only its test accuracy can be compared.

namespace hogwild::bench {
namespace {

/// Bits of its table, so many that columns with a number keep that number.
std::size_t bits_for(std::size_t largest_column) {
  return std::max<std::size_t>(18, static_cast<std::size_t>(std::bit_width(largest_column)));
}

rival_run run_vw(const rival_context& c, const std::string& program, std::size_t passes) {
  const auto weights = c.files.scratch("vw.weights"), cache = c.files.scratch("vw.cache");
  std::vector<std::string> arguments{"-d",
                                     c.files.train(export_format::vw),
                                     "--loss_function",
                                     c.settled.model == "logistic" ? "logistic" : "hinge",
                                     "-b",
                                     std::to_string(bits_for(c.files.columns().largest())),
                                     "--noconstant",
                                     "--quiet",
                                     "--predict_only_model",
                                     "--readable_model",
                                     weights};
  if (passes > 1) {
    for (const std::string& word : {std::string("--passes"), std::to_string(passes), std::string("-k"),
                                    std::string("--cache_file"), cache.string(), std::string("--holdout_off")}) {
      arguments.push_back(word);
    }
  }
  const program_run run =
      run_program(program, arguments, c.files.scratch("vw.log"), {c.options.rivals.limit_seconds, c.options.stop});
  const model_quality q =
      measure_quality(c.settled, c.files.columns().by_position(read_weights(weights, read_vw)), c.data);
  return {run.seconds, {}, {}, q.objective, q.test_accuracy};
}

}  // namespace

std::vector<rival> vw_rivals(const rival_context& c) {
  const auto program = find_program("vw");
  std::vector<rival> all;
  for (const std::size_t passes : {std::size_t{1}, std::size_t{5}}) {
    rival r{
        .name = "vw", .setting = std::to_string(passes) + (passes == 1 ? " pass" : " passes"), .same_objective = false};
    if (!program) r.skip = "vw is not installed";
    r.run = [&c, program, passes] { return run_vw(c, *program, passes); };
    all.push_back(std::move(r));
  }
  return all;
}

}  // namespace hogwild::bench
