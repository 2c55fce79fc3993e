// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/loop/batch_labels.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// The counts of training on some rows.
struct batch_outcome {
  std::uint64_t updates = 0;  ///< rows that changed a parameter
  std::uint64_t nonzeros = 0;

  batch_outcome& operator+=(const batch_outcome& other) {
    updates += other.updates;
    nonzeros += other.nonzeros;
    return *this;
  }
};

/// How many rows a step takes at once.
template <class Step>
inline constexpr std::size_t rows_at_once = [] {
  if constexpr (requires { Step::most_rows; }) return Step::most_rows;
  return std::size_t{1};
}();

/// The sharing policy of a `Step` that owes some steps to parameters. settle_all() makes those that this worker owes,
/// before a mean is taken and at the end of a round, or of a chunk if the arrays then pass to another worker.
template <class Step, class Sharing>
class settled_sharing : public Sharing {
 public:
  settled_sharing(const Sharing& sharing, access_kind kind)
      : Sharing(sharing), averaged_(kind == access_kind::averaged) {}

  /// A mean of settled and unsettled parameters would be wrong, and after the last meeting of a round nothing may
  /// change on one rank alone.
  void exchange(std::size_t rows, race_probe& probe) {
    if (averaged_ && rows >= Sharing::rows_to_exchange()) step().settle_all();
    Sharing::exchange(rows, probe);
  }
  /// A worker that trains for several virtual workers settles at the end of each chunk, since another worker may train
  /// for that virtual worker next.
  void end_round() {
    if (!Sharing::changes_worker()) step().settle_all();
    Sharing::end_round();
  }
  void end_chunk() {
    if (Sharing::changes_worker()) step().settle_all();
    Sharing::end_chunk();
  }

 private:
  Step& step() { return static_cast<Step&>(*this); }

  bool averaged_;
};

/// A member function of a step as the response that kernels call at each row.
template <class Response, auto Member, class Step>
Response response_of(Step* step) {
  return {[](void* self, std::size_t i, auto given) { return (static_cast<Step*>(self)->*Member)(i, given); }, step};
}

/// The part of steps that train margin models by kernels which does not depend on the optimiser: rows of the data with
/// their labels, on parameters that nobody else writes meanwhile.
template <class Sharing, class Index, class Value>
class margin_kernel_step : public Sharing {
 public:
  static constexpr std::size_t most_rows = batch_rows;

  margin_kernel_step(const Sharing& sharing, margin_loss loss, const step_context& context, const sparse_view& data)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        data_(data),
        kernels_(kernels_of<Index, Value>(context.options.isa)),
        batch_(batch_on<Index, Value>(data)),
        labels_(data) {}

 protected:
  /// Takes at most most_rows rows of the data, which have passed ensure(), and counts their entries.
  batch_outcome take(std::span<const std::size_t> rows) {
    labels_.take(data_, context_.labels, rows);
    updates_ = 0;
    return {.nonzeros = take_rows(batch_, data_, rows)};
  }
  /// As margin_row_step::slope_of(), for row i of the batch; `of_parameters` is the margin without the row's offset.
  float slope_of(std::size_t i, float of_parameters) const {
    return labels_.weigh(i, loss_.derivative(labels_.margin(i, of_parameters), labels_[i]));
  }

  margin_loss loss_;
  step_context context_;
  sparse_view data_;
  const margin_kernels<Index, Value>& kernels_;
  row_batch<Index, Value> batch_;
  batch_labels labels_;
  std::uint64_t updates_ = 0;  ///< by the rows of the batch
};

/// Margin models under sgd, a few rows at a time, on parameters that nobody else writes meanwhile: first all dots, then
/// the derivatives, then the updates, by kernels as wide as the machine. Every row of a batch sees the weights as they
/// were before the batch. Rows that point the same way add up, so a step that suits rows one by one may be too large
/// for a batch; the step search therefore trains in batches too. With batches of one row, models of at most
/// register_columns columns are held in registers over many rows; each row then waits for the one before, which takes
/// longer than a batch. Where changes are gathered the step size may fall within an epoch (schedule_kind::linear): a
/// chunk uses that of its beginning.
///
/// Weights are w = a * v as in margin_sgd_step.
template <class Sharing, class Index, class Value>
class margin_batch_step : public margin_kernel_step<Sharing, Index, Value> {
  using base = margin_kernel_step<Sharing, Index, Value>;
  using base::batch_, base::context_, base::data_, base::kernels_, base::labels_, base::updates_;

