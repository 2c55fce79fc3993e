// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/result.hpp>

namespace hogwild {

/// How many of the best items are measured.
inline constexpr std::size_t top_items = 20;

/// Measures lists of recommended items against the items that each user is known to want. With the k = 20 best items of
/// a user, h of them wanted, of w wanted ones, and 1(i) for a wanted item at place i:
///
///   recall       h / w                       precision    h / k
///   hit rate     1 if h > 0, else 0          MRR          1 / the place of the first wanted item, 0 if there is none
///   NDCG         sum over i of 1(i) / log2(i + 1), divided by that of a list that begins with all wanted items
///   MAP          sum over i of 1(i) * (wanted items up to place i) / i, divided by the smaller of w and k
///
/// The AUC is the fraction of the pairs of a wanted and another candidate in which the wanted one scores higher; equal
/// scores count half. All are means over the users that want an item. The coverage is the fraction of all items that
/// are recommended to somebody.
class top_counts {
 public:
  explicit top_counts(std::size_t items) : recommended_(items) {}

  /// Adds a user's best items, the best first, at most 20, and the items that the user wants, ascending and each once.
  /// Nothing is counted if there are none. `above`: the sum over the wanted items of how many of the user's
  /// `candidates` score higher, half for equal scores.
  void add(std::span<const std::uint32_t> best, std::span<const std::uint32_t> wanted, double above,
           std::size_t candidates);

  /// Sets the measures; none are set if no user was added.
  void measure(measurement& into) const;

 private:
  double users_ = 0, recall_ = 0, precision_ = 0, ndcg_ = 0, average_precision_ = 0, reciprocal_ = 0, hit_ = 0;
  double area_ = 0, area_users_ = 0;  ///< users who do not want all candidates
  std::vector<bool> recommended_;
};

/// Measures the places of right answers among all candidates, 1 for the best; places between two whole numbers are
/// those of ties.
class place_counts {
 public:
  void add(double place);
  void add(const place_counts& other);
  void measure(measurement& into) const;

 private:
  double answers_ = 0, reciprocal_ = 0, first_ = 0, three_ = 0, ten_ = 0;
};

}  // namespace hogwild
