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
#include <hogwild/detail/models/example_labels.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/detail/models/row_slots.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// The last layer of a net of many classes, s_c = W_c . h + b_c, stored by class, and its loss: in training on a sample
/// of the classes (Bengio and Senecal 2008; Jean, Cho, Memisevic, Bengio 2015), in scoring on all. One worker's memory;
/// no other thread may use it at the same time. Call take() for each example, then gather() for all of them, which
/// draws one sample for the batch; classes in the sample and among the labels have a slot each.
///
/// The loss of an example of class y is computed over y and the sample without y. If E_j is the chance of class j to be
/// in a sample,
///
///   Z = exp(s_y) + sum over j != y in the sample of exp(s_j - log E_j)
///
/// has the mean sum_c exp(s_c) (Horvitz and Thompson 1952). The gradient is that of log Z - s_y. It is a quotient of
/// two such estimates, so its bias is of the order of 1 / draws. If the sample has all classes, E = 1, and the gradient
/// is that of the full softmax.
///
/// The loss of an example of several classes Y is computed over these and the sample without them: Z is the sum of
/// exp(s_y) over Y and of exp(s_j - log E_j) over j in the sample but not in Y, and the loss is log Z - 1/|Y| sum over
/// y in Y of s_y. With one_vs_rest (see class_loss) the loss is
///
///   sum over y in Y of log(1 + exp(-s_y)) + sum over j not in Y in the sample of log(1 + exp(s_j)) / E_j.
///
/// Its mean is the loss over all classes, and the mean of its gradient is that loss's gradient.
class sampled_layer {
 public:
  /// For at most `batch` examples, computed `rows` at a time: the stride of the preceding net, which has `inputs` > 0
  /// outputs h. Throws config_error if this build has no layers.
  sampled_layer(class_sampler sampler, std::size_t inputs, isa set, std::size_t batch, std::size_t rows,
                bool one_vs_rest = false);

  /// Sets the classes of example k, and random bits of its own.
  void take(std::size_t k, const sparse_row<float>& z, std::uint64_t bits) {
    labels_.take(k, z);
    bits_[k] = bits;
  }
  /// Draws a sample and gives its classes slots, then the labels of examples 0 .. n-1; sets partials to 0.
  void gather(std::size_t n);

  /// Whether every class is in the sample; then slot c is class c.
  bool takes_all() const { return sampler_.takes_all(); }
  row_slots& slots() { return slots_; }
  const row_slots& slots() const { return slots_; }
  /// The fraction of all batches that have the slot's class.
  float chance(std::size_t slot) const { return sampler_.chance_in_batch(slots_.rows()[slot], labels_of_batch_); }

  /// For a pass of the preceding net: fills in its partials of the mean loss, and adds to those of the slots.
  void differentiate(const net_outputs& at);

  /// Reads weights and biases of classes [first, first + biases.size()).
  using class_reader = std::function<void(std::size_t first, std::span<float> weights, std::span<float> biases)>;
  /// Loss and predicted class of a pass's examples, among all classes. Processes as many classes at a time as fit into
  /// a cache, and checks `stopping` in between, so that it stops within some milliseconds. If there is room,
  /// of_classes[k * classes + c] becomes the score of class c for example k of the batch.
  void score(const net_outputs& at, const class_reader& read, const std::function<bool()>& stopping,
             std::span<row_score> scores, std::span<float> of_classes = {});

 private:
  float* scores_of(std::size_t row) { return scores_ + row * rows_; }
  /// Allocates memory for `own` labels an example.
  void lay_out(std::size_t own);
  /// Scores of the sample for all rows, followed by those of each row's own labels, at most `own` for a row.
  void score_sample(const net_outputs& at, std::size_t own);
  /// Turns these scores into the partials of the mean loss.
  void derive(const net_outputs& at, std::size_t own);

  class_sampler sampler_;
  bool one_vs_rest_;
  std::size_t inputs_, rows_, together_, labels_of_batch_ = 1, sampled_ = 0, own_rows_ = 0;
  const layer_kernels& kernels_;
  row_slots slots_;
  example_labels labels_;
  std::vector<std::uint64_t> bits_;
  private_memory memory_{};
  float *scores_ = nullptr, *own_ = nullptr, *loss_ = nullptr, *best_ = nullptr, *by_example_ = nullptr;
};

}  // namespace hogwild
