// SPDX-License-Identifier: Apache-2.0
#include "device_rows.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace hogwild::device {
namespace {

/// Entries are counted from the start of the whole dataset; where the first one of a part would be.
template <class T>
const T* counted_from(const T* part, std::uint64_t first) {
  return reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(part) - first * sizeof(T));
}

}  // namespace

template <class T>
const T* device_rows::bring(runtime& device, std::span<const T> part, std::vector<buffer<T>>& kept) {
  if (part.empty()) return nullptr;
  if (device.facts().emulated) return part.data();
  buffer<T>& room = kept.emplace_back(device, part.size());
  device.upload(room.data(), part.data(), part.size_bytes());
  return room.data();
}

device_rows::device_rows(runtime& device, const sparse_view& rows, const label_map& labels) {
  rows.ensure(0, rows.rows());
  labels_.reserve(rows.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r) labels_.push_back(labels.encode(rows.label[r]));

  const std::uint64_t first = rows.row_start.front(), entries = rows.row_start.back() - first;
  const auto entries_of = [&]<class T>(std::span<const T> all, std::vector<buffer<T>>& kept) -> const T* {
    if (all.empty()) return nullptr;
    return counted_from(bring(device, all.subspan(first, entries), kept), first);
  };
  rows_.start32 = bring(device, rows.row_start.narrow(), words_);
  rows_.start64 = bring(device, rows.row_start.wide(), longs_);
  rows_.index32 = entries_of(rows.index, words_);
  rows_.index16 = entries_of(rows.index16, shorts_);
  rows_.value = entries_of(rows.value, floats_);
  rows_.value16 = entries_of(rows.value16, halves_);
  rows_.label = bring(device, std::span<const float>(labels_), floats_);
  rows_.degree = bring(device, rows.degree, words_);
  rows_.columns = rows.columns;
  // What is read by copies must not go before they are through.
  device.wait(device.mark());
}

std::uint64_t device_rows::bytes(const sparse_view& rows) {
  const std::uint64_t entries = rows.row_start.back() - rows.row_start.front();
  const std::uint64_t index = rows.index16.empty() ? sizeof(std::uint32_t) : sizeof(std::uint16_t);
  const std::uint64_t value = rows.value16.empty() ? sizeof(float) : sizeof(half);
  return entries * (index + value) + rows.row_start.narrow().size_bytes() + rows.row_start.wide().size_bytes() +
         rows.rows() * sizeof(float) + rows.degree.size_bytes();
}

void device_rows::name_in(margin_work& work) const {
  work.start32 = rows_.start32, work.start64 = rows_.start64;
  work.index32 = rows_.index32, work.index16 = rows_.index16;
  work.value = rows_.value, work.value16 = rows_.value16;
  work.label = rows_.label, work.degree = rows_.degree, work.columns = rows_.columns;
}

}  // namespace hogwild::device
