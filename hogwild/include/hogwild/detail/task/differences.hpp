// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/detail/model/row_scorer.hpp>
#include <hogwild/detail/task/tried_access.hpp>
#include <hogwild/model.hpp>

// Finite differences of a model's loss, compared with the partials that it emits: the implementation of
// check_gradient.hpp.

namespace hogwild::detail {

struct difference_rule {
  double step = 0.0, tolerance = 0.0;
  std::size_t coordinates = 0;
};

struct partial_fault {
  std::size_t coordinate = 0;
  double emitted = 0.0, expected = 0.0;
  std::string sentence{};
};

/// The loss of a row at x, at x + up and at x - down.
struct loss_around {
  double here, above, below, up, down;
};

/// At most `most` numbers below n, evenly spread.
std::vector<std::size_t> spread(std::size_t n, std::size_t most);

/// Whether a partial lies between the slopes on both sides, up to the tolerance and to rounding in single precision.
bool suits(double partial, const loss_around& loss, double tolerance);
inline double slope_of(const loss_around& loss) {
  return (loss.above - loss.below) / (loss.up + loss.down);
}

/// "row 3: the model emits 0.5 for parameter 12 (row 0 of the group 'head'), but the loss rises by 1 a unit of it".
std::string partial_sentence(std::size_t row, const partial_fault& fault, std::span<const parameter_group> groups);
/// "row 3: the derivative at the margin 0.5 and the label 1 is 0.5, but the loss rises by 1 a unit of the margin".
std::string derivative_sentence(std::size_t row, const partial_fault& fault, float margin, float label);

[[noreturn]] void refuse_parameters(std::size_t given, std::size_t has);

template <class M>
label_map labels_to_check(const M& m, const sparse_view& rows) {
  if constexpr (has_scores<M>()) return label_map::learn(labels_of(m), rows.label, "the rows");
  return {};
}

/// Checks rows of a model; `parameters` may be empty: the model's initial ones, with noise.
template <model M>
class gradient_checker {
 public:
  gradient_checker(const M& m, const sparse_view& rows, std::span<const float> parameters, std::uint64_t seed)
      : model_(m), rows_(rows), labels_(labels_to_check(m, rows)), seed_(seed), cursor_(rows), w_(m.dim()) {
    static_assert(!emits_drawn_partials<M> || loses_drawn_rows<M>,
                  "a model whose gradient draws is checked against its loss(w, z, random)");
    if (!parameters.empty()) {
      if (parameters.size() != w_.size()) refuse_parameters(parameters.size(), w_.size());
      w_.assign(parameters.begin(), parameters.end());
      return;
    }
    const param_view<scalar> view{std::span<scalar>(w_)};
    if constexpr (init_by_rows<M>)
      m.init(view, counter_random(seed, 1), rows);
    else if constexpr (requires { m.init(view, counter_random(seed, 1)); })
      m.init(view, counter_random(seed, 1));
    const counter_random noise(seed, 2);
    for (std::size_t j = 0; j < w_.size(); ++j) w_[j] += static_cast<scalar>(0.5 * noise.uniform(j) - 0.25);
  }

  std::optional<partial_fault> check(std::size_t r, const difference_rule& rule) {
    rows_.ensure(r, r + 1);
    const tried_bounds bounds{.model = model_name<M>(), .parameters = w_.size(), .row = r};
    std::set<std::size_t> touched;
    std::map<std::size_t, double> emitted;
    const noting_reader w{w_, bounds, touched};
    std::optional<partial_fault> fault;
    const auto refuse = [&](std::size_t j, double g, const std::string& what) {
      if (fault) return;
      fault = {j, g, 0.0, "row " + std::to_string(r) + ": the model emits parameter " + std::to_string(j) + what};
    };
    const noting_emit emit{bounds, [&](std::size_t j, double g) {
                             if (!std::isfinite(g)) refuse(j, g, " with a partial that is not finite");
                             const bool again = !emitted.try_emplace(j, 0.0).second;
                             // Steps of a model with a workspace may be smaller than an example.
                             if (again && general_model<M>) refuse(j, g, " twice");
                             emitted[j] += g;
                             touched.insert(j);
                           }};
    begin(r);
    differentiate(w, emit);
    const double here = lose(w);
    if (fault) return fault;
    const std::vector<std::size_t> all(touched.begin(), touched.end());
    for (const std::size_t i : spread(all.size(), rule.coordinates)) {
      const std::size_t j = all[i];
      const auto found = emitted.find(j);
      const double partial = found == emitted.end() ? 0.0 : found->second;
      const loss_around loss = around(j, here, rule.step);
      if (suits(partial, loss, rule.tolerance)) continue;
      fault = {j, partial, slope_of(loss), {}};
      fault->sentence = partial_sentence(r, *fault, groups_of(model_));
      return fault;
    }
    return {};
  }

 private:
  using scalar = typename M::scalar_type;

