// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/saved_model.hpp>

namespace hogwild {

/// The data that a model is made for: training rows, and what the run asks for besides the model's own options. Without
/// rows it stands for data without columns and with two classes.
struct model_data {
  sparse_view rows{};
  std::string source = "the data";  ///< the name of the rows in messages
  std::optional<bool> bias{};       ///< whether to have a constant term; empty: the model's default

  // If the rows are only a part of those that train together, these functions cover all parts; all parts call the same.
  std::function<label_map(label_kind)> learn{};         ///< empty: learns from these rows
  std::function<void(std::span<double>)> sum_of_all{};  ///< x becomes the sum of all parts' x; empty: one part

  const saved_model* initial = nullptr;              ///< the run begins with this model's parameters
  std::string initial_source{};                      ///< its name in messages
  std::span<const std::string> initial_groups = {};  ///< which groups of it; none: all

  std::size_t features() const { return rows.columns; }
  std::size_t classes() const;
  double mean_label() const;
  /// The standard deviation of the labels, given their mean; 1 if all are equal.
  double label_deviation(double mean) const;

  bool takes_all_groups() const { return initial_groups.empty(); }
  bool takes_one_of(std::initializer_list<std::string_view> groups) const;
};

}  // namespace hogwild
