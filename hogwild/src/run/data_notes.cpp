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

namespace hogwild {

namespace {

/// With a step that suits the wild columns, the other weights cover in an epoch about 1 / outweighs of the way to their
/// optimum.
constexpr double outweighs = 1e4;
/// Fewer entries than this fraction are not worth a note.
constexpr double least_entries = 0.25;
constexpr std::size_t looked_at = 2'000;

std::string note_of(const wild_columns& wild, const sparse_view& data, bool linear) {
  using detail::to_short_text;
  const std::size_t number = data.original.empty() ? wild.column : data.original[wild.column];
  const bool several = wild.columns > 1;
  std::string text = "column " + std::to_string(number);
  if (several) text += ", and " + std::to_string(wild.columns - 1) + " more, have";
  if (!several) text += " has";
  text += " values of about " + to_short_text(wild.size) + ", and other columns of about " +
          to_short_text(wild.others) + ": with a step that suits " + (several ? "them" : "it") +
          " the others hardly learn; ";
  return text + (linear ? "scale the columns (--scale max_abs), divide " : "divide ") + (several ? "their" : "its") +
         " values in the data by about " + to_short_text(wild.size / wild.others) +
         ", or use adagrad, which has a step for each parameter";
}

}  // namespace

std::optional<wild_columns> find_wild_columns(const sparse_view& data, const agreement& ranks) {
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
    if (rest > 0.0 && entries >= least_entries * all && squares[j] >= outweighs * rest)
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
  if (!ranks.any(data.nonzeros() > 0)) {
    return {"no row of " + (source.empty() ? "the training data" : source) +
            " has an entry, so only a constant can be learned: check that this is the right file, in the right format"};
  }
  // Edges, ratings and words are no values of columns; other optimisers have a step for each parameter.
  if (!optimizer_facts_of(task.options().optimizer).one_step || facts.non_monotone || facts.users > 0) return {};
  if (const auto wild = find_wild_columns(data, ranks)) return {note_of(*wild, data, is_of_linear_model(task))};
  return {};
}

}  // namespace hogwild
