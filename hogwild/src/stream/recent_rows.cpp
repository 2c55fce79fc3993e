// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/stream/recent_rows.hpp>

#include <algorithm>
#include <utility>

namespace hogwild {

void recent_rows::add(const sparse_view& rows, std::uint64_t end, std::uint64_t rows_of_part) {
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

row_buffer recent_rows::newest(std::size_t most, std::size_t columns) const {
  const auto last = [&](const row_buffer& of, std::size_t n) {
    return of.view(columns).slice(of.rows() - n, of.rows());
  };
  const std::size_t of_recent = std::min(most, recent_.rows());
  row_buffer rows;
  rows.add(last(earlier_, std::min(most - of_recent, earlier_.rows())));
  rows.add(last(recent_, of_recent));
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
