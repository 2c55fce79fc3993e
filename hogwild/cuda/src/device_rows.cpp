// SPDX-License-Identifier: Apache-2.0
#include "device_rows.hpp"

#include <algorithm>
#include <numeric>

#include <hogwild/detail/data/half.hpp>

#include "bringing.hpp"

namespace hogwild::device {
namespace {

/// Arrays in a block are aligned like allocations.
constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// The packed size of rows [first, last).
std::uint64_t packed_bytes(const sparse_view& rows, std::size_t first, std::size_t last) {
  const std::uint64_t entries = rows.row_start[last] - rows.row_start[first], count = last - first;
  const std::uint64_t start = rows.row_start.narrow().empty() ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  const std::uint64_t index = rows.has_narrow_index() ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
  const std::uint64_t value = rows.has_narrow_value() ? sizeof(half) : sizeof(float);
  return padded((count + 1) * start) + padded(entries * index) + padded(entries * value) +
         padded(count * sizeof(float)) + (rows.weight.empty() ? 0 : padded(count * sizeof(float))) +
         (rows.offset.empty() ? 0 : padded(count * sizeof(float)));
}

}  // namespace

device_rows::device_rows(runtime& device, const sparse_view& rows, const label_map& labels, std::uint64_t block_bytes)
    : device_(device), view_(rows), label_map_(labels) {
  rows_.columns = rows.columns;
  if (device.facts().host_memory) {
    stay_with_the_host();
    return;
  }
  if (!rows.degree.empty()) {
    degree_.emplace(device, rows.degree.size());
    bring(device, degree_->data(), std::as_bytes(rows.degree));
    rows_.degree = degree_->data();
  }
  if (block_bytes != 0) {
    blocks_.emplace(device, block_bytes);
    return;
  }
  all_.emplace(device, packed_bytes(rows, 0, rows.rows()));
  read_all();
  pack(all_->data(), 0, rows.rows(), labels_[0]);
}

std::uint64_t device_rows::bytes(const sparse_view& rows) {
  return packed_bytes(rows, 0, rows.rows()) + padded(rows.degree.size_bytes());
}

stream_needs device_rows::needs_of_stream(const sparse_view& rows) {
  std::uint64_t longest = 0;
  for (std::size_t r = 0; r < rows.rows(); ++r) longest = std::max(longest, packed_bytes(rows, r, r + 1));
  return {.stays = padded(rows.degree.size_bytes()), .least_block = longest};
}

std::size_t device_rows::room_for(std::size_t first, std::size_t count) const {
  if (!blocks_) return count;
  const auto fits = [&](std::size_t n) { return packed_bytes(view_, first, first + n) <= blocks_->bytes(); };
  if (fits(count)) return count;
  std::size_t room = 1, too_many = count;
  while (too_many - room > 1) {
    const std::size_t middle = std::midpoint(room, too_many);
    (fits(middle) ? room : too_many) = middle;
  }
  return room;
}

void device_rows::name_in(margin_work& work, std::size_t first, std::size_t count) {
  if (blocks_) {
    view_.ensure(first, first + count);
    std::byte* const block = blocks_->next();
    std::vector<float>& labels = labels_[blocks_->turn()];
    labels.clear();
    encode(first, first + count, labels);
    pack(block, first, first + count, labels);
  }
  work.start32 = rows_.start32, work.start64 = rows_.start64;
  work.index32 = rows_.index32, work.index16 = rows_.index16;
  work.value = rows_.value, work.value16 = rows_.value16;
  work.weight = rows_.weight, work.offset = rows_.offset;
  work.label = rows_.label, work.degree = rows_.degree, work.columns = rows_.columns;
}

template <class T>
const T* device_rows::put(std::byte*& to, std::span<const T> from) {
  if (from.empty()) return nullptr;
  T* const here = reinterpret_cast<T*>(to);
  const auto bytes = std::as_bytes(from);
  if (blocks_)
    device_.upload_ahead(to, bytes.data(), bytes.size());
  else
    bring(device_, to, bytes);
  to += padded(bytes.size());
  return here;
}

void device_rows::read_all() {
  labels_[0].reserve(view_.rows());
  in_short_parts(device_, view_.rows(), [&](std::size_t first, std::size_t count) {
    view_.ensure(first, first + count);
    encode(first, first + count, labels_[0]);
  });
}

void device_rows::pack(std::byte* to, std::size_t first, std::size_t last, const std::vector<float>& labels) {
  const std::uint64_t entry = view_.row_start[first], entries = view_.row_start[last] - entry;
  const auto starts = view_.row_start.subspan(first, last - first + 1);
  const auto entries_of = [&]<class T>(std::span<const T> all) -> const T* {
    return all.empty() ? nullptr : counted_from(put(to, all.subspan(entry, entries)), entry);
  };
  const auto numbers_of = [&](std::span<const float> all) -> const float* {
    return all.empty() ? nullptr : counted_from(put(to, all.subspan(first, last - first)), first);
  };
  rows_.start32 = counted_from(put(to, starts.narrow()), first);
  rows_.start64 = counted_from(put(to, starts.wide()), first);
  rows_.index32 = entries_of(view_.index);
  rows_.index16 = entries_of(view_.index16);
  rows_.value = entries_of(view_.value);
  rows_.value16 = entries_of(view_.value16);
  rows_.label = counted_from(put(to, std::span<const float>(labels)), first);
  rows_.weight = numbers_of(view_.weight);
  rows_.offset = numbers_of(view_.offset);
}

void device_rows::encode(std::size_t first, std::size_t last, std::vector<float>& labels) const {
  for (std::size_t r = first; r < last; ++r) labels.push_back(label_map_.encode(view_.label[r]));
}

void device_rows::stay_with_the_host() {
  read_all();
  const auto first_of = [](const auto& all) { return all.empty() ? nullptr : all.data(); };
  rows_.start32 = first_of(view_.row_start.narrow());
  rows_.start64 = first_of(view_.row_start.wide());
  rows_.index32 = first_of(view_.index);
  rows_.index16 = first_of(view_.index16);
  rows_.value = first_of(view_.value);
  rows_.value16 = first_of(view_.value16);
  rows_.label = first_of(labels_[0]);
  rows_.weight = first_of(view_.weight);
  rows_.offset = first_of(view_.offset);
  rows_.degree = first_of(view_.degree);
}

}  // namespace hogwild::device
