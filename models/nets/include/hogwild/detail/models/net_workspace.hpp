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

/// What a net gives for some examples of a batch, for a loss that is not the net's: value v of example `first` + l
/// stands at values[v * rows + l].
struct net_outputs {
  std::size_t first = 0, examples = 0;
  std::size_t rows = 0;  ///< lanes, of which those behind `examples` belong to none
  const float* values = nullptr;
  const float* part = nullptr;  ///< of each lane in the mean loss: its example's weight over how many there are, or 0;
                                ///< on a cache line, as values are
  float* partials = nullptr;    ///< laid out alike, to be filled in, by 0 for lanes of no example; both null in score()
};

/// Computes a net on a batch of examples, in memory of one worker. Examples are rows, and a value of all rows is a run
/// of lanes (see layer_kernels.hpp); a net with convolutions takes layer_lanes rows at a time, so that what stands
/// between its layers stays in the nearest caches, a net of dense layers alone takes more, which suits their products.
class net_workspace {
 public:
  /// For at most `batch` examples. With `of_input`, differentiate() finds the partials by what it is given, too. Throws
  /// config_error where this build has no layers.
  net_workspace(const net_plan& net, isa set, std::size_t batch, bool of_input = false);

  /// Value v of example k is input(k)[v * stride()]. What is not written keeps its value, 0 at first.
  float* input(std::size_t k) { return inputs_[k / rows_] + k % rows_; }
  std::size_t stride() const { return rows_; }
  /// Their partials of the mean loss, laid out alike, as differentiate() left them; only where they were asked for.
  const float* input_partials(std::size_t k) const { return input_partials_[k / rows_] + k % rows_; }
  /// What example k's dropout is a function of, its class, and what it weighs.
  void describe(std::size_t k, std::uint64_t key, float label, float weight = 1.0f) {
    key_[k] = key, label_[k] = label, weight_[k] = weight;
  }
  /// Values [first, first + values) of example k become `value`.
  void fill(std::size_t k, std::size_t first, std::size_t values, float value) {
    kernels_.fill_lane(values, rows_, value, input(k) + first * rows_);
  }

  /// From now on `asked` is looked at every few milliseconds: once it is true, what is computed is left as it is, and
  /// is worth nothing.
  void stop_when(std::function<bool()> asked) { asked_to_stop_ = std::move(asked); }

  /// Reads the parameters that the next calls compute with, group by group; the net's first is the model's `first`.
  void read(const auto& w, std::span<const parameter_group> groups, std::size_t first = 0) {
    for (const parameter_group& g : groups)
      w.block(g.offset, g.rows * g.width).copy_to(parameters().subspan(g.offset - first, g.rows * g.width));
  }
  /// Emits what differentiate() found, group by group; nothing where it was stopped.
  void emit(const auto& to, std::span<const parameter_group> groups, std::size_t first = 0) const {
    if (stopped_) return;
    for (const parameter_group& g : groups) to.block(g.offset, gradient().subspan(g.offset - first, g.rows * g.width));
  }
  /// Whether differentiate() was stopped.
  bool stopped() const { return stopped_; }

  std::span<float> parameters() { return {parameters_, net_.parameters()}; }
  /// Of the mean loss, as differentiate() left it.
  std::span<const float> gradient() const { return {gradient_, net_.parameters()}; }

  /// Finds the gradient of the mean of weight * loss over examples 0 .. n-1, n > 0, and returns that mean, dropout
  /// included.
  double differentiate(std::size_t n);
  /// Loss and predicted class of examples 0 .. n-1, without dropout.
  void score(std::size_t n, std::span<row_score> scores);

  /// The same two where the loss is another one's, which is called for all examples, some at a time.
  using outside_loss = std::function<void(const net_outputs&)>;
  void differentiate(std::size_t n, const outside_loss& loss);
  void score(std::size_t n, const outside_loss& loss);
  /// Whether stop_when()'s question was, or is, answered by yes.
  bool stopping() { return stopped_ || (stopped_ = asked_to_stop_ && asked_to_stop_()); }

 private:
  /// What a layer of the plan works on. Layers that work in place have to == from.
  struct buffers {
    float *from = nullptr, *to = nullptr;                    ///< values before and after; null: the net's input
    float *from_partials = nullptr, *to_partials = nullptr;  ///< null: nobody asks
    float* mask = nullptr;
    std::size_t first_draw = 0;  ///< dropout: of an example's random numbers
    std::vector<std::uint32_t> tap{}, place{};
  };

  std::size_t lay_out(float* base);
  net_outputs outputs_of(std::size_t pass, std::size_t n) const;
  /// Calls take(first, n) for runs of the layer's inputs that are some milliseconds' work.
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
