// SPDX-License-Identifier: Apache-2.0
#include "dataset_mapping.hpp"

#include <sys/mman.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <utility>

#include <hogwild/core/error.hpp>

#include "checksum.hpp"

namespace hogwild::detail {

namespace ipc = boost::interprocess;

ipc::mapped_region map_whole(const unique_fd& fd, ipc::mode_t mode, const std::string& path) {
  try {
    const ipc::file_mapping file(("/proc/self/fd/" + std::to_string(fd.get())).c_str(), mode);
    ipc::mapped_region region(file, mode);
    // Memory files can have huge pages; where they cannot, nothing is lost by asking.
    ::madvise(region.get_address(), region.get_size(), MADV_HUGEPAGE);
    return region;
  } catch (const ipc::interprocess_exception& fault) {
    throw resource_error(path + ": cannot be mapped into memory: " + fault.what());
  }
}

dataset_mapping::dataset_mapping(unique_fd fd, std::string path, bool from_cache)
    : fd_(std::move(fd)), path_(std::move(path)), from_cache_(from_cache) {
  region_ = map_whole(fd_, ipc::read_only, path_);
  const std::span file(static_cast<const std::byte*>(region_.get_address()), region_.get_size());
  if (const std::string fault = header_fault(file); !fault.empty()) throw cache_error(path_, fault);
  arrays_.emplace(file);
  checked_ = std::make_unique<std::atomic<bool>[]>(arrays_->header.blocks());
}

void dataset_mapping::damaged(const std::string& part) const {
  throw cache_error(path_, path_ + ": the cache is damaged in its " + part +
                               "; delete it and open the source again, which writes a new one");
}

void dataset_mapping::ensure(std::size_t first, std::size_t last) const {
  if (first >= last) return;
  const std::uint64_t rows = arrays_->header.rows_per_block;
  for (std::uint64_t block = first / rows; block <= (last - 1) / rows && block < arrays_->header.blocks(); ++block) {
    // Two threads may check the same block at once; both find the same.
    if (checked_[block].load(std::memory_order_acquire)) continue;
    if (!block_holds(*arrays_, block)) damaged("rows from " + std::to_string(block * rows + 1) + " on");
    checked_[block].store(true, std::memory_order_release);
  }
}

void dataset_mapping::verify() const {
  ensure(0, arrays_->header.rows);
  static_cast<void>(degree());
  static_cast<void>(original());
}

void dataset_mapping::check_small(section_kind kind, std::span<const std::uint32_t> items, const char* part) const {
  for (const section_entry& entry : arrays_->header.sections)
    if (entry.kind == kind && entry.checksum != checksum(items)) damaged(part);
}

std::span<const std::uint32_t> dataset_mapping::degree() const {
  std::call_once(degree_once_, [&] { check_small(section_kind::degree, arrays_->degree, "column counts"); });
  return arrays_->degree;
}

std::span<const std::uint32_t> dataset_mapping::original() const {
  std::call_once(original_once_, [&] { check_small(section_kind::original, arrays_->original, "column numbers"); });
  return arrays_->original;
}

const column_numbering& dataset_mapping::numbering() const {
  std::call_once(numbering_once_, [&] { numbering_ = column_numbering(original()); });
  return numbering_;
}

}  // namespace hogwild::detail
