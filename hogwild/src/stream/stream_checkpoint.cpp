// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/stream/stream_run.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/checkpoint_origin.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

detail::checkpoint_origin origin_of(const train_options& options, const stream_model& model, double l1,
                                    std::size_t chunk_rows, const stream_options& how, std::span<const double> labels) {
  const training_defaults& defaults = model.traits.defaults;
  train_options all = options;
  all.optimizer = all.optimizer.value_or(defaults.optimizer);
  all.constants.beta2 = beta2_of(*all.optimizer, all.constants);
  all.form = all.form.value_or(defaults.form);
  all.l2 = all.l2.value_or(0.0);
  all.l1 = l1;
  all.initial = nullptr, all.initial_state = {};  // the checkpoint's replace what a stream begins with
  all.keep_state = false;                         // a stream holds it at any time
  all.batch.reset();                              // it is part of stream_state
  std::vector<named_value> same = detail::resumed_options(all);
  // A stream that was not given one goes on with that of the checkpoint.
  for (named_value& one : same)
    if (one.value.empty() && (one.name == "bias_rate" || one.name == "constants.epsilon"))
      one.value = detail::any_value;
  detail::add_numbers_of_model(same, model.traits.numbers, model.hyperparameters);
  for (const auto& [name, rows] :
       {std::pair("rows that are trained at a time", chunk_rows), std::pair("rows of an epoch", how.epoch_rows),
        std::pair("first rows", how.first_rows)})
    same.push_back({name, std::to_string(rows)});
  same.push_back({"labels", detail::text_of_numbers(labels)});
  return {model.name, std::move(same)};
}

/// The step, once it is decided: kind, first step, decay.
using decided_step = std::array<double, 3>;
/// The rows of the runs whose state the stream's optimiser went on with.
constexpr const char* earlier_rows = "earlier rows";
/// l1, if there is any: the amount owed, and for how many rows.
using kept_l1 = std::array<double, 2>;

}  // namespace

void stream_run::checkpoint(const std::string& path) const {
  require_whole();
  hogwild::checkpoint file{.epoch = state_.rows / how_.epoch_rows};
  file.put("stream", std::uint64_t{1});
  put_origin(file, origin_of(options_, model_, l1_.of_row, chunk_rows_, how_, labels_.values()));
  file.put("progress", state_);
  if (l1_.of_row > 0.0) file.put("l1", kept_l1{l1_.owed, static_cast<double>(l1_.rows)});
  file.put("step", decided_step{static_cast<double>(options_.step.kind.value_or(schedule_kind::constant)),
                                options_.step.initial.value_or(0.0), options_.step.decay.value_or(0.0)});
  if (options_.bias_rate) file.put("bias_rate", *options_.bias_rate);
  if (options_.constants.epsilon) file.put("epsilon", *options_.constants.epsilon);
  if (options_.initial_state.numbers.rows > 0.0) file.put(earlier_rows, options_.initial_state.numbers.rows);
  file.put_span<std::uint32_t>("numbers", numbers_);
  const stream_arrays trained = arrays();
  if (!trained.arrays.empty() && !std::ranges::all_of(floats_of(trained), [](float w) { return std::isfinite(w); })) {
    throw error(exit_code::diverged,
                "the weights are not finite: the step is too large for the rows; lower it. No checkpoint is written; "
                "an earlier one remains");
  }
  file.put("columns", std::array<std::uint64_t, 3>{columns_, trained.columns, trained.scalar_bytes});
  for (std::size_t k = 0; k < trained.arrays.size(); ++k)
    file.put_bytes("array" + std::to_string(k), trained.arrays[k]);
  held_.put(file, "rows");
  recent_.put(file);
  file.put("since", static_cast<std::uint64_t>(since_minimised_));
  sample_.put(file, "sample");
  write_checkpoint(path, file);
}

void stream_run::resume(const std::string& path) {
  const hogwild::checkpoint file = read_checkpoint(path, how_.note);
  if (file.find("stream") == nullptr)
    throw config_error(path + " was written by a run over epochs, not by a stream: resume it without one");
  std::optional<double>& epsilon = options_.constants.epsilon;
  if (!epsilon && file.find("epsilon") != nullptr) epsilon = file.get<double>("epsilon");
  require_origin(path, file, origin_of(options_, model_, l1_.of_row, chunk_rows_, how_, labels_.values()));
  state_ = file.get<stream_state>("progress");
  if (file.find("l1") != nullptr) {
    const auto [owed, rows] = file.get<kept_l1>("l1");
    l1_.owed = owed;
    l1_.rows = static_cast<std::uint64_t>(rows);
  }
  const auto decided = file.get<decided_step>("step");
  if (decided[1] > 0.0) {
    options_.step = {.initial = decided[1], .kind = static_cast<schedule_kind>(static_cast<int>(decided[0]))};
    if (decided[2] > 0.0) options_.step.decay = decided[2];
  }
  if (file.find("bias_rate") != nullptr) options_.bias_rate = file.get<double>("bias_rate");
  if (file.find(earlier_rows) != nullptr) options_.initial_state.numbers.rows = file.get<double>(earlier_rows);
  numbers_ = file.get_vector<std::uint32_t>("numbers");
  const auto columns = file.get<std::array<std::uint64_t, 3>>("columns");
  columns_ = columns[0];
  stream_arrays trained{.columns = columns[1], .scalar_bytes = columns[2]};
  for (std::size_t k = 0; file.find("array" + std::to_string(k)) != nullptr; ++k)
    trained.arrays.push_back(file.get_vector<std::byte>("array" + std::to_string(k)));
  std::size_t parameters = 0;
  for (const parameter_group& g : model_.groups(trained.columns))
    parameters = std::max(parameters, g.offset + g.rows * g.width);
  const auto fits = [&](const std::vector<std::byte>& array) {
    return array.size() == parameters * trained.scalar_bytes;
  };
  const std::size_t arrays =
      trained.arrays.empty() ? 0 : 1 + state_arrays_of(options_.optimizer.value_or(model_.traits.defaults.optimizer));
  if (trained.arrays.size() != arrays || !std::ranges::all_of(trained.arrays, fits) || columns_ > column_limit)
    throw input_error(path + " holds parameters of another model than its options say");
  if (!trained.arrays.empty()) kept_ = std::move(trained);
  held_.get(file, "rows");
  recent_.get(file);
  since_minimised_ = file.get<std::uint64_t>("since");
  sample_.get(file, "sample");
}

}  // namespace hogwild
