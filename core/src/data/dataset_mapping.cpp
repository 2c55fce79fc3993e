// SPDX-License-Identifier: Apache-2.0
#include "data/dataset_mapping.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "data/cache_meaning.hpp"
#include "data/packed_numbers.hpp"

namespace hogwild::detail {

namespace ipc = boost::interprocess;

ipc::mapped_region map_whole(const unique_fd& fd, ipc::mode_t mode, const std::string& path) {
  try {
    const ipc::file_mapping file(("/proc/self/fd/" + std::to_string(fd.get())).c_str(), mode);
    ipc::mapped_region region(file, mode);
    // Memory files can have huge pages; asking costs nothing if they cannot.
    ::madvise(region.get_address(), region.get_size(), MADV_HUGEPAGE);
    return region;
  } catch (const ipc::interprocess_exception& fault) {
    throw resource_error(path + ": cannot be mapped into memory: " + fault.what());
  }
}

dataset_mapping::dataset_mapping(unique_fd fd, std::string path, bool from_cache, std::optional<std::uint64_t> memory)
    : fd_(std::move(fd)), path_(std::move(path)), from_cache_(from_cache) {
  region_ = map_whole(fd_, ipc::read_only, path_);
  const std::span file(static_cast<const std::byte*>(region_.get_address()), region_.get_size());
  if (const std::string fault = header_fault(file); !fault.empty()) throw cache_error(path_, fault);
  arrays_.emplace(file);
  unpack_rows();
  checked_ = std::make_unique<std::atomic<bool>[]>(arrays_->header.blocks());
  stream_ = row_stream::of(file, fd_.get(), *arrays_, memory);
}

void dataset_mapping::unpack_rows() {
  const bool coded = arrays_->header.labels_coded();
  const bool lists = arrays_->header.has_lists();
  const bool sums_hold = sum_holds(section_kind::row_length) && (!coded || sum_holds(section_kind::label_code)) &&
                         (!lists || sum_holds(section_kind::label_list));
  auto rows = sums_hold ? row_table::unpack(*arrays_) : std::nullopt;
  if (!rows) throw cache_error(path_, "has a damaged table of rows");
  rows_ = *std::move(rows);
  arrays_->row_start = rows_.starts();
  if (coded) arrays_->label = {rows_.codes(), arrays_->label_table};
  if (lists) arrays_->label = rows_.lists(arrays_->label_table);
}

void dataset_mapping::damaged(const std::string& part) const {
  throw cache_error(path_, path_ + ": the cache is damaged in its " + part +
                               "; delete it and open the source again, which writes a new one");
}

void dataset_mapping::ensure(std::size_t first, std::size_t last) const {
  if (first >= last) return;
  if (stream_ == nullptr) return check_blocks(first, last);
  if (stream_->is_small(first, last)) {
    stream_->await(first, last);
    return check_blocks(first, last);
  }
  // Rows that do not fit into memory are checked part by part, and read again when they are needed.
  const std::size_t step = arrays_->header.rows_per_block;
  for (std::size_t part = first; part < last; part += step) {
    const std::size_t end = std::min(part + step, last);
    if (end + step <= last) stream_->announce(end, end + step);
    stream_->await(part, end);
    check_blocks(part, end);
    stream_->release(part, end);
  }
}

void dataset_mapping::check_blocks(std::size_t first, std::size_t last) const {
  const std::uint64_t rows = arrays_->header.rows_per_block;
  for (std::uint64_t block = first / rows; block <= (last - 1) / rows && block < arrays_->header.blocks(); ++block) {
    // Two threads may check the same block at once, with the same result.
    if (checked_[block].load(std::memory_order_acquire)) continue;
    if (!block_holds(*arrays_, block, columns_to_look_at()))
      damaged("rows from " + std::to_string(block * rows + 1) + " on");
    checked_[block].store(true, std::memory_order_release);
  }
}

void dataset_mapping::verify() const {
  ensure(0, arrays_->header.rows);
  static_cast<void>(label());
  if (!original_is_distinct(original())) damaged("column numbers: two are the same");
  const cache_header& header = arrays_->header;
  if (header.kind == input_format::corpus) return;  // for words the degree counts occurrences in the text
  std::vector<std::uint32_t> counted(header.columns);
  const auto count = [&](const auto& index) {
    for (const auto column : index) ++counted[column];
  };
  header.index_bytes == 2 ? count(arrays_->index16) : count(arrays_->index);
  if (!std::ranges::equal(counted, degree())) damaged("column counts");
}

bool dataset_mapping::sum_holds(section_kind kind) const {
  const std::span file(static_cast<const std::byte*>(region_.get_address()), region_.get_size());
  const auto& sections = arrays_->header.sections;
  // If there are several of a kind, the bounds of the first one were checked.
  const auto entry = std::ranges::find(sections, kind, &section_entry::kind);
  return entry->checksum == checksum(file.subspan(entry->offset, entry->bytes));
}

void dataset_mapping::read_columns(section_kind plain, section_kind packed, const char* part,
                                   std::vector<std::uint32_t>& unpacked) const {
  const cache_header& header = arrays_->header;
  const bool degrees = packed == section_kind::degree_step;
  const auto hold = [&](std::span<const std::uint32_t> numbers) {
    return degrees ? degree_holds(header, numbers) : original_holds(header, numbers);
  };
  if (!sum_holds(header.columns_packed() ? packed : plain)) damaged(part);
  if (!header.columns_packed()) {
    if (!hold(degrees ? arrays_->degree : arrays_->original)) damaged(part);
    return;
  }
  auto numbers = unpack_differences(degrees ? arrays_->degree_step : arrays_->original_step, header.columns);
  if (!numbers || !hold(*numbers)) damaged(part);
  unpacked = *std::move(numbers);
}

std::span<const std::uint32_t> dataset_mapping::degree() const {
  std::call_once(degree_once_,
                 [&] { read_columns(section_kind::degree, section_kind::degree_step, "column counts", degree_); });
  return arrays_->header.columns_packed() ? degree_ : arrays_->degree;
}

std::span<const std::uint32_t> dataset_mapping::original() const {
  std::call_once(original_once_, [&] {
    read_columns(section_kind::original, section_kind::original_step, "column numbers", original_);
  });
  return arrays_->header.columns_packed() ? original_ : arrays_->original;
}

std::span<const std::uint32_t> dataset_mapping::columns_to_look_at() const {
  return looks_at_columns(arrays_->header.kind) ? original() : std::span<const std::uint32_t>{};
}

label_column dataset_mapping::label() const {
  std::call_once(label_once_, [&] {
    if (!sum_holds(section_kind::label_table)) damaged("table of labels");
    if (!labels_hold(arrays_->header, arrays_->label, columns_to_look_at())) damaged("labels");
    std::span<const std::uint64_t> texts = arrays_->label_text;
    if (arrays_->header.has_schema()) {
      if (texts.empty() || texts[0] > 8 * (texts.size() - 1)) damaged("schema");
      schema_ = std::as_bytes(texts.subspan(1)).first(texts[0]);
      texts = texts.subspan(1 + (texts[0] + 7) / 8);
    }
    if (arrays_->header.stated != 0) {
      auto stated = stated_numbers::decode(texts, arrays_->header.rows);
      if (!stated) damaged("numbers of rows");
      stated_ = *std::move(stated);
    }
    if (arrays_->header.has_parts()) {
      const auto parts = decode_parts(texts, arrays_->header.columns);
      if (!parts) damaged("parts of columns");
      parts_ = *parts;
      texts = {};
    }
    auto spelling = label_spelling::decode(std::as_bytes(texts));
    if (!spelling) damaged("texts of labels");
    spelling_ = *std::move(spelling);
    label_ = arrays_->label.with_rounded(spelling_.rounded());
  });
  return label_;
}

const label_spelling& dataset_mapping::spelling() const {
  static_cast<void>(label());
  return spelling_;
}

std::span<const std::byte> dataset_mapping::schema() const {
  static_cast<void>(label());  // checks the section
  return schema_;
}

const stated_numbers& dataset_mapping::stated() const {
  static_cast<void>(label());  // checks the section
  return stated_;
}

const column_parts& dataset_mapping::parts() const {
  static_cast<void>(label());  // checks the section
  return parts_;
}

const column_numbering& dataset_mapping::numbering() const {
  std::call_once(numbering_once_, [&] { numbering_ = column_numbering(original()); });
  return numbering_;
}

}  // namespace hogwild::detail
