// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/private_memory.hpp>

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include <hogwild/error.hpp>

namespace hogwild {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
// Below this, fewer address translations do not make up for the memory and the time to clear it: an epoch on 190 KiB of
// weights takes as long on small pages.
constexpr std::size_t worth_a_huge_page = std::size_t{512} << 10;

std::size_t rounded(std::size_t bytes) {
  return bytes < worth_a_huge_page ? bytes : (bytes + huge_page - 1) / huge_page * huge_page;
}

}  // namespace

private_memory::private_memory(std::size_t bytes) : bytes_(rounded(bytes) + huge_page) {
  mapping_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw resource_error("cannot get " + std::to_string(bytes) + " bytes of memory: " + std::strerror(errno));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  base_ = reinterpret_cast<std::byte*>((address + huge_page - 1) / huge_page * huge_page);
  if (bytes >= worth_a_huge_page)
    madvise(base_, rounded(bytes), MADV_HUGEPAGE);  // a hint; it does not matter if it is refused
}

private_memory::~private_memory() {
  if (mapping_ != nullptr) munmap(mapping_, bytes_);
}

}  // namespace hogwild
