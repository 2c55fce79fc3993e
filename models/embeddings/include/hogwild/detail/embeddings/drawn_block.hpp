// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/embeddings/block_space.hpp>
#include <hogwild/detail/embeddings/row_sums.hpp>
#include <hogwild/detail/embeddings/target_sampler.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// A block of sources against targets that are drawn for all of them, where targets are rows of parameters: target t is
/// the `scoring.width` parameters from first + t * width on. The caller draws, and for each source writes its row and
/// reads its positive target; then it calls losses(), or differentiate(), add() for what the sources are made of, and
/// emit().
class drawn_block : public block_space {
 public:
  /// For at most `sources` sources; without biases.
  drawn_block(const block_scoring& scoring, isa set, std::size_t sources, std::size_t first = 0)
      : block_space(scoring, set, sources),
        softmax_(scoring.loss.kind == target_loss::softmax),
        width_(scoring.width),
        first_(first),
        drawn_(scoring.targets),
        lifts_(scoring.targets),
        sums_(scoring.width) {
    positive_.reserve(sources);
  }

  /// Draws the negative targets of the next block by these numbers.
  void draw(const target_sampler& from, const counter_random& random) {
    draw([&](std::size_t j) { return from.draw(random.bits(j)); });
    if (!softmax_) return;
    // The sum over drawn targets then has the mean of the sum over all targets.
    const float chances = std::log(static_cast<float>(targets()));
    for (std::size_t j = 0; j < targets(); ++j) lifts_[j] = from.rarity(drawn_.all()[j]) - chances;
  }
  /// Draws them by draw_target(j), for each place j; not for softmax.
  void draw(const auto& draw_target) {
    drawn_.clear();
    for (std::size_t j = 0; j < targets(); ++j) drawn_.add(draw_target(j));
  }
  /// Begins a block: reads the rows of the targets that were drawn.
  void begin(const auto& w) {
    block_space::begin();
    positive_.clear();
    for (std::size_t j = 0; j < targets(); ++j) {
      w.block(row_of(drawn_.all()[j]), width_).copy_to(target(j));
      lift(j, lifts_[j]);
    }
  }

  /// Reads the row of the positive target of source i, which does not count among the negative ones. Sources come in
  /// their order.
  void read_positive(const auto& w, std::size_t i, std::uint32_t target) {
    positive_.push_back(target);
    w.block(row_of(target), width_).copy_to(positive(i));
    drawn_.for_places(target, [&](std::size_t place) { leave_out(i, place); });
  }

  /// Writes the losses of rows, each of which is the sum of the losses of as many sources as it has in the block.
  void losses(std::size_t sources, std::span<row_score> to) {
    std::vector<double> each(sources);
    block_space::losses(sources, each);
    std::ranges::fill(to, row_score{});
    for (std::size_t i = 0; i < sources; ++i) to[i * to.size() / sources].loss += each[i];
  }

  /// Adds the gradient of another row of parameters, as row_sums does.
  void add(std::size_t offset, std::span<const float> gradient, float examples = 1.0f) {
    sums_.add(offset, gradient, examples);
  }

  /// Emits the sums of the gradients of all rows, after differentiate(). Those of targets are not regularised by l2.
  void emit(const auto& to) {
    for (std::size_t i = 0; i < positive_.size(); ++i) add(row_of(positive_[i]), positive_gradient(i), 0.0f);
    for (std::size_t j = 0; j < targets(); ++j) add(row_of(drawn_.all()[j]), target_gradient(j), 0.0f);
    sums_.emit(to);
  }

 private:
  std::size_t row_of(std::size_t target) const { return first_ + target * width_; }

  bool softmax_;
  std::size_t width_, first_;
  drawn_targets drawn_;
  std::vector<float> lifts_;
  std::vector<std::uint32_t> positive_;
  row_sums sums_;
};

}  // namespace hogwild
