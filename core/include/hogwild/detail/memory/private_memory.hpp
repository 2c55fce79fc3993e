// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include <hogwild/detail/memory/param_view.hpp>

namespace hogwild {

/// Zeroed memory of this process, on huge pages if the system grants them. A page lies on the NUMA node of the first
/// thread that touches it.
class private_memory {
 public:
  private_memory() = default;
  /// Throws resource_error if there is none.
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

/// Memory that one worker keeps between rounds: room for its replica. Only that worker uses it.
class worker_memory {
 public:
  worker_memory() = default;
  /// Uses room that another object owns, aligned to a cache line, and large enough for every later request.
  explicit worker_memory(std::span<std::byte> given) : given_(given) {}

  /// The bytes of `arrays` arrays of n elements.
  template <parameter T>
  static constexpr std::size_t bytes_of(std::size_t arrays, std::size_t n) {
    return arrays * stride_of<T>(n);
  }

  /// `arrays` arrays of n elements, each beginning on a cache line; growing them loses their contents.
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

/// Returns `bytes` zeroed bytes of this process, aligned to a page, which live until the last owner releases them.
/// Throws resource_error if there are none. Called by one thread at a time.
using memory_source = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

}  // namespace hogwild
