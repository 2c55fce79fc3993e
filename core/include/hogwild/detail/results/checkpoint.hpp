// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace hogwild {

/// The state of a run between two epochs: named sections of bytes, which their writers interpret. A plain value.
struct checkpoint {
  struct section {
    std::string name;
    std::vector<std::byte> bytes;
    bool operator==(const section&) const = default;
  };

  std::uint64_t epoch = 0;  ///< finished epochs
  std::vector<section> sections{};

  bool operator==(const checkpoint&) const = default;

  /// The section with this name, or null.
  const section* find(std::string_view name) const;

  /// Stores a copy of the values under `name`, replacing an earlier one.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put_span(std::string name, std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    put_bytes(std::move(name), {bytes.begin(), bytes.end()});
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(std::string name, const T& value) { put_span(std::move(name), std::span<const T>(&value, 1)); }
  void put_bytes(std::string name, std::vector<std::byte> bytes);

  /// Fills `values` from the section `name`. Throws input_error if it is missing or has another size.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get_into(std::string_view name, std::span<T> values) const {
    const auto bytes = require(name, values.size_bytes());
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> T get(std::string_view name)
  const {
    T value;
    get_into(name, std::span<T>(&value, 1));
    return value;
  }
  /// As many values as the section holds. Throws input_error if it is missing or ends within a value.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_vector(std::string_view name)
  const {
    std::vector<T> values(require_multiple(name, sizeof(T)) / sizeof(T));
    get_into(name, std::span<T>(values));
    return values;
  }

 private:
  std::span<const std::byte> require(std::string_view name, std::size_t size) const;
  std::size_t require_multiple(std::string_view name, std::size_t unit) const;
};

/// Throws what write_checkpoint() would throw for this path, so that a long run need not find out at its end:
/// input_error if it is not a file (a checkpoint is kept beside the previous one, which a device cannot do) or may not
/// be written, resource_error if the system has no room.
void require_checkpoint_place(const std::filesystem::path& path);

/// Writes `state` to an aside file, flushes it and renames it to `path`. The previous checkpoint is kept as
/// "PATH.previous". At every instant one of the two is whole, even if the process is killed. If `path` is a link, the
/// files are where it leads to. Only one process may write a path at a time. Throws resource_error (disk full) or
/// input_error (bad path); both files are then as before.
void write_checkpoint(const std::filesystem::path& path, const checkpoint& state);

/// Reads `path`. If it is missing, torn or altered (length and checksums show this), reads "PATH.previous" and says so
/// in one sentence through `note`. Throws input_error with both reasons if neither is whole. A file that others can
/// change (docs/security.md) counts as missing; write_checkpoint() makes files that only their owner can write.
checkpoint read_checkpoint(const std::filesystem::path& path, const std::function<void(std::string_view)>& note = {});

/// Converts a checkpoint to the file's bytes and back. parse_checkpoint throws input_error ("NAME: byte N: reason") for
/// anything that checkpoint_bytes did not make.
std::vector<std::byte> checkpoint_bytes(const checkpoint& state);
checkpoint parse_checkpoint(std::span<const std::byte> bytes, std::string_view name);

}  // namespace hogwild
