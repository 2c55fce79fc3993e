// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/options.hpp>

#include "support/toy_data.hpp"

// For tests that go through all options of a run: changes the value of a member of any type.

namespace hogwild::test {

/// Gives x another value.
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

}  // namespace hogwild::test
