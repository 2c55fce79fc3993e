// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <cstdint>

#include <hogwild/error.hpp>

namespace hogwild::python {
namespace {

template <class T>
std::span<const T> numbers_of(const array& a) {
  return {static_cast<const T*>(a.data()), a.size()};
}

[[noreturn]] void refuse(const char* what, const char* wanted) {
  throw config_error(std::string(what) + " are no array of " + wanted);
}

}  // namespace

whole_numbers whole_numbers_of(const array& a, const char* what) {
  if (a.dtype() == nb::dtype<std::int32_t>()) return numbers_of<std::int32_t>(a);
  if (a.dtype() == nb::dtype<std::int64_t>()) return numbers_of<std::int64_t>(a);
  if (a.dtype() == nb::dtype<std::uint32_t>()) return numbers_of<std::uint32_t>(a);
  if (a.dtype() == nb::dtype<std::uint64_t>()) return numbers_of<std::uint64_t>(a);
  refuse(what, "whole numbers of 32 or 64 bits");
}

real_numbers real_numbers_of(const array& a, const char* what) {
  if (a.dtype() == nb::dtype<float>()) return numbers_of<float>(a);
  if (a.dtype() == nb::dtype<double>()) return numbers_of<double>(a);
  refuse(what, "float32 or float64");
}

any_numbers any_numbers_of(const array& a, const char* what) {
  if (a.dtype() == nb::dtype<float>()) return numbers_of<float>(a);
  if (a.dtype() == nb::dtype<double>()) return numbers_of<double>(a);
  if (a.dtype() == nb::dtype<std::int32_t>()) return numbers_of<std::int32_t>(a);
  if (a.dtype() == nb::dtype<std::int64_t>()) return numbers_of<std::int64_t>(a);
  refuse(what, "float32, float64, int32 or int64");
}

std::span<const float> floats_of(const array& a, const char* what) {
  if (a.dtype() != nb::dtype<float>()) refuse(what, "float32");
  return numbers_of<float>(a);
}

}  // namespace hogwild::python
