// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hogwild/error.hpp>

namespace hogwild::detail {

static_assert(std::endian::native == std::endian::little, "binary files are little-endian and written as they lie");

/// Appends values to a binary file in memory.
class byte_builder {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) { put_bytes(std::as_bytes(std::span(&value, 1))); }
  template <class T>
  void put_span(std::span<const T> values) {
    put_bytes(std::as_bytes(values));
  }
  /// Length, then the characters.
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    put_span(std::span(text.data(), text.size()));
  }
  void put_bytes(std::span<const std::byte> b) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + b.size());
    if (!b.empty()) std::memcpy(bytes_.data() + at, b.data(), b.size());
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads values from a binary file in memory, never past its end. Throws input_error that names file and byte.
class byte_cursor {
 public:
  byte_cursor(std::span<const std::byte> bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  std::size_t offset() const { return offset_; }
  std::size_t left() const { return bytes_.size() - offset_; }

  [[noreturn]] void fail(std::size_t at, const std::string& why) const {
    throw input_error(std::string(name_) + ": byte " + std::to_string(at) + ": " + why);
  }

  template <class T>
  requires std::is_arithmetic_v<T> T take(const char* what) {
    T value;
    std::memcpy(&value, take_bytes(sizeof value, what).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take_bytes(std::uint64_t count, const char* what) {
    if (count > left()) {
      fail(offset_, std::string("the file ends within ") + what + ": " + std::to_string(count) +
                        " bytes should follow, but " + std::to_string(left()) + " are left");
    }
    const auto part = bytes_.subspan(offset_, static_cast<std::size_t>(count));
    offset_ += part.size();
    return part;
  }
  template <class T>
  std::vector<T> take_vector(std::uint64_t count, const char* what) {
    // Compared by division, because count * sizeof(T) may overflow. Nothing is allocated before the bytes are known to
    // exist.
    const bool fits = count <= left() / sizeof(T);
    const auto part = take_bytes(fits ? count * sizeof(T) : std::numeric_limits<std::uint64_t>::max(), what);
    std::vector<T> values(static_cast<std::size_t>(count));
    if (!part.empty()) std::memcpy(values.data(), part.data(), part.size());
    return values;
  }
  std::string take_text(const char* what) {
    const auto part = take_bytes(take<std::uint32_t>(what), what);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  std::string_view name_;
  std::size_t offset_ = 0;
};

}  // namespace hogwild::detail
