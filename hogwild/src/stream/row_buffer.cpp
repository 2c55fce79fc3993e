// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/stream/row_buffer.hpp>

#include <algorithm>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

/// Appends the rows' numbers; earlier rows that had none get `neutral`.
void add_numbers(std::vector<float>& to, std::span<const float> from, std::size_t before, std::size_t added,
                 float neutral) {
  if (from.empty() && to.empty()) return;
  to.resize(before, neutral);
  if (from.empty())
    to.resize(before + added, neutral);
  else
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void row_buffer::add(const sparse_view& rows) {
  rows.ensure(0, rows.rows());
  add_numbers(weight_, rows.weight, this->rows(), rows.rows(), 1.0f);
  add_numbers(offset_, rows.offset, this->rows(), rows.rows(), 0.0f);
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    index_.insert(index_.end(), z.index.begin(), z.index.end());
    value_.insert(value_.end(), z.value.begin(), z.value.end());
    row_start_.push_back(index_.size());
    label_.push_back(rows.label[r]);
  }
}

void row_buffer::put(checkpoint& file, const std::string& name) const {
  file.put_span<std::uint64_t>(name + ".start", row_start_);
  file.put_span<std::uint32_t>(name + ".index", index_);
  file.put_span<float>(name + ".value", value_);
  file.put_span<double>(name + ".label", label_);
  file.put_span<float>(name + ".weight", weight_);
  file.put_span<float>(name + ".offset", offset_);
}

void row_buffer::get(const checkpoint& file, const std::string& name) {
  row_start_ = file.get_vector<std::uint64_t>(name + ".start");
  index_ = file.get_vector<std::uint32_t>(name + ".index");
  value_ = file.get_vector<float>(name + ".value");
  label_ = file.get_vector<double>(name + ".label");
  weight_ = file.get_vector<float>(name + ".weight");
  offset_ = file.get_vector<float>(name + ".offset");
  const auto suits = [this](const std::vector<float>& numbers) { return numbers.empty() || numbers.size() == rows(); };
  const bool ascends = !row_start_.empty() && row_start_.front() == 0 && std::ranges::is_sorted(row_start_);
  if (!ascends || row_start_.size() != rows() + 1 || row_start_.back() != index_.size() ||
      value_.size() != index_.size() || !suits(weight_) || !suits(offset_))
    throw input_error("the rows in the checkpoint are inconsistent: resume from another checkpoint");
}

sparse_view row_buffer::view(std::size_t columns) const {
  return {.row_start = row_start_,
          .index = index_,
          .value = value_,
          .label = label_,
          .weight = weight_,
          .offset = offset_,
          .columns = columns};
}

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
