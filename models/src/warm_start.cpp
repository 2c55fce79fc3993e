// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/warm_start.hpp>

#include <algorithm>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/model/kernel_models.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/saved_state.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>

namespace hogwild {
namespace {

/// The groups that have parameters.
std::vector<parameter_group> groups_in(const named_model& m, std::size_t columns, std::size_t parameters) {
  std::vector<parameter_group> groups = std::visit(
      [&](const auto& concrete) -> std::vector<parameter_group> {
        if constexpr (std::same_as<std::decay_t<decltype(concrete)>, registered_model>)
          return concrete.object->groups(columns, parameters);
        else
          return detail::groups_on(concrete, columns, parameters);
      },
      m);
  std::erase_if(groups, [](const parameter_group& g) { return g.rows * g.width == 0; });
  return groups;
}

const parameter_group* find(const std::vector<parameter_group>& groups, std::string_view name) {
  const auto found = std::ranges::find(groups, name, &parameter_group::name);
  return found == groups.end() ? nullptr : &*found;
}

std::string names_in(const std::vector<parameter_group>& groups) {
  std::string names;
  for (const parameter_group& g : groups) names += (names.empty() ? "" : ", ") + std::string(g.name);
  return names;
}

/// The groups to take: those named, or all of `own`.
std::vector<parameter_group> chosen(const std::vector<parameter_group>& own, std::span<const std::string> names) {
  if (names.empty()) return own;
  std::vector<parameter_group> all;
  for (const std::string& name : names) {
    const parameter_group* const g = find(own, name);
    if (g == nullptr)
      throw config_error("the model has no group " + quote(name) + " to begin with; it has " + names_in(own));
    if (find(all, name) != nullptr) throw config_error("the group " + quote(name) + " to begin with is named twice");
    all.push_back(*g);
  }
  return all;
}

/// The form of rows of factors: `factors` numbers, or so many for each of the fields. 0: there are no factors.
struct factor_shape {
  std::size_t factors = 0, fields = 0;
};

factor_shape factors_of(const named_model& m) {
  return std::visit(
      [](const auto& concrete) -> factor_shape {
        if constexpr (field_model<std::decay_t<decltype(concrete)>>)
          return {concrete.factors, concrete.fields};
        else if constexpr (requires { concrete.factors; })
          return {.factors = concrete.factors};
        return {};
      },
      m);
}

/// How many parameters of a row the two groups have in common: all, or the factors for the fields that both have; 0 if
/// the rows have different sizes. Throws config_error for factors of another form, which padding may hide.
std::size_t common_width(const parameter_group& own, const factor_shape& mine, const parameter_group& from,
                         const factor_shape& theirs) {
  const bool hold_factors = mine.factors > 0 && theirs.factors > 0 && (own.width > 1 || from.width > 1);
  if (hold_factors && (mine.fields > 0) != (theirs.fields > 0))
    throw config_error(
        "the factors '" + std::string(own.name) +
        "' are for each field in one of the models, and not in the other: name the groups to begin with");
  if (hold_factors && mine.factors != theirs.factors)
    throw config_error("the group '" + std::string(own.name) + "' has rows of " + std::to_string(mine.factors) +
                       " factors, that of the saved model of " + std::to_string(theirs.factors) +
                       ": ask for as many factors, or name the groups to begin with");
  if (hold_factors && mine.fields > 0) return std::min(own.width, from.width);
  return own.width == from.width ? own.width : 0;
}

}  // namespace

std::size_t warm_start(const saved_model& saved, const named_model& m, std::span<const std::uint32_t> original,
                       std::span<const std::string> groups, std::span<float> parameters) {
  if (saved.is_quantised())
    throw config_error(
        "the saved model is quantised, and a run does not go on from approximations: begin with the model before "
        "'hogwild quantize'");
  const predictor known(saved);
  if (known.models() > 1)
    throw config_error("the saved file holds " + std::to_string(known.models()) + " " + saved.model +
                       " models that make one, and a run can begin with a single model only");
  const std::vector<parameter_group> theirs =
      groups_in(known.model(), known.columns().size(), known.parameters().size());
  const column_numbering columns(known.columns());
  std::size_t taken = 0;
  for (const parameter_group& g : chosen(groups_in(m, original.size(), parameters.size()), groups)) {
    const std::string name(g.name);
    const parameter_group* const from = find(theirs, g.name);
    if (from == nullptr)
      throw config_error("the saved " + saved.model + " model has no group " + quote(name) + "; it has " +
                         names_in(theirs) + ": name the groups to begin with");
    const bool by_column = g.hot_first && from->hot_first;
    const std::size_t width = common_width(g, factors_of(m), *from, factors_of(known.model()));
    if (width == 0 || g.hot_first != from->hot_first || (!by_column && g.rows != from->rows))
      throw config_error("the group " + quote(name) + " has " + std::to_string(g.rows) + " x " +
                         std::to_string(g.width) + " parameters, that of the saved " + saved.model + " model " +
                         std::to_string(from->rows) + " x " + std::to_string(from->width) +
                         ": name the groups to begin with");
    for (std::size_t r = 0; r < g.rows; ++r) {
      std::size_t there = r;
      if (by_column) {
        there = columns.position(original[g.first_column + r]);
        if (there == column_numbering::unknown || there < from->first_column ||
            there - from->first_column >= from->rows)
          continue;
        there -= from->first_column;
      }
      const auto row = known.parameters().subspan(from->offset + there * from->width, width);
      std::ranges::copy(row, parameters.begin() + static_cast<std::ptrdiff_t>(g.offset + r * g.width));
      taken += width;
    }
  }
  return taken;
}

void warm_start_state(const saved_model& saved, std::size_t k, const named_model& m,
                      std::span<const std::uint32_t> original, std::span<const std::string> groups,
                      std::span<float> values) {
  const saved_state::array& array = saved.state.arrays[k];
  const saved_model laid_out{.model = saved.model,
                             .model_options = saved.model_options,
                             .labels = saved.labels,
                             .width = saved.width,
                             .columns = saved.columns,
                             .weights = array.weights,
                             .bias = array.bias};
  warm_start(laid_out, m, original, groups, values);
}

void put_state(const optimizer_state& state, const named_model& m, std::span<const std::uint32_t> original,
               saved_model& saved) {
  saved.state = {};
  if (state.arrays.empty()) return;
  saved.state = detail::named_state(state.numbers);
  for (const std::vector<float>& array : state.arrays) {
    saved_model laid_out = to_saved(m, array, saved.labels, original);
    saved.state.arrays.push_back({std::move(laid_out.weights), std::move(laid_out.bias)});
  }
}

std::size_t warm_start(const word_vectors& saved, const named_model& m, const vocabulary& words,
                       std::span<float> parameters) {
  const auto layout = detail::word_layout_of(m);
  if (!layout) throw config_error("a " + std::string(name_of(m)) + " model begins with no word vectors");
  if (saved.dimension != layout->dimension)
    throw config_error("the saved vectors have " + std::to_string(saved.dimension) + " dimensions, not " +
                       std::to_string(layout->dimension));
  const window_model* const windows = detail::windows_of(m);
  const auto own = windows == nullptr ? std::nullopt : std::optional(detail::word_parts(*windows, words));
  std::size_t taken = 0;
  for (std::size_t w = 0; w < saved.words.size(); ++w) {
    const auto position = words.find(saved.words[w]);
    if (!position) continue;
    taken += layout->write(saved.row(w), *position, parameters);
    if (own) own->separate(*position, parameters);
  }
  return taken;
}

}  // namespace hogwild
