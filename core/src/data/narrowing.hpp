// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/cache_format.hpp"

namespace hogwild::detail {

/// Codes for the labels of a dataset, as long as at most 256 different ones occur. Labels are distinguished by their
/// bits, so that they are restored exactly: -0 and 0 are two.
class label_codes {
 public:
  void add(double label) {
    if (fits()) insert(std::bit_cast<std::uint64_t>(label));
  }
  void add(const label_codes& other);
  bool fits() const { return labels_.size() <= most; }

  /// Numbers the labels in ascending order. Call when all have been added.
  void number();
  /// The label of each code; empty if there are too many labels.
  std::span<const double> table() const { return fits() ? labels_ : std::span<const double>{}; }
  /// The code of an added label, after number().
  std::uint8_t code(double label) const { return slots_[find(std::bit_cast<std::uint64_t>(label))].code; }

 private:
  static constexpr std::size_t most = 256;
  struct slot {
    std::uint64_t bits = 0;
    bool used = false;
    std::uint8_t code = 0;
  };

  /// The place of these bits, or where they would be inserted: the table is never more than a quarter full.
  std::size_t find(std::uint64_t bits) const {
    std::size_t at = bits * 0x9e3779b97f4a7c15u >> 54;
    while (slots_[at].used && slots_[at].bits != bits) at = (at + 1) % slots_.size();
    return at;
  }
  void insert(std::uint64_t bits) {
    slot& place = slots_[find(bits)];
    if (place.used) return;
    place = {bits, true, 0};
    labels_.push_back(std::bit_cast<double>(bits));
  }

  std::array<slot, 1024> slots_{};
  std::vector<double> labels_;
};

/// True if half precision holds every value exactly.
bool are_halves(std::span<const float> values);

/// The index of the first value that half precision cannot hold even roughly; values.size() if there is none.
std::size_t first_beyond_half(std::span<const float> values);

/// With at most this many columns indices are 16 bits wide.
inline constexpr std::uint64_t most_narrow_columns = std::uint64_t{1} << 16;

/// Sets the widths that follow from the sizes in `header`.
void narrow_indices(cache_header& header);

}  // namespace hogwild::detail
