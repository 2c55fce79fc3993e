// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <hogwild/dataset.hpp>

namespace hogwild::cli {

/// Triples to measure, and behind them others that are known to be true. Those weigh nothing: a model does not ask for
/// them, but does not count their entities as wrong answers (triple_shape::measure()).
class rows_beside_known {
 public:
  rows_beside_known(const sparse_view& measured, std::span<const sparse_view> known);
  rows_beside_known(const rows_beside_known&) = delete;
  rows_beside_known& operator=(const rows_beside_known&) = delete;

  /// Valid as long as this lives.
  sparse_view view() const { return rows_->view(); }

 private:
  void add(const sparse_view& rows, bool asked);

  std::vector<std::uint64_t> row_start_{0};
  std::vector<std::uint32_t> index_;
  std::vector<float> value_, label_, weight_;
  std::unique_ptr<csr_rows> rows_;
};

}  // namespace hogwild::cli
