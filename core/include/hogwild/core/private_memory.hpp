// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>

#include <hogwild/core/param_view.hpp>

namespace hogwild {

/// Zeroed memory of this process, on huge pages where the system grants them; the first to touch a page decides on
/// which NUMA node it lies.
class private_memory {
 public:
  private_memory() = default;
  /// Throws resource_error where there is none.
  explicit private_memory(std::size_t bytes);
  private_memory(private_memory&& other) noexcept
      : mapping_(std::exchange(other.mapping_, nullptr)), bytes_(other.bytes_), base_(other.base_) {}
  private_memory& operator=(private_memory&& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(bytes_, other.bytes_);
    std::swap(base_, other.base_);
    return *this;
  }
  ~private_memory();

  std::byte* base() const { return base_; }

 private:
  void* mapping_ = nullptr;
  std::size_t bytes_ = 0;
  std::byte* base_ = nullptr;
};

/// What one worker keeps for itself between rounds: room for its replica. Used by that worker alone.
class worker_memory {
 public:
  worker_memory() = default;
  /// Room that somebody else owns, from a cache line on, for as much as is ever asked for.
  explicit worker_memory(std::span<std::byte> given) : base_(given.data()), bytes_(given.size()) {}

  /// `arrays` arrays of n elements, each beginning on a cache line; what they held is lost when they grow.
  template <parameter T>
  std::span<T> array(std::size_t k, std::size_t arrays, std::size_t n) {
    const std::size_t stride = (n * sizeof(T) + 127) / 128 * 128;
    if (stride * arrays > bytes_) {
      assert(base_ == memory_.base());
      memory_ = private_memory(stride * arrays);
      base_ = memory_.base();
      bytes_ = stride * arrays;
    }
    return {reinterpret_cast<T*>(base_ + k * stride), n};
  }

 private:
  private_memory memory_;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace hogwild
