// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/models/net.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// A net's outputs for some examples of a batch, passed to a loss that is not the net's own: value v of example `first`
/// + l is values[v * rows + l].
struct net_outputs {
  std::size_t first = 0, examples = 0;
  std::size_t rows = 0;  ///< lanes; those from `examples` on belong to no example
  const float* values = nullptr;
  const float* part = nullptr;  ///< each lane's factor in the mean loss: its example's weight over the number of
                                ///< examples, or 0; on a cache line, like values
  float* partials = nullptr;    ///< to be filled in, in the same layout, with 0 for lanes without an example; both null
                                ///< in score()
};

/// Computes a net on a batch of examples, in memory of one worker. Examples are rows, and a value of all rows is a run
/// of lanes (see layer_kernels.hpp). A net with convolutions takes layer_lanes rows at a time, so that values between
/// its layers stay in the nearest caches; a net with only dense layers takes more, for faster products.
class net_workspace {
 public:
  /// For at most `batch` examples. With `of_input`, differentiate() also computes the partials of the net's input.
  /// Throws config_error if this build has no layers.
  net_workspace(const net_plan& net, isa set, std::size_t batch, bool of_input = false);

  /// Value v of example k is input(k)[v * stride()]. Values that are not written keep their value, 0 at first.
  float* input(std::size_t k) { return inputs_[k / rows_] + k % rows_; }
  std::size_t stride() const { return rows_; }
  /// The input's partials of the mean loss, in the same layout, as differentiate() left them; only with `of_input`.
  const float* input_partials(std::size_t k) const { return input_partials_[k / rows_] + k % rows_; }
  /// Sets the seed of example k's dropout, its class and its weight.
  void describe(std::size_t k, std::uint64_t key, float label, float weight = 1.0f) {
    key_[k] = key, label_[k] = label, weight_[k] = weight;
  }
  /// Sets values [first, first + values) of example k to `value`.
  void fill(std::size_t k, std::size_t first, std::size_t values, float value) {
    kernels_.fill_lane(values, rows_, value, input(k) + first * rows_);
  }

  /// From now on calls `asked` every few milliseconds: once it returns true, computations end early, and their results
  /// are invalid.
  void stop_when(std::function<bool()> asked) { asked_to_stop_ = std::move(asked); }

  /// Reads the parameters for the next calls, group by group; the net's parameters begin at the model's `first`.
  void read(const auto& w, std::span<const parameter_group> groups, std::size_t first = 0) {
    for (const parameter_group& g : groups)
      w.block(g.offset, g.rows * g.width).copy_to(parameters().subspan(g.offset - first, g.rows * g.width));
  }
  /// Emits the gradient of differentiate(), group by group; nothing if it was stopped.
  void emit(const auto& to, std::span<const parameter_group> groups, std::size_t first = 0) const {
    if (stopped_) return;
    for (const parameter_group& g : groups) to.block(g.offset, gradient().subspan(g.offset - first, g.rows * g.width));
  }
  /// Whether differentiate() was stopped.
  bool stopped() const { return stopped_; }

  std::span<float> parameters() { return {parameters_, net_.parameters()}; }
  /// The gradient of the mean loss, as differentiate() left it.
  std::span<const float> gradient() const { return {gradient_, net_.parameters()}; }

  /// Computes the gradient of the mean of weight * loss over examples 0 .. n-1, n > 0, and returns that mean, with
  /// dropout.
  double differentiate(std::size_t n);
  /// Loss and predicted class of examples 0 .. n-1, without dropout.
  void score(std::size_t n, std::span<row_score> scores);

  /// The same two with a loss from outside, which is called for all examples, some at a time.
  using outside_loss = std::function<void(const net_outputs&)>;
  void differentiate(std::size_t n, const outside_loss& loss);
  void score(std::size_t n, const outside_loss& loss);
  /// Whether stop_when()'s function has returned true, or does now.
  bool stopping() { return stopped_ || (stopped_ = asked_to_stop_ && asked_to_stop_()); }

 private:
  /// The buffers of a layer of the plan. Layers that work in place have to == from.
  struct buffers {
    float *from = nullptr, *to = nullptr;                    ///< values before and after; null: the net's input
    float *from_partials = nullptr, *to_partials = nullptr;  ///< null: not needed
    float* mask = nullptr;
    std::size_t first_draw = 0;  ///< dropout: index among an example's random numbers
    std::vector<std::uint32_t> tap{}, place{};
  };

  std::size_t lay_out(float* base);
  net_outputs outputs_of(std::size_t pass, std::size_t n) const;
  /// Calls take(first, n) for runs of the layer's inputs that take some milliseconds each.
  template <class Take>
  void by_inputs(const placed_layer& at, const Take& take);
  void forward(std::size_t pass, bool training);
  void backward(std::size_t pass);

  net_plan net_;
  const layer_kernels& kernels_;
  std::size_t batch_, rows_;
  private_memory memory_;
  std::vector<buffers> layers_;
  bool of_input_;
  std::vector<float*> inputs_, input_partials_;  ///< of each pass
  std::vector<std::uint64_t> key_;
  std::function<bool()> asked_to_stop_{};
  bool stopped_ = false;
  float *parameters_ = nullptr, *gradient_ = nullptr, *label_ = nullptr, *weight_ = nullptr, *part_ = nullptr,
        *loss_ = nullptr, *best_ = nullptr;
};

}  // namespace hogwild
