// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/saved_model.hpp>

namespace hogwild {

/// An item, or a user, and its score.
struct recommendation {
  std::uint32_t item = 0;  ///< its number in the training data
  float score = 0.0f;      ///< of matrix_factorization the predicted rating; of neighbours the cosine

  bool operator==(const recommendation&) const = default;
};

/// Orders the items of a saved model for its users, and tells which of them are alike. Nothing changes it, so any
/// number of threads may use it.
class recommender {
 public:
  /// Throws input_error for a model that recommends nothing.
  explicit recommender(const saved_model& model);

  std::span<const std::uint32_t> users() const;  ///< the numbers of those that the model knows, ascending
  /// Whether the model knows a user; the functions below throw input_error if it does not.
  bool knows_user(std::uint32_t user) const;
  bool knows_item(std::uint32_t item) const;  ///< the same of an item

  /// The `top` items with the highest scores for a user, the best first; of equal scores the smaller number first.
  /// Fewer if the model does not have as many. Items in `left_out`, which ascends, are not among them.
  std::vector<recommendation> items_for(std::uint32_t user, std::size_t top,
                                        std::span<const std::uint32_t> left_out = {}) const;
  /// The items of a user by their numbers, ascending.
  using items_of_user = std::function<std::span<const std::uint32_t>(std::uint32_t user)>;
  /// The same for several users, in their order, by all CPUs. `left_out` may be empty.
  std::vector<std::vector<recommendation>> items_for(std::span<const std::uint32_t> users, std::size_t top,
                                                     const items_of_user& left_out) const;
  /// The items, or users, whose vectors have the largest cosine with that of this one, which is not among them.
  std::vector<recommendation> similar_items(std::uint32_t item, std::size_t top) const;
  std::vector<recommendation> similar_users(std::uint32_t user, std::size_t top) const;  ///< likewise

 private:
  struct tables;
  std::shared_ptr<const tables> tables_;
};

/// items_for() of a recommender that is made for one call.
std::vector<recommendation> recommend(const saved_model& model, std::uint32_t user, std::size_t top,
                                      std::span<const std::uint32_t> seen = {});

}  // namespace hogwild
