// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// One example of sparse data: columns, their values, and the label. The spans refer to storage that a dataset owns,
/// and are valid as long as the dataset. Columns are distinct and in no promised order (in a cached dataset they are
/// positions by popularity).
///
/// A model may ignore the weight: the engine multiplies the loss and what gradient() emits by it. Only a model with a
/// workspace applies it itself (workspace_model).
template <class T>
struct sparse_row {
  std::span<const std::uint32_t> index;
  std::span<const T> value;
  T label{};
  std::span<const std::uint32_t> classes{};  ///< if rows have lists of labels: the numbers of its classes, ascending
  float weight = 1.0f;   ///< >= 0: how much the row counts; in training relative to the mean of all training rows
  float offset = 0.0f;   ///< a constant that is added to the row's margin
  std::uint64_t id = 0;  ///< the row's number in the input, if known (sparse_view::id), else its place in the data

  struct entry {
    std::uint32_t index;
    T value;
  };
  class iterator {
   public:
    HOGWILD_DEVICE_CODE iterator(const std::uint32_t* i, const T* x) : index_(i), value_(x) {}
    HOGWILD_DEVICE_CODE entry operator*() const { return {*index_, *value_}; }
    HOGWILD_DEVICE_CODE iterator& operator++() {
      ++index_, ++value_;
      return *this;
    }
    HOGWILD_DEVICE_CODE bool operator==(const iterator& other) const { return index_ == other.index_; }

   private:
    const std::uint32_t* index_;
    const T* value_;
  };

  HOGWILD_DEVICE_CODE std::size_t size() const { return index.size(); }
  HOGWILD_DEVICE_CODE iterator begin() const { return {index.data(), value.data()}; }
  HOGWILD_DEVICE_CODE iterator end() const { return {index.data() + index.size(), value.data() + value.size()}; }
};

/// The sum over the row of w[j] * x_j. `R` is any reader: it needs operator[](std::size_t). Four partial sums break the
/// chain of additions, because compilers never vectorise relaxed loads.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // the CPU's readers are used only there
#endif
template <class R, class T>
HOGWILD_DEVICE_CODE T dot(const R& w, const sparse_row<T>& z) {
  const std::size_t n = z.size();
  const std::uint32_t* j = z.index.data();
  const T* x = z.value.data();
  T sum[4] = {};
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    sum[0] += w[j[k]] * x[k];
    sum[1] += w[j[k + 1]] * x[k + 1];
    sum[2] += w[j[k + 2]] * x[k + 2];
    sum[3] += w[j[k + 3]] * x[k + 3];
  }
  for (; k < n; ++k) sum[0] += w[j[k]] * x[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// The sum over the row of f(j, x).
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class T, class F>
HOGWILD_DEVICE_CODE T sum(const sparse_row<T>& z, const F& f) {
  T total{};
  for (const auto [j, x] : z) total += f(std::size_t{j}, x);
  return total;
}

/// A row that lanes of a device train together: a loop over it gives each lane entries of its own, and its sum(f) is
/// over all of them. See device_model.
template <class Z>
concept shared_row = requires {
  typename Z::shared_by_lanes;
};

template <shared_row Z, class F>
HOGWILD_DEVICE_CODE float sum(const Z& z, const F& f) {
  return z.sum(f);
}
template <class R, shared_row Z>
HOGWILD_DEVICE_CODE float dot(const R& w, const Z& z) {
  return z.sum([&](std::size_t j, float x) { return w[j] * x; });
}

}  // namespace hogwild
