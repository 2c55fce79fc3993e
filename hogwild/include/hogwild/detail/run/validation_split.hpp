// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/labels.hpp>

namespace hogwild {

namespace detail {

/// The stratum of each row; rows are drawn separately from each stratum.
class strata {
 public:
  strata(const label_column& labels, const label_map& known)
      : labels_(labels), known_(known), one_(labels.lists() || known.kind() == label_kind::real) {}

  std::size_t count() const { return one_ ? 1 : known_.classes(); }
  std::size_t of(std::size_t r) const {
    if (one_) return 0;
    const float trained = known_.encode(labels_[r]);
    return trained > 0.0f ? static_cast<std::size_t>(trained) : 0;  // -1 of two labels is the first stratum
  }

 private:
  const label_column& labels_;
  const label_map& known_;
  bool one_;
};

/// The groups of rows, in an order that the seed shuffles.
struct shuffled_groups {
  shuffled_groups(std::span<const std::uint32_t> group_of, std::uint64_t seed);

  std::vector<std::uint32_t> order{};  ///< those that have rows
  std::vector<std::size_t> rows{};     ///< of each group, by its number
};

}  // namespace detail

/// Whether each row is held back for validation: `fraction` of them in (0, 1), to the nearest row, drawn by the seed.
/// This fraction of each of two labels, or of each class, is held back, rounded up or down by chance, but never the
/// last row of a class; so fewer may be held back if there are many small classes. Rows with numbers, and lists of
/// labels, are drawn as one set.
///
/// Rows with groups (sparse_view::group) are drawn by whole groups instead, whatever their labels: in an order that the
/// seed shuffles, each group that the fraction has room for, and then the smallest one left if that comes nearer.
///
/// Throws config_error if either side would have no rows.
std::vector<bool> draw_validation(const sparse_view& rows, const label_map& known, double fraction, std::uint64_t seed);

/// The same for pairs (formats/pairs.hpp): the fraction of each user's pairs is held back, rounded up or down by
/// chance, but never all pairs of a user.
std::vector<bool> draw_of_users(const sparse_view& pairs, double fraction, std::uint64_t seed);

/// Whether each pair is among the last `count` of its user, who has more than these. `time` is that of each row; of
/// equal times, the item at a later position is the later one. Throws config_error if no user has more.
std::vector<bool> last_of_users(const sparse_view& pairs, std::span<const double> time, std::size_t count);

/// Copies of the rows on both sides, each in the original order.
struct validation_split {
  sparse_dataset training, validation;
};
validation_split split_rows(const sparse_view& rows, const std::vector<bool>& held_back);

}  // namespace hogwild
