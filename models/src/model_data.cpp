// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/descriptor.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace hogwild {
namespace {

template <class F>
double mean_over(const model_data& data, const F& f) {
  std::array<double, 2> sums{0.0, static_cast<double>(data.rows.label.size())};
  for (const double label : data.rows.label) sums[0] += f(label);
  if (data.sum_of_all) data.sum_of_all(sums);
  return sums[1] > 0.0 ? sums[0] / sums[1] : 0.0;
}

}  // namespace

std::size_t model_data::classes() const {
  if (learn) return learn(label_kind::classes).classes();
  return rows.label.size() == 0 ? 2 : label_map::learn(label_kind::classes, rows.label, source).classes();
}

double model_data::mean_label() const {
  return mean_over(*this, [](double label) { return label; });
}

double model_data::label_deviation(double mean) const {
  const double variance = mean_over(*this, [&](double label) { return (label - mean) * (label - mean); });
  return variance > 0.0 ? std::sqrt(variance) : 1.0;
}

bool model_data::takes_one_of(std::initializer_list<std::string_view> groups) const {
  return std::ranges::any_of(initial_groups, [&](const std::string& group) {
    return std::ranges::find(groups, std::string_view(group)) != groups.end();
  });
}

}  // namespace hogwild
