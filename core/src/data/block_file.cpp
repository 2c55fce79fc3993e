// SPDX-License-Identifier: Apache-2.0
#include "data/block_file.hpp"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/error.hpp>

#include "data/narrowing.hpp"
#include "platform/aside_file.hpp"
#include "platform/file_error.hpp"

namespace hogwild::detail {
namespace {

/// The parts of a block, one after the other. Reading and writing use the same list.
class part_list {
 public:
  template <class T>
  void add(const T* data, std::size_t count) {
    if (count > 0) parts_[count_++] = {const_cast<T*>(data), count * sizeof(T)};
  }

  /// `move` is preadv or pwritev. Returns an error number, or 0.
  template <class Move>
  int move_all(Move move, int fd, std::uint64_t offset) {
    for (std::size_t first = 0; first < count_;) {
      const ssize_t done = move(fd, parts_ + first, static_cast<int>(count_ - first), static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return done < 0 ? errno : EIO;
      offset += static_cast<std::uint64_t>(done);
      auto left = static_cast<std::size_t>(done);
      for (; first < count_ && left >= parts_[first].iov_len; ++first) left -= parts_[first].iov_len;
      if (left == 0) continue;
      parts_[first].iov_base = static_cast<std::byte*>(parts_[first].iov_base) + left;
      parts_[first].iov_len -= left;
    }
    return 0;
  }

 private:
  ::iovec parts_[7] = {};
  std::size_t count_ = 0;
};

/// Narrow copies of a block's entries. One for each thread, so that memory is reused.
struct narrow_entries {
  std::vector<std::uint16_t> index;
  std::vector<half> value;
};
narrow_entries& narrow_room() {
  thread_local narrow_entries room;
  return room;
}

/// The parts in the file, beginning at `at.offset`.
part_list parts_of(const row_block& block, std::span<const std::uint32_t> number, const narrow_entries& narrow,
                   const block_file::place& at) {
  part_list parts;
  parts.add(block.row_end.data(), block.row_end.size());
  parts.add(block.label.data(), block.label.size());
  parts.add(block.list_end.data(), block.list_end.size());
  parts.add(block.list.data(), block.list.size());
  parts.add(number.data(), number.size());
  if (at.index_bytes == 2)
    parts.add(narrow.index.data(), at.entries);
  else
    parts.add(block.index, at.entries);
  if (at.value_bytes == 2)
    parts.add(narrow.value.data(), at.entries);
  else
    parts.add(block.value, at.entries);
  return parts;
}

}  // namespace

std::uint64_t block_file::place::bytes() const {
  return std::uint64_t{rows} * (sizeof(std::uint32_t) + sizeof(double) + (lists ? sizeof(std::uint32_t) : 0) +
                                (numbered ? sizeof(std::uint32_t) : 0)) +
         std::uint64_t{labels} * sizeof(double) + std::uint64_t{entries} * (index_bytes + value_bytes);
}

std::unique_ptr<block_file> block_file::in(std::span<const std::filesystem::path> folders, std::string& refused) {
  for (const auto& folder : folders) {
    std::error_code missing;
    std::filesystem::create_directories(folder, missing);
    if (unique_fd fd = open_nameless(folder)) return std::unique_ptr<block_file>(new block_file(std::move(fd), folder));
    refused += (refused.empty() ? "" : " and ") + folder.string() + ": " + std::generic_category().message(errno);
  }
  if (folders.empty()) refused = "there is no folder for them";
  return nullptr;
}

block_file::place block_file::add(const row_block& block, std::span<const std::uint32_t> number) {
  place at{.rows = static_cast<std::uint32_t>(block.row_end.size()),
           .entries = block.row_end.empty() ? 0 : block.row_end.back(),
           .labels = static_cast<std::uint32_t>(block.list.size()),
           .lists = !block.list_end.empty(),
           .numbered = !number.empty()};
  if (block.columns <= most_narrow_columns) at.index_bytes = 2;
  if (are_halves({block.value, at.entries})) at.value_bytes = 2;
  at.offset = end_.fetch_add(at.bytes(), std::memory_order_relaxed);
  require_file_size("the file for rows in " + folder_.string(), at.offset + at.bytes());
  narrow_entries& narrow = narrow_room();
  if (at.index_bytes == 2) narrow.index.assign(block.index, block.index + at.entries);
  if (at.value_bytes == 2) {
    narrow.value.resize(at.entries);
    std::transform(block.value, block.value + at.entries, narrow.value.begin(), to_half);
  }
  if (const int code = parts_of(block, number, narrow, at).move_all(::pwritev, fd_.get(), at.offset); code != 0)
    refuse(code);
  return at;
}

row_block block_file::read(const place& from, entry_piece& piece, std::vector<std::uint32_t>* number) const {
  row_block block;
  piece.lend(block);
  piece.take(from.entries);
  block.entries = from.entries;
  block.row_end.resize(from.rows), block.label.resize(from.rows);
  block.list_end.resize(from.lists ? from.rows : 0), block.list.resize(from.labels);
  std::vector<std::uint32_t> unwanted;
  std::vector<std::uint32_t>& numbers = number != nullptr ? *number : unwanted;
  numbers.resize(from.numbered ? from.rows : 0);
  narrow_entries& narrow = narrow_room();
  if (from.index_bytes == 2) narrow.index.resize(from.entries);
  if (from.value_bytes == 2) narrow.value.resize(from.entries);
  if (const int code = parts_of(block, numbers, narrow, from).move_all(::preadv, fd_.get(), from.offset); code != 0)
    refuse(code);
  if (from.index_bytes == 2) std::ranges::copy(narrow.index, block.index);
  if (from.value_bytes == 2) std::ranges::transform(narrow.value, block.value, to_float);
  return block;
}

row_block block_file::read_rows(place from) const {
  from.entries = 0, from.numbered = false;
  entry_piece none;
  return read(from, none);
}

void block_file::drop(const place& gone) const {
  // If the file system cannot do this, the space stays occupied until the file is closed.
  static_cast<void>(::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(gone.offset),
                                static_cast<off_t>(gone.bytes())));
}

void block_file::announce(const place& next) const {
  ::posix_fadvise(fd_.get(), static_cast<off_t>(next.offset), static_cast<off_t>(next.bytes()), POSIX_FADV_WILLNEED);
}

void block_file::refuse(int code) const {
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder_, unknown);
  throw resource_error(
      "the rows do not fit into memory and go to a file in " + folder_.string() + ", which fails with " +
      std::to_string(bytes()) + " bytes" + (unknown ? "" : " (" + std::to_string(space.available) + " are free)") +
      ": " + std::generic_category().message(code) + "; make room, give another folder for caches, or more memory");
}

}  // namespace hogwild::detail
