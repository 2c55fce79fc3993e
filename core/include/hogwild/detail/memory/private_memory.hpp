// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>

#include <hogwild/detail/memory/param_view.hpp>

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
  explicit worker_memory(std::span<std::byte> given) : given_(given) {}

  /// What `arrays` arrays of n elements take.
  template <parameter T>
  static constexpr std::size_t bytes_of(std::size_t arrays, std::size_t n) {
    return arrays * stride_of<T>(n);
  }

  /// `arrays` arrays of n elements, each beginning on a cache line; what they held is lost when they grow.
  template <parameter T>
  std::span<T> array(std::size_t k, std::size_t arrays, std::size_t n) {
    const std::size_t stride = stride_of<T>(n);
    if (given_.empty() && stride * arrays > bytes_) {
      memory_ = private_memory(stride * arrays);
      bytes_ = stride * arrays;
    }
    if (!given_.empty() && stride * arrays > given_.size())
      throw std::length_error("more than the memory of a replica");
    return {reinterpret_cast<T*>((given_.empty() ? memory_.base() : given_.data()) + k * stride), n};
  }

 private:
  template <parameter T>
  static constexpr std::size_t stride_of(std::size_t n) {
    return (n * sizeof(T) + 127) / 128 * 128;
  }

  std::span<std::byte> given_{};
  private_memory memory_;
  std::size_t bytes_ = 0;
};

}  // namespace hogwild
