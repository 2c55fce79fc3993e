// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/prepare.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/data/row_numbers.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/workspace_step.hpp>
#include <hogwild/detail/models/class_sampler.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/row_weights.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/run_notes.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/run/validation_split.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/error.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/names.hpp>
#include <hogwild/observer.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;

namespace {

/// One bit for each named group.
std::uint32_t frozen_groups(const std::vector<std::string>& names, const model_traits& traits) {
  std::uint32_t frozen = 0;
  for (const std::string& name : names) {
    std::string known;
    bool found = false;
    for (std::size_t i = 0; i < traits.groups.size(); ++i) {
      known += (i == 0 ? "" : ", ") + traits.groups[i];
      if (traits.groups[i] != name) continue;
      require(i < 32, "only the first 32 groups of a model can be frozen");
      frozen |= 1u << i;
      found = true;
    }
    require(!traits.groups.empty(),
            "freezing is for models with groups of parameters; a linear model with one margin a row has none");
    require(found, "the model has no group " + quote(name) + " to freeze; it has " + known);
  }
  return frozen;
}

loop_options loop_of(const train_options& o, const model_traits& traits) {
  return {.update = o.update,
          .optimizer = o.optimizer.value_or(traits.defaults.optimizer),
          // Until the workers are known, replicas count as a single worker.
          .sharing = o.sharing == sharing_kind::direct ? access_kind::direct : access_kind::alone,
          .order = o.order,
          .shards = o.shards,
          .bias = o.bias ? 1u : 0u,
          .telemetry = o.telemetry ? 1u : 0u,
          .isa = choose_isa(o.isa),
          .batch = o.batch ? static_cast<std::uint32_t>(*o.batch) : traits.defaults.batch,
          .frozen_groups = frozen_groups(o.freeze, traits),
          .l1 = o.l1,
          .l2 = o.l2.value_or(traits.defaults.l2),
          .seed = o.seed,
          .earlier_rows = o.initial_state.numbers.rows,
          .constants = o.constants,
          .form = o.form.value_or(traits.defaults.form),
          .ownership = o.ownership,
          .dense_isa = choose_dense_isa(o.isa)};
}

/// The squares of the entries of all ranks' rows.
entry_squares squares_of_all(const sparse_view& rows, const agreement& ranks) {
  const entry_squares mine = squares_of_entries(rows);
  std::array<double, 3> sums{mine.sum, mine.entries, mine.rows};
  ranks.sum(sums);
  return {.sum = sums[0], .entries = sums[1], .rows = sums[2]};
}

/// Counts of rows, summed over all ranks.
std::vector<std::uint32_t> count_of_all(std::vector<std::uint32_t> counts, const agreement& ranks) {
  if (ranks.alone()) return counts;
  std::vector<double> sums(counts.begin(), counts.end());
  ranks.sum(sums);
  std::ranges::transform(sums, counts.begin(), [](double n) { return static_cast<std::uint32_t>(n); });
  return counts;
}

/// A column that occurs twice in a row; nothing if all are distinct. `sorted` is scratch memory.
std::optional<std::uint32_t> repeated(std::span<const std::uint32_t> columns, std::vector<std::uint32_t>& sorted) {
  if (std::ranges::adjacent_find(columns, std::greater_equal<>()) == columns.end()) return std::nullopt;  // ascending
  sorted.assign(columns.begin(), columns.end());
  std::ranges::sort(sorted);
  const auto found = std::ranges::adjacent_find(sorted);
  return found == sorted.end() ? std::nullopt : std::optional(*found);
}

void require_weights_and_offsets(const sparse_view& data, const std::string& source, const train_options& o,
                                 const model_traits& traits) {
  require(
      data.weight.empty() || traits.weights,
      source + " has weights of rows, which this model does not take: leave them out, or declare takes_weights in it");
  require(data.weight.empty() || o.ownership != ownership_kind::blocks,
          "block ownership takes no weights: use shared ownership");
  require(
      data.offset.empty() || traits.offsets,
      source +
          " has offsets of rows (a base of Vowpal Wabbit is one), which this model does not take: leave them out; a "
          "model of a program declares takes_offsets");
}

/// Checks rows in the program's memory, which have not been checked before. `source` names them.
void require_sound(const sparse_view& data, const std::string& source, const model_traits& traits) {
  if (data.columns > column_limit) {
    throw input_error(source + " has " + std::to_string(data.columns) + " columns; at most " +
                      std::to_string(column_limit) + " are supported");
  }
  // On one rank all rows may have weight 0.
  if (!data.weight.empty()) detail::require_sound_weights(data.weight, data.rows(), source);
  if (!data.offset.empty()) detail::require_offsets(data.offset, data.rows(), source);
  if (!data.id.empty() && data.id.size() != data.rows())
    throw input_error(source + ": there are " + std::to_string(data.id.size()) + " numbers of rows for " +
                      std::to_string(data.rows()) + " rows; give one a row");
  if (data.source != nullptr || data.rows() == 0) return;
  row_cursor cursor(data);
  std::vector<std::uint32_t> sorted;
  std::size_t k = data.row_start.front();
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const auto refuse = [&](const std::string& fault) {
      throw input_error(source + ": in row " + std::to_string(r + 1) + " " + fault);
    };
    const sparse_row<float> z = cursor.row(r);
    for (const auto [column, value] : z) {
      if (column >= data.columns) {
        refuse("entry " + std::to_string(k) + " has column " +
               (column > 0x7fffffffu ? std::to_string(static_cast<std::int32_t>(column)) + ", or " : "") +
               std::to_string(column) + ", but there are only " + std::to_string(data.columns) +
               " columns, which count from 0");
      }
      if (!std::isfinite(value)) refuse("entry " + std::to_string(k) + " is not a finite number");
      ++k;
    }
    if (traits.repeats) continue;
    if (const auto column = repeated(z.index, sorted))
      refuse("column " + std::to_string(*column) + " stands twice: add up its values, or leave one out");
  }
}

