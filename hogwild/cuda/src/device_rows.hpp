// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include "runtime.hpp"

namespace hogwild::device {

/// The rows of a task where a device reads them: as the cache has them, narrow columns and values too, with the labels
/// that the model trains on. An emulated device reads those of the host. Both outlive this.
class device_rows {
 public:
  /// Throws cache_error where the rows are damaged, and resource_error where they do not fit.
  device_rows(runtime& device, const sparse_view& rows, const label_map& labels);

  /// What they take of the memory of a device that is real.
  static std::uint64_t bytes(const sparse_view& rows);

  /// Names them in the work of a launch.
  void name_in(margin_work& work) const;

 private:
  template <class T>
  const T* bring(runtime& device, std::span<const T> part, std::vector<buffer<T>>& kept);

  margin_work rows_{};
  std::vector<float> labels_;
  std::vector<buffer<float>> floats_;
  std::vector<buffer<std::uint16_t>> shorts_;
  std::vector<buffer<std::uint32_t>> words_;
  std::vector<buffer<std::uint64_t>> longs_;
  std::vector<buffer<half>> halves_;
};

}  // namespace hogwild::device
