// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/worker/row_state.hpp>

#include <algorithm>

namespace hogwild {
namespace {

/// Calls f(place in a long array, place in a short one) for all numbers of a short array.
template <class F>
void for_numbers(const std::vector<parameter_group>& groups, const F& f) {
  const std::vector<parameter_group> kept = row_state_groups(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t apart = groups[i].width / std::max<std::size_t>(kept[i].width, 1);
    for (std::size_t j = 0; j < kept[i].rows * kept[i].width; ++j) f(groups[i].offset + j * apart, kept[i].offset + j);
  }
}

}  // namespace

std::vector<parameter_group> row_state_groups(const std::vector<parameter_group>& groups) {
  std::vector<parameter_group> kept = groups;
  std::vector<parameter_group*> in_order;
  for (parameter_group& g : kept) in_order.push_back(&g);
  std::ranges::stable_sort(in_order, {}, &parameter_group::offset);
  std::size_t end = 0;
  for (parameter_group* const g : in_order) {
    g->width = std::min<std::size_t>(g->width, 1);
    g->offset = end;
    end += g->rows * g->width;
  }
  return kept;
}

std::size_t row_state_length(const std::vector<parameter_group>& groups) {
  std::size_t length = 0;
  for (const parameter_group& g : row_state_groups(groups)) length += g.rows * g.width;
  return length;
}

std::vector<parameter_group> groups_of_array(const store_shape& shape, std::size_t k,
                                             const std::vector<parameter_group>& groups) {
  return k > 0 && shape.state_length > 0 ? row_state_groups(groups) : groups;
}

template <parameter T>
std::vector<T> long_state(const param_store& store, std::size_t k, const std::vector<parameter_group>& groups) {
  const std::span<T> values = store.state<T>(k);
  if (store.shape().state_length == 0) return {values.begin(), values.end()};
  std::vector<T> all(store.shape().parameters);
  for_numbers(groups, [&](std::size_t place, std::size_t kept) { all[place] = values[kept]; });
  return all;
}

template <parameter T>
void set_state(const param_store& store, std::size_t k, const std::vector<parameter_group>& groups,
               std::span<const T> values) {
  const std::span<T> to = store.state<T>(k);
  if (store.shape().state_length == 0)
    std::ranges::copy(values, to.begin());
  else
    for_numbers(groups, [&](std::size_t place, std::size_t kept) { to[kept] = values[place]; });
}

template std::vector<float> long_state(const param_store&, std::size_t, const std::vector<parameter_group>&);
template std::vector<double> long_state(const param_store&, std::size_t, const std::vector<parameter_group>&);
template void set_state(const param_store&, std::size_t, const std::vector<parameter_group>&, std::span<const float>);
template void set_state(const param_store&, std::size_t, const std::vector<parameter_group>&, std::span<const double>);

}  // namespace hogwild
