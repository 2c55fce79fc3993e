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

// Arrays of Python as the engine takes them, and the other way round. Nothing is copied.

namespace hogwild::python {

namespace nb = nanobind;

/// An array in memory of the CPU, which is read alone. It keeps what it is of alive.
using array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Borrow the array's numbers. Throw config_error for a type that they are not made for, which `what` names.
whole_numbers whole_numbers_of(const array& a, const char* what);
real_numbers real_numbers_of(const array& a, const char* what);
any_numbers any_numbers_of(const array& a, const char* what);
std::span<const float> floats_of(const array& a, const char* what);

/// A numpy array that takes the numbers over, of `rows` by `columns`, or of one dimension where there are no columns.
template <class T>
nb::object to_numpy(std::vector<T> numbers, std::size_t rows, std::size_t columns = 0) {
  auto kept = std::make_unique<std::vector<T>>(std::move(numbers));
  T* const data = kept->data();
  const nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::size_t shape[2] = {rows, columns};
  return nb::cast(nb::ndarray<nb::numpy, T>(data, columns == 0 ? 1 : 2, shape, owner));
}

}  // namespace hogwild::python
