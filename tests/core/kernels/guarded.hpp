// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <random>
#include <vector>

#include "support/random_rows.hpp"

namespace hogwild::test {

/// A copy of some entries that ends where readable memory ends: reading one entry too many crashes.
template <class Entry>
class guarded {
 public:
  explicit guarded(const std::vector<Entry>& entries) : entries_(entries.size()) {
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
  std::vector<Entry> copy() const { return {data(), data() + entries_}; }

 private:
  std::size_t entries_;
  void* base_ = nullptr;
  char* start_ = nullptr;
  std::size_t size_ = 0;
};

/// Rows in memory that ends where they end.
template <class Index, class Value>
struct guarded_batch {
  guarded<Index> index;
  guarded<Value> value;
  row_batch<Index, Value> batch;

  guarded_batch(const std::vector<Index>& columns, const std::vector<Value>& values,
                const row_batch<Index, Value>& rows)
      : index(columns), value(values), batch(rows) {
    batch.index = index.data();
    batch.value = value.data();
  }
};

/// Random rows in such memory.
template <class Index, class Value>
struct guarded_rows : random_rows<Index, Value> {
  guarded_rows(std::mt19937_64& random, std::size_t rows, std::size_t most, std::size_t columns, std::size_t skip,
               float scale = 1.0f)
      : random_rows<Index, Value>(random, rows, most, columns, skip, scale) {
    this->batch = copy.batch;
  }

 private:
  guarded_batch<Index, Value> copy{this->index, this->value, this->batch};
};

}  // namespace hogwild::test
