// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/stream/recent_rows.hpp>

#include <algorithm>
#include <utility>

namespace hogwild {

namespace {

constexpr std::uint64_t rows_of_part = 8192;

}  // namespace

void recent_rows::add(const sparse_view& rows, std::uint64_t end) {
  const std::uint64_t last_part = (end - 1) / rows_of_part;
  std::uint64_t at = end - rows.rows();
  if (last_part > 0) at = std::max(at, (last_part - 1) * rows_of_part);
  while (at < end) {
    if (at % rows_of_part == 0) earlier_ = std::exchange(recent_, {});
    const std::uint64_t next = std::min(end, (at / rows_of_part + 1) * rows_of_part);
    recent_.add(rows.slice(rows.rows() - (end - at), rows.rows() - (end - next)));
    at = next;
  }
}

row_buffer recent_rows::all(std::size_t columns) const {
  row_buffer rows = earlier_;
  rows.add(recent_.view(columns));
  return rows;
}

void recent_rows::put(checkpoint& file) const {
  earlier_.put(file, "earlier");
  recent_.put(file, "recent");
}

void recent_rows::get(const checkpoint& file) {
  earlier_.get(file, "earlier");
  recent_.get(file, "recent");
}

}  // namespace hogwild