void require_labels(const sparse_view& rows, const std::string& source, const model_traits& traits) {
  if (!traits.lists) label_map::refuse_lists(rows.label, source);
}

/// Checks rows to measure, which have the columns of the training rows.
void require_fits(const std::optional<sparse_view>& rows, const sparse_view& training, const std::string& source,
                  const train_options& o, const model_traits& traits) {
  if (!rows) return;
  require_labels(*rows, source, traits);
  require_weights_and_offsets(*rows, source, o, traits);
  if (rows->columns > training.columns) {
    throw input_error(source + " has " + std::to_string(rows->columns) + " columns, but the training data only " +
                      std::to_string(training.columns) + "; read it through the training data's numbering");
  }
  require_sound(*rows, source, traits);
}

/// Called before the ranks do anything together: with other options they would not even make the same calls.
void require_same_training(const train_options& options, const model_traits& traits, const sparse_view& rows,
                           const agreement& ranks) {
  if (ranks.alone()) return;
  std::vector<named_value> mine{detail::compared_build()};
  detail::add_model(mine, traits.name, traits.numbers, traits.hyperparameters);
  const std::vector<named_value> given = detail::compared_options(options);
  mine.insert(mine.end(), given.begin(), given.end());
  mine.push_back(detail::compared_scale(rows));
  detail::require_same_on_ranks(mine, ranks);
}

}  // namespace

void detail::require_below_one(double step_l2) {
  require(step_l2 < 1.0,
          "step * l2 is " + detail::to_short_text(step_l2) +
              ": it must stay below 1, or a step would reverse the sign of the weights; lower the step or l2");
}

void require_trainable(const sparse_view& rows, const std::string& source, const train_options& options,
                       const model_traits& traits) {
  require_labels(rows, source, traits);
  require_sound(rows, source, traits);
  require_weights_and_offsets(rows, source, options, traits);
}

