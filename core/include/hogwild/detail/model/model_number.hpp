// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hogwild {

/// The name of a number of a model, and the values that it may have.
struct number_facts {
  std::string_view name;  ///< in saved models; one word
  /// Its effect, for the command's help, if it is an option; empty: it is none, and comes from the rows.
  std::string_view help{};
  std::string_view option{};        ///< the name of the option, if it is not `name`
  bool (*suits)(double) = nullptr;  ///< null: any number that the member's type holds
  std::string_view must_be{};       ///< the allowed values in words: "positive"
};

/// A member of a model that is a number: number<&my_model::delta>({.name = "delta"}). A model's static function
/// numbers() lists all its members except `features`, `classes` and `labels`, which the data determine. They are saved
/// with the model, load() restores it from them, and the command takes them as options.
struct model_number : number_facts {
  double (*get)(const void* model);
  bool (*set)(void* model, double value);  ///< returns whether the member's type can hold it
  bool is_flag = false;                    ///< 0 or 1
  bool is_count = false;                   ///< a whole number from 0 on

  std::string_view option_name() const { return option.empty() ? name : option; }
  bool is_option() const { return !help.empty(); }
  /// Sets the member; returns whether the value is allowed, after conversion to the member's type.
  bool take(void* model, double value) const { return set(model, value) && (suits == nullptr || suits(get(model))); }
};

namespace detail {

template <class>
struct member_of;
template <class M, class T>
struct member_of<T M::*> {
  using model = M;
  using type = T;
};

/// Whether x can be converted to a T without loss.
template <class T>
constexpr bool holds(double x) {
  if constexpr (std::same_as<T, bool>)
    return x == 0.0 || x == 1.0;
  else if constexpr (std::integral<T>)
    return x == std::floor(x) && x >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
           x <= std::min(0x1p53, static_cast<double>(std::numeric_limits<T>::max()));
  else
    return std::abs(x) <= static_cast<double>(std::numeric_limits<T>::max());
}

}  // namespace detail

template <auto Member>
constexpr model_number number(const number_facts& facts) {
  using model = typename detail::member_of<decltype(Member)>::model;
  using type = typename detail::member_of<decltype(Member)>::type;
  static_assert(std::is_arithmetic_v<type>, "what a model is made with are numbers and bool");
  return {facts, [](const void* m) { return static_cast<double>(static_cast<const model*>(m)->*Member); },
          [](void* m, double x) {
            if (!detail::holds<type>(x)) return false;
            static_cast<model*>(m)->*Member = static_cast<type>(x);
            return true;
          },
          std::same_as<type, bool>, std::unsigned_integral<type> && !std::same_as<type, bool>};
}

/// The numbers that a model is made with.
template <class M>
std::vector<model_number> numbers_of() {
  if constexpr (requires { M::numbers(); }) {
    const auto numbers = M::numbers();
    return {numbers.begin(), numbers.end()};
  }
  return {};
}

}  // namespace hogwild
