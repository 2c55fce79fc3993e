// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/target_sampler.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>

namespace hogwild {

target_sampler::target_sampler(std::size_t targets, std::span<const std::uint32_t> counts, double power, bool all)
    : targets_(targets) {
  const bool leaves_out = !all && std::ranges::find(counts, 0u) != counts.end();
  if ((power == 0.0 && !leaves_out) || counts.empty()) return;
  std::vector<double> mass(targets);
  double total = 0.0;
  for (std::size_t k = 0; k < targets; ++k) {
    mass[k] = std::pow(static_cast<double>(std::max(counts[k], 1u)), power);
    if (leaves_out && counts[k] == 0) mass[k] = 0.0;
    total += mass[k];
  }
  rarity_.reserve(targets);
  for (const double m : mass) rarity_.push_back(static_cast<float>(std::log(total / (m > 0.0 ? m : 1.0))));
  table_ = alias_table(std::move(mass));
}

known_targets::known_targets(const sparse_view& rows, std::size_t sources, std::size_t targets) : begin_(sources + 1) {
  row_cursor cursor(rows);
  const auto for_pairs = [&](const auto& f) {
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const sparse_row<float> z = cursor.row(r);
      if (z.size() != 2 || z.index[0] >= sources || z.index[1] < sources || z.index[1] - sources >= targets) continue;
      f(z.index[0], static_cast<std::uint32_t>(z.index[1] - sources));
    }
  };
  rows.ensure(0, rows.rows());
  for_pairs([&](std::uint32_t source, std::uint32_t) { ++begin_[source + 1]; });
  for (std::size_t s = 0; s < sources; ++s) begin_[s + 1] += begin_[s];
  target_.resize(begin_.back());
  std::vector<std::size_t> to(begin_.begin(), begin_.end() - 1);
  for_pairs([&](std::uint32_t source, std::uint32_t target) { target_[to[source]++] = target; });

  // Each once: what repeats is dropped, and later ones move forward.
  std::size_t kept = 0;
  for (std::size_t s = 0; s < sources; ++s) {
    const auto first = target_.begin() + static_cast<std::ptrdiff_t>(begin_[s]);
    const auto last = target_.begin() + static_cast<std::ptrdiff_t>(to[s]);
    std::sort(first, last);
    begin_[s] = kept;
    kept = static_cast<std::size_t>(
        std::copy(first, std::unique(first, last), target_.begin() + static_cast<std::ptrdiff_t>(kept)) -
        target_.begin());
  }
  begin_.back() = kept;
  target_.resize(kept);

  // Eight to sixteen bits a pair: of a hundred drawn targets one to five are looked up in vain.
  const std::size_t words = std::bit_ceil(std::max<std::size_t>(kept / 8, 2));
  filter_.resize(words);
  filter_shift_ = 64u - static_cast<unsigned>(std::countr_zero(words));
  for (std::size_t s = 0; s < sources; ++s) {
    for (const std::uint32_t target : of(s)) {
      const std::uint64_t hash = mix_bits(std::uint64_t{s} << 32 | target);
      filter_[hash >> filter_shift_] |= bits_of(hash);
    }
  }
}

drawn_targets::drawn_targets(std::size_t most)
    : shift_(32u - static_cast<unsigned>(std::bit_width(std::max<std::size_t>(2 * most, 2)))),
      bits_shift_(shift_ - std::min(shift_, 5u)),
      heads_(std::size_t{1} << (32u - shift_), none),
      bits_(std::size_t{1} << (32u - bits_shift_) >> 6) {
  next_.reserve(most);
  target_.reserve(most);
}

void drawn_targets::clear() {
  for (const std::uint32_t target : target_) {
    heads_[slot(target)] = none;
    bits_[hash_of(target) >> bits_shift_ >> 6] = 0;
  }
  next_.clear();
  target_.clear();
}

void drawn_targets::add(std::uint32_t target) {
  bits_[hash_of(target) >> bits_shift_ >> 6] |= std::uint64_t{1} << (hash_of(target) >> bits_shift_ & 63);
  std::uint32_t& head = heads_[slot(target)];
  next_.push_back(head);
  head = static_cast<std::uint32_t>(target_.size());
  target_.push_back(target);
}

}  // namespace hogwild
