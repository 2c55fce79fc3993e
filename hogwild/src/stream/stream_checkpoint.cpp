// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/stream/stream_run.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

/// The facts that must be equal for a stream to resume. Eight bytes each, so that no padding is compared.
struct stream_fingerprint {
  std::uint64_t optimizer, bias, seed, chunk_rows, epoch_rows, first_rows, update, form, hyperparameters;
  double l2, momentum, beta1, beta2;

  bool operator==(const stream_fingerprint&) const = default;
};

stream_fingerprint fingerprint(const train_options& o, const stream_model& model, std::size_t chunk_rows,
                               const stream_options& how) {
  const training_defaults& defaults = model.traits.defaults;
  return {.optimizer = static_cast<std::uint64_t>(o.optimizer.value_or(defaults.optimizer)),
          .bias = o.bias ? 1u : 0u,
          .seed = o.seed,
          .chunk_rows = chunk_rows,
          .epoch_rows = how.epoch_rows,
          .first_rows = how.first_rows,
          .update = static_cast<std::uint64_t>(o.update),
          .form = static_cast<std::uint64_t>(o.form.value_or(defaults.form)),
          .hyperparameters = detail::checksum(std::span<const double>(model.hyperparameters)),
          .l2 = o.l2.value_or(0.0),
          .momentum = o.constants.momentum,
          .beta1 = o.constants.beta1,
          .beta2 = o.constants.beta2};
}

/// The step, once it is decided: kind, first step, decay.
using decided_step = std::array<double, 3>;
/// l1, if there is any: for a row, the amount owed, and for how many rows.
using kept_l1 = std::array<double, 3>;

}  // namespace

void stream_run::checkpoint(const std::string& path) const {
  require_whole();
  hogwild::checkpoint file{.epoch = state_.rows / how_.epoch_rows};
  file.put_span<char>("model", std::span(model_.name.data(), model_.name.size()));
  file.put("stream", fingerprint(options_, model_, chunk_rows_, how_));
  file.put("progress", state_);
  if (l1_.of_row > 0.0) file.put("l1", kept_l1{l1_.of_row, l1_.owed, static_cast<double>(l1_.rows)});
  file.put("step", decided_step{static_cast<double>(options_.step.kind.value_or(schedule_kind::constant)),
                                options_.step.initial.value_or(0.0), options_.step.decay.value_or(0.0)});
  if (options_.bias_rate) file.put("bias_rate", *options_.bias_rate);
  if (options_.constants.epsilon) file.put("epsilon", *options_.constants.epsilon);
  file.put_span<double>("labels", labels_.values());
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
  earlier_.put(file, "earlier");
  recent_.put(file, "recent");
  file.put("since", static_cast<std::uint64_t>(since_minimised_));
  sample_.put(file, "sample");
  write_checkpoint(path, file);
}

void stream_run::resume(const std::string& path) {
  const hogwild::checkpoint file = read_checkpoint(path, how_.note);
  const std::vector<char> name = file.get_vector<char>("model");
  const std::string_view written_by(name.data(), name.size());
  if (written_by != model_.name) {
    throw config_error(path + " is a checkpoint of " + std::string(written_by) + ", not of " +
                       std::string(model_.name) + ": resume with the model that wrote it");
  }
  if (file.find("stream") == nullptr)
    throw config_error(path + " was written by a run over epochs, not by a stream: resume it without one");
  const auto now = fingerprint(options_, model_, chunk_rows_, how_);
  const kept_l1 l1 = file.find("l1") != nullptr ? file.get<kept_l1>("l1") : kept_l1{};
  std::optional<double>& epsilon = options_.constants.epsilon;
  const std::optional<double> had = file.find("epsilon") != nullptr ? file.get<double>("epsilon") : epsilon;
  if (file.get<stream_fingerprint>("stream") != now || l1[0] != l1_.of_row || (epsilon && epsilon != had) ||
      !std::ranges::equal(file.get_vector<double>("labels"), labels_.values())) {
    throw config_error(path +
                       " was written by a stream with other labels or options (l1, l2, seed, optimizer, update, "
                       "bias, batch, factors or other sizes of the model, rows of an epoch, first rows): resume with "
                       "those that wrote it");
  }
  state_ = file.get<stream_state>("progress");
  l1_.owed = l1[1];
  l1_.rows = static_cast<std::uint64_t>(l1[2]);
  const auto decided = file.get<decided_step>("step");
  if (decided[1] > 0.0) {
    options_.step = {.initial = decided[1], .kind = static_cast<schedule_kind>(static_cast<int>(decided[0]))};
    if (decided[2] > 0.0) options_.step.decay = decided[2];
  }
  epsilon = had;
  if (file.find("bias_rate") != nullptr) options_.bias_rate = file.get<double>("bias_rate");
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
  earlier_.get(file, "earlier");
  recent_.get(file, "recent");
  since_minimised_ = file.get<std::uint64_t>("since");
  sample_.get(file, "sample");
}

}  // namespace hogwild
