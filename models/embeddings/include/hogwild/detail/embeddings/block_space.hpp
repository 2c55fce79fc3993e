// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/embeddings/block_products.hpp>
#include <hogwild/detail/embeddings/target_loss.hpp>
#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// How the rows of a block are scored.
struct block_scoring {
  std::size_t width = 0;    ///< floats of a row, a multiple of embedding_lanes; those that pad it are 0
  std::size_t targets = 0;  ///< negative targets of a block
  /// Scores are products of rows that are first divided by their lengths; a row of zeros stays as it is.
  bool cosine = false;
  /// Scores are `from` less the distance of the rows, instead of their product; not with `cosine`.
  bool distance = false;
  float from = 0.0f;
  float temperature = 1.0f;  ///< divides products, or what stands in their place, > 0
  bool bias = false;         ///< whether targets have a bias, which is added to the quotient
  target_loss_rule loss{};
  product_numbers products = product_numbers::floats;  ///< of differentiate()
};

/// One worker's memory for a block of sources against negative targets, which all sources of the block have in common,
/// and a positive target for each source. The caller writes the rows, and calls differentiate() or losses().
class block_space {
 public:
  /// For at most `sources` sources.
  block_space(const block_scoring& scoring, isa set, std::size_t sources);

  // Rows of sources, of their positive targets, and of negative targets, and later their gradients. Rows that were
  // written stay valid until differentiate() or losses(), which change them under `cosine` only.
  std::span<float> source(std::size_t i) { return row(sources_, i); }
  std::span<float> positive(std::size_t i) { return row(positives_, i); }
  std::span<float> target(std::size_t j) { return row(targets_, j); }
  /// The bias of a source's positive target, and that of a negative one.
  float& positive_bias(std::size_t i) { return positive_bias_[i]; }
  float& target_bias(std::size_t j) { return target_bias_[j]; }

  /// Forgets what the last block was given by the following three.
  void begin();
  /// Adds to the scores of a negative target, for instance a correction of how often it is drawn; 0 if not called.
  /// Minus infinity: the target does not count.
  void lift(std::size_t j, float by) { lift_[j] = by; }
  /// Negative target j does not count for source i.
  void leave_out(std::size_t i, std::size_t j) { left_out_.emplace_back(i, j); }
  /// Multiplies the loss of source i; 1 if not called.
  void weigh(std::size_t i, float weight) { weight_[i] = weight; }

  /// Computes the gradient of the sum of the losses of the first n sources.
  void differentiate(std::size_t n);
  std::span<const float> source_gradient(std::size_t i) { return row(source_gradients_, i); }
  std::span<const float> positive_gradient(std::size_t i) { return row(positive_gradients_, i); }
  std::span<const float> target_gradient(std::size_t j) { return row(target_gradients_, j); }
  std::span<const float> positive_bias_gradient(std::size_t i) const {
    return std::span(positive_slope_).subspan(i, 1);
  }
  std::span<const float> target_bias_gradient(std::size_t j) const {
    return std::span(target_bias_slope_).subspan(j, 1);
  }

  /// Computes the losses of the first n sources, without weights.
  void losses(std::size_t n, std::span<double> to);

  std::size_t targets() const { return scoring_.targets; }

 private:
  std::span<float> row(lined_floats& of, std::size_t i) { return of.part(i * scoring_.width, scoring_.width); }
  std::span<float> scores(std::size_t i) { return scores_.part(i * padded_, padded_); }
  std::size_t counted(std::size_t i) const { return scoring_.targets - std::size_t{missing_[i]}; }

  void score(std::size_t n, bool trained);
  /// Turns the products of a source into scores by distance, and that of its positive target likewise.
  void score_by_distance(std::size_t i);
  /// Adds the parts of the gradients by which a distance differs from a product; those of the positive targets are set.
  void add_distance_gradients(std::size_t n);
  void divide_by_lengths(lined_floats& rows, std::size_t n, std::vector<float>& inverse);
  /// Turns the gradients with respect to divided rows into those with respect to the rows.
  void through_division(const lined_floats& divided, lined_floats& gradients, std::size_t n,
                        const std::vector<float>& inverse);

  block_scoring scoring_;
  const embedding_kernels& kernels_;
  std::size_t padded_;  ///< targets, padded with rows of zeros that do not count
  lined_floats sources_, positives_, targets_, source_gradients_, positive_gradients_, target_gradients_;
  block_products products_;
  lined_floats scores_, added_;
  std::vector<float> positive_bias_, target_bias_, lift_, weight_, positive_score_, positive_slope_, target_bias_slope_;
  lined_floats target_squares_, inverse_distances_, source_pull_, target_pull_;  ///< by distance alone
  std::vector<float> source_inverse_, positive_inverse_, target_inverse_;
  std::vector<std::pair<std::size_t, std::size_t>> left_out_;
  std::vector<std::size_t> missing_;  ///< how many targets do not count for each source
};

}  // namespace hogwild
