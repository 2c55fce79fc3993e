// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/options.hpp>

namespace hogwild::detail {

/// Numbers one behind the other, for ranks_at_work::require_same(): equal where all of them are, bit by bit.
class compared_numbers {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> compared_numbers& add(T x) {
    text_.append(reinterpret_cast<const char*>(&x), sizeof x);
    return *this;
  }
  template <class T>
  compared_numbers& add(const std::optional<T>& x) {
    add(x.has_value());
    return x ? add(*x) : *this;
  }
  /// What there is of them; values are not looked at.
  compared_numbers& add(const sparse_view& rows) { return add(rows.rows()).add(rows.columns).add(rows.nonzeros()); }
  /// What decides how often ranks meet, and what they come to.
  compared_numbers& add(const train_options& o) {
    add(o.epochs).add(o.seed).add(o.l1).add(o.l2).add(o.form).add(o.optimizer).add(o.sharing).add(o.order);
    add(o.step.initial).add(o.step.decay).add(o.step.kind).add(o.step.warm_up);
    add(o.tolerance).add(o.tolerance_epochs).add(o.patience).add(o.average).add(o.measure_every);
    add(o.bias).add(o.bias_rate).add(o.reproducible).add(o.weight_positive);
    return add(o.target.has_value()).add(o.test).add(o.validation);
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_{};
};

}  // namespace hogwild::detail
