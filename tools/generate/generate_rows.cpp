// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include <hogwild/detail/platform/threads.hpp>

#include <generate/generate.hpp>
#include <generate/row_source.hpp>

namespace hogwild::generate {
namespace {

constexpr std::size_t rows_per_block = 2048;

void append(const generated_row& row, rows& to) {
  for (const auto& [column, units] : row.entries) {
    to.index.push_back(column);
    to.value.push_back(static_cast<float>(static_cast<double>(units) / 1e6));
  }
  to.row_start.push_back(to.index.size());
  to.label.push_back(row.positive ? 1.0 : -1.0);
}

void append(const rows& block, rows& to) {
  const std::uint64_t base = to.index.size();
  to.index.insert(to.index.end(), block.index.begin(), block.index.end());
  to.value.insert(to.value.end(), block.value.begin(), block.value.end());
  to.label.insert(to.label.end(), block.label.begin(), block.label.end());
  for (std::size_t r = 1; r < block.row_start.size(); ++r) to.row_start.push_back(base + block.row_start[r]);
}

}  // namespace

data in_memory(const options& o) {
  const row_source source(o);
  std::vector<data> blocks((o.rows + rows_per_block - 1) / rows_per_block);
  require_tbb_threads(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t b) {
    generated_row row;
    const std::size_t last = std::min(o.rows, (b + 1) * rows_per_block);
    for (std::size_t r = b * rows_per_block; r < last; ++r) {
      source.make(r, row);
      append(row, row.test ? blocks[b].test : blocks[b].train);
    }
  });
  data all;
  all.train.columns = all.test.columns = o.columns;
  for (data& block : blocks) {
    append(block.train, all.train);
    append(block.test, all.test);
    block = {};
  }
  return all;
}

}  // namespace hogwild::generate