prepared_data::prepared_data(const sparse_view& data, const train_options& options, const model_traits& traits,
                             collective* ranks)
    : cpu_begun_(process_cpu_time() + children_cpu_time()),
      ranks_(ranks),
      options_(options),
      train_(data),
      defaults_(traits.defaults) {
  require_same_training(options_, traits, data, agreement(ranks_));
  detail::check_options(options_, traits);
  notes_ = std::make_shared<run_notes>(options_.observers.size());
  options_.observers.emplace_back(notes_);
  const std::string source = options.data_name.empty() ? "the training data" : options.data_name;
  if (data.rows() == 0) throw input_error(source + " has no rows");
  require_trainable(data, source, options_, traits);
  require_fits(options_.test, data, "the test data", options_, traits);
  require_fits(options_.validation, data, "the validation data", options_, traits);
  labels_ = options_.labels.empty() ? learn_labels(traits.labels, data.label, source, agreement(ranks_))
                                    : declared_labels(traits.labels, options_.labels, data, source);
  const bool declared = !options_.labels.empty();
  if (const auto& rows = options_.test) labels_.require_known(rows->label, "the test data", rows->id, declared);
  if (const auto& rows = options_.validation)
    labels_.require_known(rows->label, "the validation data", rows->id, declared);
  require(options_.validation_fraction == 0.0 || agreement(ranks_).alone(),
          "several ranks cannot hold back a fraction of the rows for validation; give validation rows");
  if (options_.validation_fraction > 0.0) hold_back(traits);
  detail::choose_comparison(options_, traits);
  const std::uint64_t all_rows = agree_on_rows();
  weigh_rows(traits);
  loop_ = loop_of(options_, traits);
  if (!agreement(ranks_).alone()) loop_.all_rows = all_rows;
  const bool two_pass = loop_.form == l2_form::two_pass;
  if (traits.linear) follow_entries(all_rows);
  const bool by_degree = !traits.margin || loop_.optimizer != optimizer_kind::sgd || two_pass || loop_.l1 > 0.0;
  const bool touched = loop_.l1 + loop_.l2 > 0.0 && by_degree && loop_.optimizer != optimizer_kind::ftrl;
  if (touched && train_.degree.empty()) {
    train_.ensure(0, train_.rows());
    degree_ = count_of_all(count_columns(train_), agreement(ranks_));
    train_.degree = degree_;
  }
  require(!traits.init_by_labels || agreement(ranks_).alone(),
          "this model begins with what it sees in all rows, and ranks that have a part of them each would begin with "
          "different ones: train it in one process, or with --engine processes");
  if ((traits.init_by_rows || train_.label.lists()) && labels_.kind() == label_kind::classes) {
    class_rows_ = count_of_all(class_counts(train_, labels_, labels_.classes()), agreement(ranks_));
    train_.class_rows = class_rows_;
  }
}

void prepared_data::weigh_rows(const model_traits& traits) {
  const agreement ranks(ranks_);
  const std::vector<double> of_labels = weights_of_labels(options_, labels_, train_, ranks);
  require(of_labels.empty() || traits.weights,
          "classes have weights, which this model does not take: leave them out, or declare takes_weights in it");
  const std::string source = options_.data_name.empty() ? "the training data" : options_.data_name;
  train_weights_ = row_weights(train_, of_labels, labels_, source, &ranks);
  train_.weight = train_weights_;
  const auto weigh = [&](std::optional<sparse_view>& rows, std::vector<float>& weights, const std::string& name) {
    if (!rows) return;
    weights = row_weights(*rows, of_labels, labels_, name, nullptr);  // all ranks measure the same rows
    rows->weight = weights;
  };
  weigh(options_.test, test_weights_, "the test data");
  weigh(options_.validation, validation_weights_, "the validation data");
}

