// SPDX-License-Identifier: Apache-2.0
#include "column_scales.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <variant>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/run/data_notes.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>

namespace hogwild::cli {
namespace {

/// The largest size of each column's values.
std::vector<double> largest_sizes(const sparse_view& rows, const agreement& ranks) {
  std::vector<double> largest(rows.columns);
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (const auto [j, x] : cursor.row(r)) largest[j] = std::max(largest[j], std::abs(static_cast<double>(x)));
  constexpr std::size_t at_once = 65'536;  // all ranks' numbers are in memory for so many columns at a time
  for (std::size_t first = 0; !ranks.alone() && first < largest.size(); first += at_once) {
    const std::span<double> part = std::span(largest).subspan(first, std::min(at_once, largest.size() - first));
    const std::vector<double> all = ranks.gathered({part.begin(), part.end()});
    for (std::size_t i = 0; i < all.size(); ++i) part[i % part.size()] = std::max(part[i % part.size()], all[i]);
  }
  return largest;
}

std::vector<double> deviations(const sparse_view& rows, const agreement& ranks) {
  std::vector<double> sum(rows.columns), squares(rows.columns);
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    for (const auto [j, x] : cursor.row(r)) {
      sum[j] += static_cast<double>(x);
      squares[j] += static_cast<double>(x) * static_cast<double>(x);
    }
  }
  ranks.sum(sum);
  ranks.sum(squares);
  const double all = ranks.sum(static_cast<double>(rows.rows()));
  for (std::size_t j = 0; j < sum.size(); ++j) {
    const double mean = sum[j] / all, square = squares[j] / all, variance = square - mean * mean;
    // A difference within rounding is no deviation.
    squares[j] = variance > 1e-12 * square ? std::sqrt(variance) : 0.0;
  }
  return squares;
}

/// Limited so that the reciprocal is a float, too.
float power_of_two(double size) {
  return size > 0.0 ? std::ldexp(1.0f, std::clamp(std::ilogb(size), -126, 126)) : 1.0f;
}

/// The groups of parameters of a linear model; those with hot_first have a row for each column.
std::vector<parameter_group> groups_of_linear(const named_model& m, std::size_t columns) {
  return std::visit(
      [&]<class M>(const M& model) -> std::vector<parameter_group> {
        if constexpr (is_linear<M>()) {
          if constexpr (margin_model<M>) {
            return {{.name = "weights", .rows = columns}};
          } else {
            const auto groups = groups_of(model);
            return {groups.begin(), groups.end()};
          }
        }
        throw config_error(
            "columns are scaled for linear models alone, whose weights are converted back: scale them in the data, or "
            "leave out the scale");
      },
      m);
}

/// Calls f(parameters of a column, the column's divisor) for each column.
template <class F>
void for_each_column(std::span<const parameter_group> groups, std::span<const float> scale, std::span<float> parameters,
                     const F& f) {
  for (const parameter_group& g : groups)
    for (std::size_t row = 0; g.hot_first && row < g.rows && g.first_column + row < scale.size(); ++row)
      f(parameters.subspan(g.offset + row * g.width, g.width), scale[g.first_column + row]);
}

}  // namespace

std::vector<float> column_scales(const sparse_view& rows, column_scaling kind, const agreement& ranks) {
  if (kind == column_scaling::none) return {};
  if (kind == column_scaling::automatic && !find_wild_columns(rows, ranks)) return {};
  const std::vector<double> sizes =
      kind == column_scaling::standard ? deviations(rows, ranks) : largest_sizes(rows, ranks);
  std::vector<float> scales(sizes.size());
  std::ranges::transform(sizes, scales.begin(), power_of_two);
  return scales;
}

column_scaling advised_scaling(const named_model& m, const sparse_view& rows, const train_options& options) {
  const bool helps = std::visit(
      [&]<class M>(const M&) {
        return is_linear<M>() && optimizer_facts_of(options.optimizer.value_or(defaults_of<M>().optimizer)).one_step;
      },
      m);
  return helps && find_wild_columns(rows, agreement(nullptr)) ? column_scaling::max_abs : column_scaling::none;
}

divided_run::divided_run(const named_model& m, const sparse_view& rows, column_scaling kind,
                         const train_options& options, const agreement& ranks)
    : groups_(groups_of_linear(m, rows.columns)), rows_(rows), options_(options) {
  if (ranks.any(rows.streams()))
    throw config_error(
        "scaling copies the rows, and they do not fit into memory: scale the columns in the data, or leave out the "
        "scale");
  rows.ensure(0, rows.rows());
  scale_ = column_scales(rows, kind, ranks);
  if (scale_.empty()) return;
  scaling_ = kind == column_scaling::automatic ? column_scaling::max_abs : kind;
  rows_ = divided(rows);
  if (options_.test) options_.test = divided(*options_.test);
  if (options_.validation) options_.validation = divided(*options_.validation);
  if (!options.initial) return;
  options_.initial = [given = options.initial, groups = groups_, scale = scale_](std::span<float> parameters) {
    given(parameters);
    for_each_column(groups, scale, parameters, [](std::span<float> of_column, float by) {
      for (float& w : of_column) w *= by;
    });
  };
}

void divided_run::finish(train_result& result) const {
  if (result.parameters.empty()) return;
  for_each_column(groups_, scale_, result.parameters, [](std::span<float> of_column, float by) {
    for (float& w : of_column) w /= by;
  });
}

/// With everything else that the rows have.
sparse_view divided_run::divided(const sparse_view& rows) {
  rows.ensure(0, rows.rows());
  const std::size_t end = rows.rows() == 0 ? 0 : rows.row_start[rows.rows()];
  const std::unique_ptr<float[]> values(new float[end]);  // if it is a slice, its rows use the last ones
  row_cursor cursor(rows);
  for (std::size_t r = 0, k = rows.row_start.front(); r < rows.rows(); ++r)
    for (const auto [j, x] : cursor.row(r)) values[k++] = x / scale_[j];
  sparse_view with_values = rows;
  with_values.value = {values.get(), end};
  with_values.value16 = {};
  with_values.source = nullptr;
  copies_.push_back(sparse_dataset::copy_of(with_values));
  sparse_view made = copies_.back().view();
  made.weight = rows.weight, made.offset = rows.offset, made.id = rows.id;
  made.degree = rows.degree, made.class_rows = rows.class_rows;
  made.original = rows.original, made.first_column = rows.first_column;
  made.first_singleton = rows.first_singleton;
  made.scaling = scaling_, made.scale = scale_;
  return made;
}

}  // namespace hogwild::cli
