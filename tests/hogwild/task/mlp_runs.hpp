// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/names.hpp>
#include <hogwild/registry.hpp>

#include "support/toy_data.hpp"

namespace hogwild::test {

/// Trains forms of an mlp on the same rows.
struct mlp_runs : testing::Test {
  using change = std::function<void(train_options&)>;

  explicit mlp_runs(toy_rows made) : rows(std::move(made)) {}

  /// By sgd, with batches of 16 rows and without l2, but for the changes.
  train_result run(const mlp& m, const auto& engine, const change& changed = {}) const {
    return run_on(rows, m, engine, changed);
  }
  train_result run_on(const csr_rows& data, const mlp& m, const auto& engine, const change& changed = {}) const {
    train_options options{.epochs = 8, .step = {.initial = 0.2}, .l2 = 0.0, .optimizer = optimizer_kind::sgd};
    options.batch = 16;
    if (changed) changed(options);
    return train(m, data, engine, options);
  }

  /// A batch's gradient, added up by parameter; the offsets of its runs; the scores of its rows.
  struct batch {
    std::vector<double> gradient;
    std::vector<std::size_t> offsets;
    std::vector<row_score> scores;
  };
  /// The batch of n rows from `first` on, in a workspace that other batches may have used before.
  template <class Workspace>
  batch batch_of(const mlp& m, Workspace& space, std::vector<float>& w, std::size_t first, std::size_t n) const {
    row_cursor cursor(rows.view());
    for (std::size_t k = 0; k < n; ++k) m.take(space, k, labelled_row(cursor, first + k, labels), counter_random(1, k));
    batch found{.gradient = std::vector<double>(m.dim()), .offsets = {}, .scores = std::vector<row_score>(n)};
    struct emitted {
      batch& to;
      void block(std::size_t offset, std::span<const float> partials) const {
        to.offsets.push_back(offset);
        for (std::size_t i = 0; i < partials.size(); ++i) to.gradient[offset + i] += static_cast<double>(partials[i]);
      }
    };
    const param_reader<float> reader{w.data(), w.size()};
    m.gradient(reader, space, n, emitted{found});
    m.score(reader, space, n, found.scores);
    return found;
  }
  auto workspace_of(const mlp& m, std::size_t n) const {
    return m.make_workspace(rows.view(), labels, isa::automatic, n);
  }

  void expect_repeated(const mlp& m, const change& changed = {}) const {
    const auto repeated = [&](train_options& o) {
      if (changed) changed(o);
      o.epochs = 4, o.reproducible = true, o.virtual_workers = 2;
    };
    EXPECT_EQ(run(m, one, repeated).parameters, run(m, two, repeated).parameters);
  }
  /// Expects that `count` parameters from `first` on keep their initial values.
  void expect_frozen(const mlp& m, const std::vector<std::string>& groups, std::size_t first, std::size_t count,
                     const change& changed = {}) const {
    const auto after = [&](std::size_t epochs) {
      const std::vector<float> w = run(m, serial_engine{}, [&](train_options& o) {
                                     if (changed) changed(o);
                                     o.freeze = groups, o.epochs = epochs;
                                   }).parameters;
      return std::vector<float>(w.begin() + static_cast<std::ptrdiff_t>(first),
                                w.begin() + static_cast<std::ptrdiff_t>(first + count));
    };
    EXPECT_EQ(after(1), after(3));
  }
  /// Expects that the net learns under each other optimiser: it ends above the full softmax by less than 0.3 of the
  /// gain.
  void expect_to_learn_by_others(const mlp& m, double untrained, double full) const {
    for (const auto& [kind, step] :
         {std::pair{optimizer_kind::momentum, 0.02}, std::pair{optimizer_kind::adagrad, 0.05},
          std::pair{optimizer_kind::row_adagrad, 0.05}, std::pair{optimizer_kind::adam, 0.005},
          std::pair{optimizer_kind::lion, 0.001}})
      EXPECT_LT(run(m, serial_engine{},
                    [&, kind = kind, step = step](train_options& o) {
                      o.optimizer = kind, o.step.initial = step, o.epochs = 20, o.l2 = 1e-6;
                    })
                    .objective,
                full + 0.3 * (untrained - full))
          << name_of(kind);
  }

  static saved_model saved(const mlp& m, const train_result& result) {
    std::vector<std::uint32_t> original(m.features);
    std::iota(original.begin(), original.end(), 1u);
    return to_saved(named_model(m), result.parameters, result.labels, original);
  }
  static predictor read_again(const saved_model& saved, model_format format = model_format::binary) {
    return predictor(parse_model(model_bytes(saved, format), "bytes"));
  }
  /// Expects that the saved model has the mean loss that training measured, in both formats.
  void expect_loss_of_saved(const mlp& m, const train_result& result) const {
    for (const model_format format : {model_format::binary, model_format::text}) {
      const predictor read = read_again(saved(m, result), format);
      row_cursor cursor(rows.view());
      double loss = 0.0;
      for (std::size_t r = 0; r < rows.rows(); ++r)
        loss += read.loss(labelled_row(cursor, r, read.labels())) / static_cast<double>(rows.rows());
      EXPECT_NEAR(loss, result.train_loss, 1e-5);
    }
  }
  mlp made(const model_options& options, const csr_rows* of = nullptr) const {
    return std::get<mlp>(make_model("mlp", {.rows = (of != nullptr ? *of : rows).view()}, options));
  }

  const kept_rows rows;
  const label_map labels = label_map::learn(label_kind::classes, rows.view().label, "rows");
  const thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
};

}  // namespace hogwild::test