  struct noting_reader {
    using value_type = scalar;
    std::span<const scalar> w;
    const tried_bounds& bounds;
    std::set<std::size_t>& touched;
    std::size_t size() const { return w.size(); }
    scalar operator[](std::size_t j) const {
      bounds.require("reads", j, 1);
      touched.insert(j);
      return w[j];
    }
    auto block(std::size_t offset, std::size_t n) const {
      bounds.require("reads", offset, n);
      for (std::size_t i = 0; i < n; ++i) touched.insert(offset + i);
      return quiet_reader<scalar>{w}.block(offset, n);
    }
  };
  struct noting_emit {
    const tried_bounds& bounds;
    std::function<void(std::size_t, double)> take;
    void operator()(std::size_t j, scalar g) const {
      bounds.require("emits", j, 1);
      take(j, static_cast<double>(g));
    }
    void block(std::size_t offset, std::span<const scalar> partials) const {
      bounds.require("emits", offset, partials.size());
      for (std::size_t i = 0; i < partials.size(); ++i) take(offset + i, static_cast<double>(partials[i]));
    }
  };

  void begin(std::size_t r) {
    row_ = labelled_row(cursor_, r, labels_);
    row_.weight = 1.0f;  // gradient() of a workspace multiplies by the weight, score() does not
    random_ = counter_random(seed_, r);
    if constexpr (workspace_model<M>) {
      if (!space_)
        space_.emplace(training_workspace(model_, rows_, labels_, side_data_of(model_, rows_), isa::automatic, 1));
      model_.take(*space_, 0, row_, random_);
    }
  }
  template <class Emit>
  void differentiate(const noting_reader& w, const Emit& emit) {
    if constexpr (workspace_model<M>)
      model_.gradient(w, *space_, 1, emit);
    else
      gradient_of(model_, w, row_, random_, emit);
  }
  template <class Reader>
  double lose(const Reader& w) {
    if constexpr (workspace_model<M>) {
      row_score said;
      model_.score(w, *space_, 1, std::span<row_score>(&said, 1));
      return said.loss;
    } else {
      return loss_of(model_, w, row_, random_);
    }
  }
  loss_around around(std::size_t j, double here, double step) {
    const scalar before = w_[j];
    const quiet_reader<scalar> w{w_};
    loss_around loss{.here = here, .above = 0.0, .below = 0.0, .up = 0.0, .down = 0.0};
    w_[j] = before + static_cast<scalar>(step);
    loss.up = static_cast<double>(w_[j] - before);
    loss.above = lose(w);
    w_[j] = before - static_cast<scalar>(step);
    loss.down = static_cast<double>(before - w_[j]);
    loss.below = lose(w);
    w_[j] = before;
    return loss;
  }

  struct no_workspace {};
  template <class T>
  struct workspace_of {
    using type = no_workspace;
  };
  template <workspace_model T>
  struct workspace_of<T> {
    using type = typename T::workspace;
  };

  const M& model_;
  const sparse_view rows_;
  const label_map labels_;
  const std::uint64_t seed_;
  row_cursor cursor_;
  std::vector<scalar> w_;
  std::optional<typename workspace_of<M>::type> space_;
  sparse_row<float> row_{};
  counter_random random_{0, 0};
};

/// The same for a margin model, by its derivative.
template <margin_model M>
class gradient_checker<M> {
 public:
  gradient_checker(const M& m, const sparse_view& rows, std::span<const float> parameters, std::uint64_t seed)
      : model_(m), rows_(rows), labels_(labels_to_check(m, rows)), random_(seed, 3), parameters_(parameters) {
    if (!parameters.empty() && parameters.size() != rows.columns && parameters.size() != rows.columns + 1)
      refuse_parameters(parameters.size(), rows.columns);
  }

  std::optional<partial_fault> check(std::size_t r, const difference_rule& rule) {
    rows_.ensure(r, r + 1);
    row_cursor cursor(rows_);
    const sparse_row<float> z = labelled_row(cursor, r, labels_);
    const float at = parameters_.empty() ? (labels_.kind() == label_kind::real ? z.label : 0.0f)
                                         : margin_of(parameters_, rows_.columns, z);
    for (std::size_t k = 0; k < tries; ++k) {
      const float margin = at + static_cast<float>(4.0 * random_.uniform(r * tries + k) - 2.0);
      const float above = margin + static_cast<float>(rule.step), below = margin - static_cast<float>(rule.step);
      const loss_around loss{.here = loss_at(margin, z.label),
                             .above = loss_at(above, z.label),
                             .below = loss_at(below, z.label),
                             .up = static_cast<double>(above - margin),
                             .down = static_cast<double>(margin - below)};
      const auto slope = static_cast<double>(model_.derivative(margin, z.label));
      if (suits(slope, loss, rule.tolerance)) continue;
      partial_fault fault{0, slope, slope_of(loss), {}};
      fault.sentence = derivative_sentence(r, fault, margin, z.label);
      return fault;
    }
    return {};
  }

 private:
  static constexpr std::size_t tries = 8;
  double loss_at(float margin, float label) const { return static_cast<double>(model_.loss(margin, label)); }

  const M& model_;
  const sparse_view rows_;
  const label_map labels_;
  const counter_random random_;
  std::span<const float> parameters_;
};

}  // namespace hogwild::detail
