// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace hogwild::test {

/// A copy of some entries that ends where readable memory ends.
template <class Entry>
class guarded {
 public:
  explicit guarded(const std::vector<Entry>& entries) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t bytes = entries.size() * sizeof(Entry), pages = (bytes + page - 1) / page + 2;
    size_ = pages * page;
    base_ = ::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    auto* first = static_cast<char*>(base_) + page;
    if (::mprotect(first, size_ - 2 * page, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    start_ = first + (size_ - 2 * page) - bytes;
    if (bytes > 0) std::memcpy(start_, entries.data(), bytes);
  }
  ~guarded() { ::munmap(base_, size_); }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;

  Entry* data() const { return reinterpret_cast<Entry*>(start_); }

 private:
  void* base_ = nullptr;
  char* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hogwild::test
