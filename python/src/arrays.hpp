// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/rows.hpp>

// Conversions between Python's arrays and the engine's, without copies.

namespace hogwild::python {

namespace nb = nanobind;

/// A read-only array in CPU memory. It keeps the underlying object alive.
using array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// These borrow the array's numbers. They throw config_error, which names `what`, for an unsuitable type.
whole_numbers whole_numbers_of(const array& a, const char* what);
real_numbers real_numbers_of(const array& a, const char* what);
any_numbers any_numbers_of(const array& a, const char* what);
std::span<const float> floats_of(const array& a, const char* what);

/// A numpy array that takes ownership of the numbers: one-dimensional, or `rows` by `columns`.
template <class T>
nb::object to_numpy(std::vector<T> numbers, std::size_t rows = 0, std::size_t columns = 0) {
  auto kept = std::make_unique<std::vector<T>>(std::move(numbers));
  T* const data = kept->data();
  const std::size_t shape[2] = {columns == 0 ? kept->size() : rows, columns};
  const nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, columns == 0 ? 1 : 2, shape, owner));
}

}  // namespace hogwild::python
