// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include <hogwild/detail/data/item_iterator.hpp>

namespace hogwild {

/// Contiguous numbers of one of these types in the caller's memory. Borrows them: they must outlive this.
template <class... Numbers>
class number_array {
 public:
  number_array() = default;
  /// From a vector, an array or a span of one of the types.
  template <range_other_than<number_array> Range>
  requires(std::same_as<std::ranges::range_value_t<Range>, Numbers> || ...) number_array(const Range& numbers)
      : numbers_(std::span<const std::ranges::range_value_t<Range>>(std::ranges::data(numbers),
                                                                    std::ranges::size(numbers))) {}

  std::size_t size() const {
    return visit([](auto numbers) { return numbers.size(); });
  }
  bool empty() const { return size() == 0; }
  number_array subspan(std::size_t first, std::size_t count) const {
    return visit([&](auto numbers) { return number_array(numbers.subspan(first, count)); });
  }
  /// f(span of the numbers as they are stored).
  template <class F>
  decltype(auto) visit(const F& f) const {
    return std::visit(f, numbers_);
  }
  /// Number k as a double.
  double operator[](std::size_t k) const {
    return visit([&](auto numbers) { return static_cast<double>(numbers[k]); });
  }

 private:
  std::variant<std::span<const Numbers>...> numbers_;
};

/// For columns, and indices into other arrays.
using whole_numbers = number_array<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
/// For values.
using real_numbers = number_array<float, double>;
/// For labels.
using any_numbers = number_array<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;

}  // namespace hogwild
