// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/models/class_sampler.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/detail/models/row_slots.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// The last layer of a net of many classes, s_c = W_c . h + b_c, which lies by class, and its loss: in training on a
/// sample of the classes (Bengio and Senecal 2008; Jean, Cho, Memisevic, Bengio 2015), when scores are asked for on
/// all. One worker's memory; nobody else may use it meanwhile. Examples go through take(), then gather() for all of
/// them, which draws one sample for the batch; what it and the labels name has a slot each.
///
/// An example of class y sees y and the sample without y. Where a sample has class j with chance E_j,
///
///   Z = exp(s_y) + sum over j != y in the sample of exp(s_j - log E_j)
///
/// has the mean sum_c exp(s_c) (Horvitz and Thompson 1952): the loss log Z - s_y is differentiated. Its gradient is a
/// quotient of two such estimates, so that its bias is of the order of 1 / draws. Where all are taken, E = 1, and it is
/// that of the full softmax.
class sampled_layer {
 public:
  /// For at most `batch` examples, of which `rows` are computed at a time: the stride of the net before, which has
  /// `inputs` > 0 outputs h. Throws config_error where this build has no layers.
  sampled_layer(class_sampler sampler, std::size_t inputs, isa set, std::size_t batch, std::size_t rows);

  /// The class of example k, and random bits of its own.
  void take(std::size_t k, float label, std::uint64_t bits);
  /// Draws a sample and gives its classes slots, then the labels of examples 0 .. n-1; partials become 0.
  void gather(std::size_t n);

  /// Whether every class is in the sample; then slot c is class c.
  bool takes_all() const { return sampler_.takes_all(); }
  row_slots& slots() { return slots_; }
  const row_slots& slots() const { return slots_; }
  /// The fraction of all batches that have the slot's class.
  float chance(std::size_t slot) const { return sampler_.chance_in_batch(slots_.rows()[slot], labels_of_batch_); }

  /// Of a pass of the net before: fills in its partials of the mean loss, and adds to those of the slots.
  void differentiate(const net_outputs& at);

  /// Reads weights and biases of classes [first, first + biases.size()).
  using class_reader = std::function<void(std::size_t first, std::span<float> weights, std::span<float> biases)>;
  /// Loss and predicted class of a pass's examples, among all classes; as many at a time as fit into a cache, so that
  /// what is not asked for any more takes some milliseconds: `stopping` is looked at.
  void score(const net_outputs& at, const class_reader& read, const std::function<bool()>& stopping,
             std::span<row_score> scores);

 private:
  float* scores_of(std::size_t row) { return scores_ + row * rows_; }
  /// Scores of the sample for all rows, and behind them each row's own.
  void score_sample(const net_outputs& at);

  class_sampler sampler_;
  std::size_t inputs_, rows_, together_, labels_of_batch_ = 1, sampled_ = 0;
  const layer_kernels& kernels_;
  row_slots slots_;
  std::vector<std::uint32_t> label_;
  std::vector<std::uint64_t> bits_;
  private_memory memory_;
  float *scores_ = nullptr, *example_weight_ = nullptr, *own_ = nullptr, *loss_ = nullptr, *best_ = nullptr,
        *by_example_ = nullptr;
};

}  // namespace hogwild
