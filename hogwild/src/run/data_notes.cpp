// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/data_notes.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/names.hpp>

namespace hogwild {

namespace {

/// With a step that suits the wild columns, the other weights cover in an epoch about 1 / outweighs of the way to their
/// optimum: by the sums of squares of all of them, or by those of an entry if a wild column is as frequent as others.
/// Where each parameter has a step of its own, the way is the root of that.
constexpr double outweighs = 1e4, outweighs_entry = 1e3;
/// Fewer entries than this fraction are not worth a note.
constexpr double least_entries = 0.25;
constexpr std::size_t looked_at = 2'000;

std::string note_of(const wild_columns& wild, const sparse_view& data, bool linear, bool one_step) {
  using detail::to_short_text;
  const std::size_t number = data.original.empty() ? wild.column : data.original[wild.column];
  const bool several = wild.columns > 1;
  const bool divided = data.scaling != column_scaling::none;
  std::string text =
      (divided ? "scaled by " + std::string(name_of(data.scaling)) + ", column " : "column ") + std::to_string(number);
  if (several) text += ", and " + std::to_string(wild.columns - 1) + " more, have";
  if (!several) text += " has";
  text += " values of about " + to_short_text(wild.size) + ", and other columns of about " +
          to_short_text(wild.others) + ": with a step that suits " + (several ? "them" : "it") +
          " the others hardly learn; ";
  if (divided) return text + "scale the columns by max_abs, or look for a few huge values in the data";
  return text + (linear ? "scale the columns (--scale max_abs), or divide " : "divide ") + (several ? "their" : "its") +
         " values in the data by about " + to_short_text(wild.size / wild.others) +
         (one_step ? "; adagrad, which has a step for each parameter, suffers less" : "");
}

/// Looks at no row after the first entry that is not 0.
bool has_entry(const sparse_view& data) {
  row_cursor cursor(data);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    data.ensure(r, r + 1);
    const sparse_row<float> row = cursor.row(r);
    if (std::ranges::any_of(row.value, [](float x) { return x != 0.0f; })) return true;
  }
  return false;
}

}  // namespace

std::optional<wild_columns> find_wild_columns(const sparse_view& data, const agreement& ranks, bool one_step) {
  const std::size_t rows = std::min(data.rows(), looked_at);
  data.ensure(0, rows);
  std::vector<double> count(data.columns), squares(data.columns);
  row_cursor cursor(data);
  for (std::size_t r = 0; r < rows; ++r) {
    for (const auto [j, x] : cursor.row(r)) {
      count[j] += x != 0.0f ? 1.0 : 0.0;
      squares[j] += static_cast<double>(x) * static_cast<double>(x);
    }
  }
  ranks.sum(count);
  ranks.sum(squares);
  std::vector<std::uint32_t> order(data.columns);
  std::iota(order.begin(), order.end(), 0u);
  std::erase_if(order, [&](std::uint32_t j) { return squares[j] == 0.0; });
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return squares[a] != squares[b] ? squares[a] > squares[b] : a < b;
  });
  double rest = 0.0, entries = 0.0, all = 0.0;
  for (const std::uint32_t j : order) all += count[j];
  // From the smallest values on, up to the first column that outweighs all before it.
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::uint32_t j = order[k], wildest = order.front();
    const auto others = static_cast<double>(order.size() - k - 1);
    const bool frequent = 2.0 * count[j] * others >= entries;
    const double in_all = squares[j] / rest, of_entry = frequent ? in_all * entries / count[j] : 0.0;
    const bool is_wild =
        one_step ? in_all >= outweighs || of_entry >= outweighs_entry : of_entry >= outweighs_entry * outweighs_entry;
    if (rest > 0.0 && entries >= least_entries * all && is_wild)
      return wild_columns{.column = wildest,
                          .columns = k + 1,
                          .size = std::sqrt(squares[wildest] / count[wildest]),
                          .others = std::sqrt(rest / entries)};
    rest += squares[j];
    entries += count[j];
  }
  return std::nullopt;
}

std::vector<std::string> notes_on_data(const training_task& task, const std::string& source, const agreement& ranks) {
  const sparse_view& data = task.data();
  const task_facts& facts = task.facts();
  if (!ranks.any(has_entry(data))) {
    return {"no row of " + (source.empty() ? "the training data" : source) +
            " has an entry other than 0, so only a constant can be learned: check that this is the right file, in the "
            "right format"};
  }
  // Edges, ratings and words are no values of columns.
  if (facts.non_monotone || facts.users > 0) return {};
  const bool one_step = optimizer_facts_of(task.options().optimizer).one_step;
  if (const auto wild = find_wild_columns(data, ranks, one_step))
    return {note_of(*wild, data, is_of_linear_model(task), one_step)};
  return {};
}

}  // namespace hogwild