 public:
  using base::base, base::most_rows;

  void begin(const round_plan& round, double position) {
    step_ = static_cast<float>(gathers ? context_.step_at(round, position) : round.step);
    shrink_ = round.l2.between_rows();
    scale_ = round.l2.at(position);
  }

  /// How many rows the next batch may have.
  std::size_t rows_to_exchange() const {
    const std::size_t most = in_registers() ? most_rows : std::size_t{context_.options.batch};
    return std::min(most, Sharing::rows_to_exchange());
  }

  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome = base::take(rows);
    w_ = Sharing::values().data();
    gains_ = w_;
    if constexpr (gathers) gains_ = Sharing::gains().data();
    bias_ = context_.options.bias != 0 ? w_ + data_.columns : nullptr;
    if (in_registers())
      kernels_.steps(w_, data_.columns, batch_, response_of<row_response, &margin_batch_step::change_for>(this));
    else
      dots_then_updates();
    outcome.updates = updates_;
    return outcome;
  }

 private:
  /// Whether the changes of rows are gathered beside the parameters.
  static constexpr bool gathers = Sharing::traits.gathers;

  bool in_registers() const { return !gathers && context_.options.batch == 1 && data_.columns <= register_columns; }

  void dots_then_updates() {
    std::array<float, batch_rows> margin, slope, change;
    std::array<double, batch_rows> scale;
    kernels_.dots(w_, batch_, margin.data());
    const float bias = bias_ != nullptr ? *bias_ : 0.0f;
    for (std::size_t i = 0; i < batch_.rows; ++i) {
      margin[i] = labels_.margin(i, static_cast<float>(scale_) * margin[i] + bias);
      scale_ *= shrink_;
      scale[i] = scale_;
    }
    base::loss_.derivatives(batch_.rows, margin.data(), labels_.data(), slope.data());
    float bias_change = 0.0f;
    for (std::size_t i = 0; i < batch_.rows; ++i) {
      const float move = -step_ * labels_.weigh(i, slope[i]);
      updates_ += move != 0.0f;
      bias_change += move;
      change[i] = move / static_cast<float>(scale[i]);
    }
    if constexpr (gathers) note_touched(change.data());
    kernels_.updates(gains_, batch_, change.data());
    if (bias_ != nullptr) gains_[data_.columns] += bias_change * context_.options.bias_rate;
  }

  /// Called before the updates: notes the parameters whose gains they make nonzero.
  void note_touched(const float* change) {
    auto* const list = Sharing::touched();
    if (list == nullptr || !list->is_complete()) return;
    if (bias_ != nullptr && gains_[data_.columns] == 0.0f) list->note(data_.columns);
    for (std::size_t i = 0; i < batch_.rows; ++i) {
      if (change[i] == 0.0f) continue;
      list->note_new(std::span(batch_.columns_of(i), batch_.end[i] - batch_.begin[i]), gains_);
    }
  }

  float change_for(std::size_t i, float dot) {
    const float of_parameters = static_cast<float>(scale_) * dot + (bias_ != nullptr ? *bias_ : 0.0f);
    scale_ *= shrink_;
    const float move = -step_ * base::slope_of(i, of_parameters);
    if (move == 0.0f) return 0.0f;
    ++updates_;
    if (bias_ != nullptr) *bias_ += move * context_.options.bias_rate;
    return move / static_cast<float>(scale_);
  }

  float *w_ = nullptr, *gains_ = nullptr;
  float* bias_ = nullptr;
  float step_ = 0;
  double shrink_ = 1, scale_ = 1;
};

}  // namespace hogwild
