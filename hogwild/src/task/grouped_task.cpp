// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/grouped_task.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/vector_passes.hpp>

namespace hogwild {

template <parameter T>
double grouped_task<T>::squared_norm(const param_store& store, double, thread_team& threads) const {
  double sum = 0.0;
  for (const parameter_group& g : facts_.groups) {
    if (!g.l2 || !(by_batches_ || g.hot_first)) continue;
    if (counts_occurrences())
      sum += sum_over_rows(store, g, [](double squares) { return squares; });
    else
      sum += sum_of_squares(store.parameters<T>().subspan(g.offset, g.rows * g.width), threads);
  }
  return sum;
}

template <parameter T>
double grouped_task<T>::absolute_sum(const param_store& store, thread_team&) const {
  double sum = 0.0;
  for (const parameter_group& g : facts_.groups) {
    if (g.l2 && g.hot_first) sum += sum_over_rows(store, g, [](double squares) { return std::sqrt(squares); });
  }
  return sum;
}

template <parameter T>
void grouped_task<T>::settle(const param_store& store, std::size_t, double step, thread_team& threads) const {
  if (options_.l1 == 0.0) return;
  for (std::size_t i = 0; i < facts_.groups.size(); ++i) {
    const parameter_group& g = facts_.groups[i];
    if (!g.l2 || !g.hot_first || options_.freezes(i)) continue;
    const double once = l1_at_the_gate * step * g.step_factor * options_.l1;
    for_each_block(g.rows, threads, [&](std::size_t first, std::size_t last, std::size_t) {
      shrink_rows(param_view<T>(store.parameters<T>()), g, first, last, once);
    });
  }
}

template <parameter T>
std::vector<float> grouped_task<T>::parameters_of(const param_store& store, double) const {
  const auto stored = store.parameters<T>();
  return {stored.begin(), stored.end()};
}

template <parameter T>
std::vector<tried_bounds::group> grouped_task<T>::groups_to_try() const {
  std::vector<tried_bounds::group> groups;
  for (std::size_t i = 0; i < facts_.groups.size(); ++i) {
    const parameter_group& g = facts_.groups[i];
    if (g.l2 && !options_.freezes(i)) groups.push_back({g.name, g.offset, g.rows * g.width});
  }
  return groups;
}

/// Whether each row of the data regularises only what it touches, rather than all parameters.
template <parameter T>
bool grouped_task<T>::counts_occurrences() const {
  return !by_batches_ && options_.form == l2_form::per_occurrence && !data_.degree.empty();
}

/// The sum of of_squares(sum of squares) over the rows of a group. If occurrences count, each is multiplied by the
/// fraction of all rows that have its column.
template <parameter T>
double grouped_task<T>::sum_over_rows(const param_store& store, const parameter_group& g,
                                      const std::function<double(double)>& of_squares) const {
  const auto values = store.parameters<T>().subspan(g.offset, g.rows * g.width);
  const auto all = static_cast<double>(std::max<std::uint64_t>(all_rows(), 1));
  double sum = 0.0;
  for (std::size_t row = 0; row < g.rows; ++row) {
    const std::size_t column = g.first_column + row;
    double times = 1.0, squares = 0.0;
    if (counts_occurrences()) times = column < data_.degree.size() ? data_.degree[column] / all : 0.0;
    for (const T w : values.subspan(row * g.width, g.width)) squares += static_cast<double>(w) * static_cast<double>(w);
    sum += times * of_squares(squares);
  }
  return sum;
}

/// Applies l1 to rows [first, last) of a group; `once` is the amount for one pass over each row of the data.
template <parameter T>
void grouped_task<T>::shrink_rows(const param_view<T>& w, const parameter_group& g, std::size_t first, std::size_t last,
                                  double once) const {
  const bool each = options_.form == l2_form::per_occurrence;
  std::vector<T> row(g.width);
  for (std::size_t k = first; k < last; ++k) {
    const std::size_t offset = g.offset + k * g.width, column = g.first_column + k;
    w.load_block(offset, row);
    if (std::ranges::all_of(row, [](T x) { return x == T(0); })) continue;
    const std::size_t times = each ? data_.degree[column] : all_rows();
    const auto by = static_cast<T>(left_of_row<T>(row, once * static_cast<double>(times)) - 1.0);
    for (T& x : row) x *= by;
    w.add_block(offset, row);
  }
}

template class grouped_task<float>;
template class grouped_task<double>;

}  // namespace hogwild