void prepared_data::hold_back(const model_traits& traits) {
  const double fraction = options_.validation_fraction;
  split_ = std::make_shared<const validation_split>(split_rows(
      train_, traits.measured_as == row_kind::pairs ? draw_of_users(train_, fraction, options_.seed)
                                                    : draw_validation(train_, labels_, fraction, options_.seed)));
  const sparse_view whole = train_;
  train_ = split_->training.view();
  options_.validation = split_->validation.view();
  train_.class_rows = whole.class_rows;
  train_.first_column = whole.first_column;
  train_.scaling = whole.scaling, train_.scale = whole.scale;
  // Text keeps its counts: rows held back are measured by the same counts.
  if (traits.repeats) train_.degree = options_.validation->degree = whole.degree;
}

/// Defaults of a linear model follow the size of its entries: l2; the step of the bias, which changes like the weight
/// of one more column with values as large as the others'; and the constants that optimisers add to the size of
/// gradients. A resumed run keeps its values, because with another number of ranks its first rows differ; a run that
/// goes on with an optimiser's state keeps that of the bias, by which the unit of the state was chosen.
void prepared_data::follow_entries(std::uint64_t all_rows) {
  follow_squares(all_rows);
  optimizer_constants& constants = loop_.constants;
  const optimizer_start& state = options_.initial_state;
  if (state.change && !constants.ftrl_beta) constants.ftrl_beta = state.numbers.constants.ftrl_beta;
  const auto size = static_cast<double>(bias_value(loop_));
  constants.epsilon = constants.epsilon.value_or(size * epsilon_of({}));
  constants.ftrl_beta = constants.ftrl_beta.value_or(size * ftrl_beta_of({}));
}

void prepared_data::follow_squares(std::uint64_t all_rows) {
  const bool sets_l2 = !options_.l2 && loop_.l1 == 0.0;
  const optimizer_start& state = options_.initial_state;
  const std::optional<double> rate = state.change ? state.numbers.bias_rate : options_.bias_rate;
  if (rate) loop_.bias_rate = static_cast<float>(*rate);
  if (!sets_l2 && rate) return;
  const agreement ranks(ranks_);
  if (!options_.resume.empty()) {
    const resumed_checkpoint from = resume_of_rank(options_.resume, ranks);
    if (sets_l2) loop_.l2 = l2_of_checkpoint(from.state);
    if (!rate) loop_.bias_rate = bias_rate_of_checkpoint(from.state);
    return;
  }
  const entry_squares squares = squares_of_all(train_, ranks);
  if (sets_l2) loop_.l2 = usual_l2(squares, all_rows);
  if (rate) return;
  const double square = squares.of_entry();
  // Rows without entries tell nothing. Between these limits a float holds the value and its reciprocal.
  constexpr double least = 1e-36, most = 1e36;
  loop_.bias_rate = square > 0.0 ? static_cast<float>(std::clamp(square, least, most)) : 1.0f;
}

/// The number of rows of all ranks; their columns and all that belongs to columns must be equal.
std::uint64_t prepared_data::agree_on_rows() {
  const agreement ranks(ranks_);
  if (ranks.alone()) return train_.rows();
  require(!options_.reproducible,
          "a reproducible run is not possible with several ranks; leave out reproducible, or train in one process");
  std::array<double, 3> first{static_cast<double>(train_.columns), options_.test ? 1.0 : 0.0,
                              options_.validation ? 1.0 : 0.0};
  const auto mine = first;
  ranks.take_first(first);
  const bool differs = ranks.any(first != mine);
  require(!differs, "the ranks do not have the same columns, or not all have test and validation rows: rank " +
                        std::to_string(ranks.rank()) + " has " + std::to_string(train_.columns) +
                        " columns, rank 0 has " + std::to_string(static_cast<std::uint64_t>(first[0])) +
                        "; read every part through one numbering, and name the same files everywhere");
  // In each rank's dataset singleton columns are numbered by row; they are equal only in one common dataset.
  double first_singleton = static_cast<double>(train_.first_singleton);
  ranks.take_first(std::span(&first_singleton, 1));
  if (ranks.any(first_singleton != static_cast<double>(train_.first_singleton))) train_.first_singleton = no_singletons;
  return static_cast<std::uint64_t>(ranks.sum(static_cast<double>(train_.rows())));
}

}  // namespace hogwild
