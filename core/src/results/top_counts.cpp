// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/top_counts.hpp>

#include <algorithm>
#include <cmath>

namespace hogwild {

void top_counts::add(std::span<const std::uint32_t> best, std::span<const std::uint32_t> wanted, double above,
                     std::size_t candidates) {
  if (wanted.empty()) return;
  const std::size_t most = std::min(wanted.size(), top_items);
  double hits = 0, gain = 0, precisions = 0, ideal = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    recommended_[best[i]] = true;
    if (!std::ranges::binary_search(wanted, best[i])) continue;
    const auto place = static_cast<double>(i + 1);
    if (hits == 0) reciprocal_ += 1.0 / place;
    ++hits;
    gain += 1.0 / std::log2(place + 1.0);
    precisions += hits / place;
  }
  for (std::size_t i = 1; i <= most; ++i) ideal += 1.0 / std::log2(static_cast<double>(i) + 1.0);
  ++users_;
  recall_ += hits / static_cast<double>(wanted.size());
  precision_ += hits / static_cast<double>(top_items);
  ndcg_ += gain / ideal;
  average_precision_ += precisions / static_cast<double>(most);
  hit_ += hits > 0 ? 1.0 : 0.0;
  if (candidates <= wanted.size()) return;
  const auto w = static_cast<double>(wanted.size()), others = static_cast<double>(candidates) - w;
  area_ += 1.0 - (above - 0.5 * w * (w - 1.0)) / (w * others);  // of two wanted ones either is above the other
  ++area_users_;
}

void top_counts::measure(measurement& into) const {
  if (users_ == 0) return;
  into.recall_at_20 = recall_ / users_;
  into.precision_at_20 = precision_ / users_;
  into.ndcg_at_20 = ndcg_ / users_;
  into.map_at_20 = average_precision_ / users_;
  into.mrr_at_20 = reciprocal_ / users_;
  into.hit_rate_at_20 = hit_ / users_;
  if (area_users_ > 0) into.auc = area_ / area_users_;
  into.coverage_at_20 = static_cast<double>(std::ranges::count(recommended_, true)) /
                        static_cast<double>(std::max<std::size_t>(recommended_.size(), 1));
}

void place_counts::add(double place) {
  ++answers_;
  reciprocal_ += 1.0 / place;
  first_ += place < 1.5 ? 1.0 : 0.0;
  three_ += place < 3.5 ? 1.0 : 0.0;
  ten_ += place < 10.5 ? 1.0 : 0.0;
}

void place_counts::add(const place_counts& other) {
  answers_ += other.answers_;
  reciprocal_ += other.reciprocal_;
  first_ += other.first_;
  three_ += other.three_;
  ten_ += other.ten_;
}

void place_counts::measure(measurement& into) const {
  if (answers_ == 0) return;
  into.mrr = reciprocal_ / answers_;
  into.hits_at_1 = first_ / answers_;
  into.hits_at_3 = three_ / answers_;
  into.hits_at_10 = ten_ / answers_;
}

}  // namespace hogwild
