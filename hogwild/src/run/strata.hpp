// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/data/labels.hpp>

namespace hogwild::detail {

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

}  // namespace hogwild::detail
