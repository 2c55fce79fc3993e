// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options.hpp"
#include "rivals/files.hpp"
#include "settings.hpp"

// Programs of others that somebody would use instead of ours, on the same rows, evaluated by our evaluation.

namespace hogwild::bench {

/// What one run of a rival left behind. A program says or leaves only some of it.
struct rival_run {
  double command_seconds = 0.0;                ///< the whole command, from its data file to its model
  std::optional<double> epoch_seconds{};       ///< a training pass by its own clock, the median where it tells several
  std::optional<double> best_epoch_seconds{};  ///< its fastest training pass
  std::optional<double> objective{};           ///< mean loss + l2/2 |w|^2 with the l2 of our reference
  std::optional<double> test_accuracy{};
};

/// Whose figures of quality those of a rival are.
enum class evaluator { ours, its_own };
std::string_view name_of(evaluator who);

/// A program under one setting.
struct rival {
  std::string name{};     ///< "liblinear"
  std::string setting{};  ///< "-s 3": what distinguishes it from its other settings; no path
  std::size_t workers = 1;
  evaluator evaluated_by = evaluator::ours;
  bool same_objective = true;  ///< minimises what our reference minimises, so that objectives can be compared
  std::string skip{};          ///< why it cannot be run here; empty: it can
  std::function<rival_run()> run{};
};

/// "all, or of: ..." for help and messages.
std::string names_of_rivals();
/// Replaces "all" by every name. Throws config_error for a name that is not known.
std::vector<std::string> expand_rivals(const std::vector<std::string>& names);

/// What a rival gets to know.
struct rival_context {
  const bench_options& options;
  const model_settings& settled;
  const workload& data;
  rival_files& files;
  std::size_t cpus = 1;  ///< usable ones
};

/// All settings of the rivals that `context.options` names, also those that have to be skipped. `context` must outlive
/// them.
std::vector<rival> find_rivals(const rival_context& context);

// One each, in a file of its name.
std::vector<rival> stick_rivals(const rival_context& context);
std::vector<rival> hazy_rivals(const rival_context& context);
std::vector<rival> liblinear_rivals(const rival_context& context);
std::vector<rival> vw_rivals(const rival_context& context);
std::vector<rival> sklearn_rivals(const rival_context& context);
std::vector<rival> text_rivals(const rival_context& context);

}  // namespace hogwild::bench
