// SPDX-License-Identifier: Apache-2.0
#include "members/member_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/run/run_notes.hpp>

namespace hogwild::detail {

lane_rows lane_rows_of(const several_plan& plan, const train_options& options, std::size_t k) {
  if (plan.rows == member_rows_kind::classes) return {.positive = static_cast<std::uint32_t>(k)};
  if (plan.rows == member_rows_kind::shards) return {};
  return {.bootstrap = counter_random(options.seed, 0x62616773u).bits(k) | 1u};  // 0 would mean none
}

double mean_count(const sparse_view& rows, const lane_rows& lane) {
  if (lane.bootstrap == 0) return 1.0;
  double sum = 0.0;
  for (std::size_t r = 0; r < rows.rows(); ++r)
    sum += static_cast<double>(rows.weight_of(r) * bootstrap_count(lane.bootstrap, rows.first_row + r));
  return sum / static_cast<double>(rows.rows());
}

std::vector<float> beginning_of(const several_plan& plan, std::size_t k) {
  std::vector<float> own;
  for (std::size_t at = k; at < plan.begin.size(); at += plan.models) own.push_back(plan.begin[at]);
  return own;
}

member_rows::member_rows(const prepared_data& all, const several_plan& plan, std::size_t k)
    : rows_(all.train()), options_(all.options()) {
  // These were determined from all rows.
  options_.l2 = all.loop().l2;
  options_.weight_positive = 1.0;
  options_.weights = {};
  options_.validation_fraction = 0.0;
  const auto values = all.labels().values();
  options_.labels.assign(values.begin(), values.end());
  // Notes, measures and files belong to the whole run.
  options_.test.reset();
  options_.target.reset();
  options_.observers = silent_observers();
  options_.record.clear();
  options_.checkpoint.clear();
  options_.telemetry = false;
  if (!plan.begin.empty())
    options_.initial = [own = beginning_of(plan, k)](std::span<float> fresh) { std::ranges::copy(own, fresh.begin()); };

  const lane_rows lane = lane_rows_of(plan, all.options(), k);
  switch (plan.rows) {
    case member_rows_kind::classes:
      set_class(rows_, all.labels(), k, label_);
      if (options_.validation) set_class(*options_.validation, all.labels(), k, validation_label_);
      options_.labels = {-1.0, 1.0};
      break;
    case member_rows_kind::bootstrap:
      for (std::size_t r = 0; r < rows_.rows(); ++r)
        weight_.push_back(rows_.weight_of(r) * bootstrap_count(lane.bootstrap, rows_.first_row + r));
      rows_.weight = weight_;
      break;
    case member_rows_kind::shards: {
      const std::size_t n = rows_.rows();
      rows_ = rows_.slice(n * k / plan.models, n * (k + 1) / plan.models);
      rows_.degree = {};  // these counts include the other shards
      break;
    }
  }
}

void member_rows::set_class(sparse_view& rows, const label_map& labels, std::size_t k, std::vector<std::uint8_t>& own) {
  static constexpr double signs[]{-1.0, 1.0};
  const double positive = labels.values()[k];
  own.reserve(rows.rows());
  for (const double label : rows.label) own.push_back(label == positive ? 1 : 0);
  rows.label = label_column(std::span<const std::uint8_t>(own), std::span<const double>(signs));
}

}  // namespace hogwild::detail
