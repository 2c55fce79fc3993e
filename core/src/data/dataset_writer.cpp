// SPDX-License-Identifier: Apache-2.0
#include "data/dataset_writer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "data/dataset_mapping.hpp"
#include "data/packed_numbers.hpp"
#include "platform/aside_file.hpp"
#include "platform/file_error.hpp"
#include "platform/trusted_file.hpp"

namespace hogwild::detail {
namespace {

const std::string memory_file = "a file in memory for the data";

[[noreturn]] void throw_system(int code, const std::string& what) {
  throw std::system_error(code, std::generic_category(), what);
}

std::span<const std::byte> bytes_of(const boost::interprocess::mapped_region& region) {
  return {static_cast<const std::byte*>(region.get_address()), region.get_size()};
}

boost::interprocess::mapped_region map_with_header(const unique_fd& fd, const std::string& path,
                                                   const cache_header& header) {
  auto region = map_whole(fd, boost::interprocess::read_write, path);
  std::memcpy(region.get_address(), &header, sizeof header);
  return region;
}

/// Checks that the new file would be trusted. If files belong to others, or have modes that cannot be changed (as on
/// some network or foreign file systems), the cache would never be used.
void require_trusted(const unique_fd& fd, const std::string& aside) {
  struct ::stat state {};
  if (::fstat(fd.get(), &state) != 0) throw_system(errno, "looking at " + aside);
  if (const std::string fault = distrust(state); !fault.empty())
    throw_system(EPERM, aside + " " + fault + ", though it is new");
}

}  // namespace

dataset_writer::dataset_writer(unique_fd fd, std::string place, std::string aside, cleanup_handler at_once,
                               const cache_header& sizes)
    : fd_(std::move(fd)),
      place_(std::move(place)),
      aside_(std::move(aside)),
      at_once_(std::move(at_once)),
      region_(map_with_header(fd_, place_.empty() ? "memory file" : place_, sizes)),
      rows_(sizes),
      arrays_(bytes_of(region_)) {
  arrays_.row_start = rows_.starts();
  if (sizes.labels_coded()) arrays_.label = {rows_.codes(), arrays_.label_table};
  if (!sizes.columns_packed()) return;
  original_.resize(sizes.columns), degree_.resize(sizes.columns);
  arrays_.original = original_, arrays_.degree = degree_;
}

dataset_writer::dataset_writer(dataset_writer&& other) noexcept
    : fd_(std::move(other.fd_)),
      place_(std::move(other.place_)),
      aside_(std::exchange(other.aside_, {})),
      at_once_(std::move(other.at_once_)),
      region_(std::move(other.region_)),
      rows_(std::move(other.rows_)),
      original_(std::move(other.original_)),
      degree_(std::move(other.degree_)),
      arrays_(other.arrays_) {}

dataset_writer::~dataset_writer() {
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

dataset_writer dataset_writer::at(const std::filesystem::path& place, cache_header sizes, unsigned permissions) {
  lay_out(sizes);
  require_file_size("the cache " + place.string(), sizes.file_bytes);
  sweep_asides(place.has_parent_path() ? place.parent_path() : ".", place.filename().string());
  std::string aside;
  cleanup_handler at_once;
  unique_fd fd;
  do {
    aside = aside_name(place);
    at_once = cleanup_handler([aside] { ::unlink(aside.c_str()); });
    fd = unique_fd(::open(aside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions));
    if (!fd) throw_system(errno, "creating " + aside);
    // The lock also tells processes that list and purge caches that this one is unfinished.
  } while (!lock_new(fd));
  try {
    require_trusted(fd, aside);
    // Allocates the space now: writing to a mapping of a file without space raises SIGBUS.
    if (const int code = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(sizes.file_bytes)); code != 0)
      throw_system(code, "reserving " + std::to_string(sizes.file_bytes) + " bytes for " + aside);
    return dataset_writer(std::move(fd), place.string(), aside, std::move(at_once), sizes);
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
}

dataset_writer dataset_writer::in_memory(cache_header sizes) {
  lay_out(sizes);
  require_file_size(memory_file, sizes.file_bytes);
  unique_fd fd(::memfd_create("hogwild-data", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Memory files begin with all permissions; workers check the permissions (trusted_file.hpp).
  if (!fd || ::fchmod(fd.get(), 0600) != 0 || ::ftruncate(fd.get(), static_cast<off_t>(sizes.file_bytes)) != 0)
    throw resource_error("no memory for " + std::to_string(sizes.file_bytes) +
                         " bytes of data: " + std::generic_category().message(errno));
  return dataset_writer(std::move(fd), {}, {}, {}, sizes);
}

dataset_writer dataset_writer::nameless(const std::filesystem::path& folder, cache_header sizes) {
  lay_out(sizes);
  require_file_size("a file for the data in " + folder.string(), sizes.file_bytes);
  unique_fd fd = open_nameless(folder);
  const int refused = fd ? ::posix_fallocate(fd.get(), 0, static_cast<off_t>(sizes.file_bytes)) : errno;
  if (refused != 0)
    throw resource_error("no space for " + std::to_string(sizes.file_bytes) + " bytes of data in " + folder.string() +
                         ": " + std::generic_category().message(refused));
  return dataset_writer(std::move(fd), {}, {}, {}, sizes);
}

void dataset_writer::seal_block(std::uint64_t block, std::uint64_t end) {
  cache_arrays::writable(arrays_.block_checksum)[block] = block_sum(arrays_, block, end);
}

void dataset_writer::populate(void* place, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  const std::uintptr_t page = 4096, first = address / page * page;
  // A hint: older kernels do not support it, and then each page faults separately.
  if (bytes > 0) ::madvise(reinterpret_cast<void*>(first), address + bytes - first, MADV_POPULATE_WRITE);
#else
  static_cast<void>(place), static_cast<void>(bytes);
#endif
}

void dataset_writer::leave_memory(std::span<const std::byte> part) {
  const auto address = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t page = 4096, first = address / page * page;
  if (!part.empty()) ::madvise(reinterpret_cast<void*>(first), address + part.size() - first, MADV_DONTNEED);
}

void dataset_writer::append(cache_header& header, section_kind kind, std::span<const std::uint64_t> packed) const {
  section_entry& entry = append_section(header, kind, sizeof(std::uint64_t), packed.size_bytes());
  entry.checksum = checksum(packed);
  require_file_size(place_.empty() ? memory_file : "the cache " + place_, entry.offset + entry.bytes);
  const auto refuse = [&](int code) {
    if (place_.empty()) throw resource_error("no memory for the data: " + std::generic_category().message(code));
    throw_system(code, "writing " + aside_);
  };
  // Allocated first, like the rest of the file: if a file has delayed allocations, ext4 writes all of it to the disk
  // before it renames it over another one.
  if (const int code = ::posix_fallocate(fd_.get(), static_cast<off_t>(entry.offset), static_cast<off_t>(entry.bytes));
      code != 0)
    refuse(code);
  std::span<const std::byte> left = std::as_bytes(packed);
  for (std::uint64_t place = entry.offset; !left.empty();) {
    const ssize_t written = ::pwrite(fd_.get(), left.data(), left.size(), static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse(written < 0 ? errno : ENOSPC);
    left = left.subspan(static_cast<std::size_t>(written));
    place += static_cast<std::uint64_t>(written);
  }
}

sparse_dataset dataset_writer::finish(std::optional<std::uint64_t> memory) && {
  cache_header header = arrays_.header;
  for (section_entry& entry : header.sections)
    if (is_summed_whole(entry.kind)) entry.checksum = checksum(bytes_of(region_).subspan(entry.offset, entry.bytes));
  append(header, section_kind::row_length, rows_.pack_lengths());
  if (header.labels_coded()) append(header, section_kind::label_code, rows_.pack_codes());
  if (header.has_lists()) append(header, section_kind::label_list, rows_.pack_lists(header.label_values));
  if (header.columns_packed()) {
    append(header, section_kind::original_step, pack_differences(original_));
    append(header, section_kind::degree_step, pack_differences(degree_));
  }
  header.checksum = header_checksum(header);
  std::memcpy(region_.get_address(), &header, sizeof header);
  region_ = {};
  rows_ = {};  // the process that opens the file makes its own table
  original_ = {}, degree_ = {};
  if (place_.empty()) {
    ::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    const std::string shared = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_.get());
    return dataset_access::open(std::move(fd_), shared, false, memory);
  }
  if (std::rename(aside_.c_str(), place_.c_str()) != 0) throw_system(errno, "renaming " + aside_);
  at_once_ = {};
  aside_.clear();
  ::flock(fd_.get(), LOCK_UN);
  return dataset_access::open(std::move(fd_), place_, false, memory);
}

}  // namespace hogwild::detail
