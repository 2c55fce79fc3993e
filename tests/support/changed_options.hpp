// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/options.hpp>

#include "support/toy_data.hpp"

// For tests that go through all options of a run.

namespace hogwild::test {

/// Gives x, a member of any type, another value.
inline void change(bool& x) {
  x = !x;
}
template <class T>
requires std::is_arithmetic_v<T>
void change(T& x) {
  x += 1;
}
template <class T>
requires std::is_enum_v<T>
void change(T& x) {
  x = static_cast<T>(static_cast<int>(x) + 1);
}
inline void change(std::string& x) {
  x += "other";
}
inline void change(std::pair<double, double>& x) {
  x = {1.0, 9.0};
}
inline void change(target_option& x) {
  x = {"train_loss", 0.25};
}
inline void change(l2_search& x) {
  x.of = {0.125};
}
inline void change(sparse_view& x) {
  static const toy_rows toy = planted_classification({.rows = 20, .columns = 40, .per_row = 5});
  static const csr_rows rows = toy.csr();
  x = rows.view();
}
inline void change(std::function<void(std::span<float>)>& x) {
  x = [](std::span<float>) {};
}
inline void change(optimizer_start& x) {
  x.change = [](std::size_t, std::span<float>) {};
}
template <class T>
requires requires(T& one) {
  T();
  change(one);
}
void change(std::vector<T>& x) {
  change(x.emplace_back());
}
template <class T>
requires requires(T& one) {
  change(one);
}
void change(std::optional<T>& x) {
  change(x.emplace());
}

/// Options of which one has another value.
struct changed_option {
  std::string_view name;  ///< of the one
  detail::between_ranks ranks;
  detail::when_resumed resume;
  train_options options;
  bool changed = true;  ///< false: the member's type has no other value, and it is as usual
};

/// One for each option of a run, in the order of the list.
inline std::vector<changed_option> changed_options(const train_options& usual) {
  std::vector<changed_option> all;
  detail::for_each_run_option([&](const auto& option) {
    changed_option& one = all.emplace_back(changed_option{option.name, option.ranks, option.resume, usual});
    if constexpr (requires { change(option.of(one.options)); })
      change(option.of(one.options));
    else
      one.changed = false;
  });
  return all;
}

}  // namespace hogwild::test
