// SPDX-License-Identifier: Apache-2.0
#include "data/entry_piece.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace hogwild::detail {

entry_piece::entry_piece(std::size_t entries) : left_(entries) {
  constexpr std::size_t huge_page = std::size_t{2} << 20, small_page = 4096;
  // Of a huge page all is in memory once a part of it is, which a small piece would waste.
  const bool is_large = entries * 4 >= 4 * huge_page;
  const std::size_t page = is_large ? huge_page : small_page;
  const std::size_t bytes = (std::max<std::size_t>(entries, 1) * 4 + page - 1) / page * page;
  // Mapped rather than allocated, so that the memory returns to the system with its last block.
  const std::size_t mapped = 2 * bytes + page;
  void* const memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = {memory, [mapped](void* whole) { ::munmap(whole, mapped); }};
  void* first = memory;
  std::size_t room = mapped;
  std::align(page, 2 * bytes, first, room);
  ::madvise(first, 2 * bytes, is_large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  index_ = static_cast<std::uint32_t*>(first);
  value_ = reinterpret_cast<float*>(static_cast<std::byte*>(first) + bytes);
}

void borrow_entries(std::span<const std::uint32_t> index, std::span<const float> value, row_block& block) {
  block.index = const_cast<std::uint32_t*>(index.data());
  block.value = const_cast<float*>(value.data());
  block.borrowed = true;
}

void own_entries(row_block& block) {
  if (!block.borrowed) return;
  struct memory {
    std::unique_ptr<std::uint32_t[]> index;
    std::unique_ptr<float[]> value;
  };
  // As large as the block, which may be small, while a piece takes whole pages.
  auto own = std::make_shared<memory>(memory{std::make_unique_for_overwrite<std::uint32_t[]>(block.entries),
                                             std::make_unique_for_overwrite<float[]>(block.entries)});
  std::copy_n(block.index, block.entries, own->index.get());
  std::copy_n(block.value, block.entries, own->value.get());
  block.index = own->index.get();
  block.value = own->value.get();
  block.owner = std::move(own);
  block.borrowed = false;
}

}  // namespace hogwild::detail
