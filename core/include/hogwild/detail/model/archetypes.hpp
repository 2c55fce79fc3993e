// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

// The weakest reader and emit that a model may count on. They exist to be compiled against, never to be run.

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
  std::size_t size() const;
  T operator[](std::size_t j) const;
  archetype::block<T> block(std::size_t offset, std::size_t n) const;
};

template <class T>
struct emit {
  void operator()(std::size_t j, T partial) const;
  void block(std::size_t offset, std::span<const T> partials) const;
};

template <class T>
struct block_emit {
  void block(std::size_t offset, std::span<const T> partials) const;
};

}  // namespace hogwild::archetype
