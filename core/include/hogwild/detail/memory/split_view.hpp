// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <hogwild/detail/memory/param_view.hpp>

namespace hogwild {

/// The first `head` parameters from one array and the others from another, as if they were one: a worker's replica of
/// the popular columns, then the shared tail. The head belongs to the worker; the tail is shared as Update says.
template <parameter T, class Update = update::lossy>
class split_view {
 public:
  using value_type = T;
  using update_type = Update;

  split_view(std::span<T> head, param_view<T, Update> whole) : head_(head.data()), size_(head.size()), whole_(whole) {}

  std::size_t size() const { return whole_.size(); }
  const split_view& reader() const { return *this; }
  T operator[](std::size_t j) const { return load(j); }
  T load(std::size_t j) const { return j < size_ ? head_[j] : whole_.load(j); }
  void add(std::size_t j, T delta) const { read_add(j, delta); }
  T read_add(std::size_t j, T delta) const {
    if (j >= size_) return whole_.read_add(j, delta);
    const T before = head_[j];
    head_[j] = before + delta;
    return before;
  }
  /// Loads a run, which may cross the border.
  void load_block(std::size_t offset, std::span<T> out) const {
    const std::size_t n = in_head(offset, out.size());
    std::copy_n(head_ + std::min(offset, size_), n, out.data());
    if (n < out.size()) whole_.load_block(offset + n, out.subspan(n));
  }
  void add_block(std::size_t offset, std::span<const T> delta) const {
    const std::size_t n = in_head(offset, delta.size());
    for (std::size_t i = 0; i < n; ++i) head_[offset + i] += delta[i];
    if (n < delta.size()) whole_.add_block(offset + n, delta.subspan(n));
  }
  void add_scaled_block(std::size_t offset, std::span<const T> run, T factor) const {
    const std::size_t n = in_head(offset, run.size());
    for (std::size_t i = 0; i < n; ++i) head_[offset + i] += factor * run[i];
    if (n < run.size()) whole_.add_scaled_block(offset + n, run.subspan(n), factor);
  }
  void settle_adds() const { whole_.settle_adds(); }

 private:
  std::size_t in_head(std::size_t offset, std::size_t n) const {
    return offset < size_ ? std::min(n, size_ - offset) : 0;
  }

  T* head_;
  std::size_t size_;
  param_view<T, Update> whole_;
};

}  // namespace hogwild
