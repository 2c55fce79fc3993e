// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <hogwild/detail/models/scoring_form.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/saved_model.hpp>

namespace hogwild::detail {

/// The name of the column at this place of a saved model: as in its table, or its number in the rows. `schema` is that
/// of the model.
std::string name_of_column(const saved_model& saved, const std::optional<table_schema>& schema, std::size_t place);

/// A saved model as other programs compute it. Weights and factors are those of values as files have them: numbers of
/// a table are not divided.
struct exported_model {
  /// Refers to the model. Throws config_error if it is no sum over columns, input_error if it does not hold together;
  /// `source` is its name in messages.
  exported_model(const saved_model& model, const std::string& source);

  const saved_model& saved;            ///< with the columns in its order
  scoring_form form;                   ///< on the columns of `saved`
  std::optional<table_schema> schema;  ///< nothing if columns are numbers
  std::uint32_t first_column;          ///< the number of the first column in rows: 0 or 1

  std::size_t columns() const { return saved.columns.size(); }  ///< those that have parameters
  /// Whether columns have names, which are not just their numbers in the rows.
  bool has_names() const { return schema.has_value() || !saved.names.empty(); }
  /// The name of a column, see name_of_column().
  std::string name(std::size_t place) const { return name_of_column(saved, schema, place); }
  /// The index of a column in rows of numbers that begin at 0: its place if it has a name, else its number less that of
  /// the first column.
  std::uint32_t index(std::size_t place) const {
    return has_names() ? static_cast<std::uint32_t>(place) : saved.columns[place] - first_column;
  }
  /// One more than the largest index; 0 without columns.
  std::size_t indices() const { return columns() == 0 ? 0 : std::size_t{index(columns() - 1)} + 1; }
  /// Whether the margin has constant terms.
  bool has_intercept() const { return !saved.bias.empty() || saved.calibrated; }
};

}  // namespace hogwild::detail
