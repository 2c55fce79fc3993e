// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/task/make_task.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// Throws config_error if a general model lacks parameters for a column or a class that occurs: it would read and write
/// out of bounds.
template <model M>
void require_room(const M& m, const prepared_data& ready) {
  if constexpr (free_model<M>) {
    require_cover(groups_of(m), m.dim());
    const std::vector<parameter_group> groups = groups_of(m);
    for (const parameter_group& g : groups) {
      if (!g.hot_first || g.rows * g.width == 0) continue;
      // If another group continues with the columns behind this group's, that group has to hold the rest.
      const std::size_t end = g.first_column + g.rows;
      const auto goes_on = [end](const parameter_group& next) { return next.hot_first && next.first_column == end; };
      if (end >= ready.train().columns || std::ranges::any_of(groups, goes_on)) continue;
      throw config_error("the model has " + std::to_string(g.rows) + " rows of " + std::string(g.name) + " for " +
                         std::to_string(ready.train().columns) +
                         " columns of data; make it with the data's features()");
    }
    if constexpr (requires {
                    { m.classes } -> std::convertible_to<std::size_t>;
                  }) {
      if (labels_of(m) == label_kind::classes && m.classes < ready.labels().classes()) {
        throw config_error("the model has " + std::to_string(m.classes) + " classes, but the data " +
                           std::to_string(ready.labels().classes()));
      }
    }
  }
}

/// Lets the model check the rows that it will be trained and measured on (M::require_data()), before any worker process
/// is started.
template <model M>
void require_data(const M& m, const prepared_data& ready) {
  if constexpr (requires { m.require_data(ready.train(), std::string_view()); }) {
    const train_options& options = ready.options();
    m.require_data(ready.train(), options.data_name.empty() ? "the training data" : options.data_name);
    if (options.test) m.require_data(*options.test, "the test data");
    if (options.validation) m.require_data(*options.validation, "the validation data");
  }
}

/// Checks a model, its data and the options, and makes the task. The data must outlive it. Throws as train().
template <model M>
prepared_task prepare(const M& m, const sparse_view& data, const train_options& options, collective* ranks = nullptr) {
  static_assert(conforms<M>());
  if constexpr (std::same_as<trained_as_t<M>, M>) {
    prepared_data ready(data, options, traits_of(m), ranks);
    require_room(m, ready);
    require_data(m, ready);
    auto task = make_task(m, ready.train(), ready.labels(), ready.loop());
    return {std::move(ready), std::move(task)};
  } else {
    static_assert(
        requires { sizeof(trained_as_t<M>); },
        "to train a margin model with project(), include <hogwild/general_model.hpp> too");
    train_options without_bias = options;
    without_bias.bias = false;  // the bias is then one of the model's parameters
    return prepare(trained_as_t<M>{m, data.columns, options.bias}, data, without_bias, ranks);
  }
}

namespace detail {

/// The number of workers that an engine is asked for, or gets by default.
template <class Engine>
std::size_t workers_asked(const Engine& engine) {
  if constexpr (std::same_as<Engine, serial_engine>) return 1;
  if constexpr (requires {
                  { engine.workers } -> std::same_as<const std::optional<std::size_t>&>;
                })
    return worker_count(engine.workers);
  return worker_count();
}

}  // namespace detail

/// Trains a model on sparse rows with an engine, such as thread_engine (engines.hpp) or ring_engine (hogwildpp).
/// Returns when the run has ended; a run that diverges ends with run_status::diverged, not with an exception.
///
/// With an engine of several processes (its member `ranks`), all processes call this with the same model and options,
/// each with its own rows. All return the same model and measures. The first one writes the record.
///
/// Throws config_error (options), input_error (labels that the model does not allow, a damaged cache), resource_error
/// (memory, shared memory, processes), worker_error (worker processes that keep dying). If a worker process throws,
/// this throws an error of the same type and text; for types other than the library's it throws worker_error with that
/// text.
template <model M, class Engine>
train_result train(const M& m, const sparse_view& data, const Engine& engine, const train_options& options = {}) {
  engine_of<Engine> by(engine);
  const auto make = [&](const sparse_view& rows, const train_options& o) { return prepare(m, rows, o, by.ranks()); };
  return run_training(make, data, options, by, detail::workers_asked(engine));
}

/// The same for anything that holds rows and has view(): a dataset, or rows in memory.
template <model M, class Data, class Engine>
requires requires(const Data& data) {
  { data.view() } -> std::convertible_to<sparse_view>;
}
train_result train(const M& m, const Data& data, const Engine& engine, const train_options& options = {}) {
  return train(m, data.view(), engine, options);
}

}  // namespace hogwild
