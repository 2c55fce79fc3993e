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

/// What a model is made for: training rows, and what the run asks for besides the model's own options. Without rows it
/// stands for data without columns and with two classes.
struct model_data {
  sparse_view rows{};
  std::string source = "the data";  ///< names the rows in messages
  std::optional<bool> bias{};       ///< whether there shall be a constant term; empty: as the model has it

  // Where the rows are a part of those that train together, what is asked of all labels; all parts ask the same.
  std::function<label_map(label_kind)> learn{};         ///< empty: from these rows
  std::function<void(std::span<double>)> sum_of_all{};  ///< x becomes the sum of all parts' x; empty: these are all

  const saved_model* initial = nullptr;              ///< whose parameters the run begins with
  std::string initial_source{};                      ///< names it in messages
  std::span<const std::string> initial_groups = {};  ///< which of them; none: all

  std::size_t features() const { return rows.columns; }
  std::size_t classes() const;
  double mean_label() const;
  /// From the mean, of the labels; 1 where all are alike.
  double label_deviation(double mean) const;

  bool takes_all_groups() const { return initial_groups.empty(); }
  bool takes_one_of(std::initializer_list<std::string_view> groups) const;
};

}  // namespace hogwild
