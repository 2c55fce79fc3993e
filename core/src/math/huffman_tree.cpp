// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/huffman_tree.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace hogwild {
namespace {

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return a > most - b ? most : a + b;
}

/// The numbers of the leaves, lightest first.
std::vector<std::uint32_t> by_weight(std::span<const std::uint64_t> counts) {
  std::vector<std::uint32_t> order(counts.size());
  std::iota(order.rbegin(), order.rend(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t leaf) { return counts[leaf]; });
  return order;
}

/// The place of a leaf or an inner node in the tree.
struct hanging {
  std::uint32_t parent;
  std::uint8_t bit;
};

}  // namespace

// Leaves wait in the order of rising weight, and so do joined nodes, since each is at least as heavy as those before.
// So the two lightest are always at the fronts of two queues (van Leeuwen 1976). As the root is joined last, the
// numbers by falling weight are those of joining, counted from the end.
huffman_tree::huffman_tree(std::span<const std::uint64_t> counts) {
  const std::size_t n = counts.size();
  begin_.resize(n + 1);
  if (n < 2) return;

  const std::vector<std::uint32_t> order = by_weight(counts);
  std::vector<hanging> leaf(n), inner(n - 1);
  std::vector<std::uint64_t> weight(n - 1);
  std::size_t next_leaf = 0, next_joined = 0;
  for (std::size_t joined = 0; joined < n - 1; ++joined) {
    const auto number = static_cast<std::uint32_t>(n - 2 - joined);
    const auto hang_lightest = [&](std::uint8_t bit) {
      const bool is_leaf = next_leaf < n && (next_joined == joined || counts[order[next_leaf]] <= weight[next_joined]);
      if (is_leaf) {
        leaf[order[next_leaf]] = {number, bit};
        return counts[order[next_leaf++]];
      }
      inner[n - 2 - next_joined] = {number, bit};
      return weight[next_joined++];
    };
    const std::uint64_t lighter = hang_lightest(1);
    weight[joined] = sum_of(lighter, hang_lightest(0));
  }

  std::vector<std::uint32_t> depth(n - 1);  // of inner nodes; a parent's number is lower than its children's
  for (std::size_t node = 1; node < n - 1; ++node) depth[node] = depth[inner[node].parent] + 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t length = depth[leaf[i].parent] + std::size_t{1};
    begin_[i + 1] = begin_[i] + length;
    longest_ = std::max(longest_, length);
  }

  nodes_.resize(begin_[n]);
  bits_.resize(begin_[n]);
  for (std::size_t i = 0; i < n; ++i) {
    hanging at = leaf[i];
    for (std::size_t step = begin_[i + 1]; step-- > begin_[i]; at = inner[at.parent]) {
      nodes_[step] = at.parent;
      bits_[step] = at.bit;
    }
  }
}

}  // namespace hogwild
