// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/platform/device_code.hpp>

// The weakest reader, emit and row of lanes that a model may rely on. They are only compiled, never run.

namespace hogwild::archetype {

template <class T>
struct block {
  std::size_t size() const;
  T operator[](std::size_t i) const;
  void copy_to(std::span<T> out) const;
};

template <class T>
struct reader {
  using value_type = T;
  HOGWILD_DEVICE_CODE std::size_t size() const;
  HOGWILD_DEVICE_CODE T operator[](std::size_t j) const;
  archetype::block<T> block(std::size_t offset, std::size_t n) const;
};

template <class T>
struct emit {
  HOGWILD_DEVICE_CODE void operator()(std::size_t j, T partial) const;
  void block(std::size_t offset, std::span<const T> partials) const;
};

template <class T>
struct block_emit {
  void block(std::size_t offset, std::span<const T> partials) const;
};

/// A row that the lanes of a device share.
struct shared_row {
  using shared_by_lanes = void;
  struct entry {
    std::uint32_t index;
    float value;
  };
  struct iterator {
    HOGWILD_DEVICE_CODE entry operator*() const;
    HOGWILD_DEVICE_CODE iterator& operator++();
    HOGWILD_DEVICE_CODE bool operator==(const iterator&) const;
  };
  float label;
  HOGWILD_DEVICE_CODE std::size_t size() const;
  HOGWILD_DEVICE_CODE iterator begin() const;
  HOGWILD_DEVICE_CODE iterator end() const;
  template <class F>
  HOGWILD_DEVICE_CODE float sum(const F&) const;
};

}  // namespace hogwild::archetype
