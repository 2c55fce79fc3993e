// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/libsvm.hpp>
#include <hogwild/core/row_cursor.hpp>
#include <hogwild/core/sparse_dataset.hpp>

#include "cache_format.hpp"
#include "dataset_writer.hpp"
#include "unique_fd.hpp"
#include "writable_arrays.hpp"

namespace {

using namespace hogwild;

std::vector<std::byte> bytes_of(const sparse_dataset& data) {
  detail::unique_fd fd(::open(data.shared_path().c_str(), O_RDONLY));
  std::vector<std::byte> bytes(10 * detail::cache_page);
  const ssize_t length = ::read(fd.get(), bytes.data(), bytes.size());
  if (length <= 0) std::abort();
  bytes.resize(static_cast<std::size_t>(length));
  return bytes;
}

/// Rows in the widths that only large data have.
sparse_dataset wide_rows(const libsvm_rows& rows) {
  detail::cache_header header;
  header.rows = rows.label.size();
  header.columns = rows.columns;
  header.nonzeros = rows.index.size();
  header.rows_per_block = 2;
  detail::dataset_writer file = detail::dataset_writer::in_memory(header);
  const detail::writable_arrays to(file.arrays());
  std::ranges::copy(rows.row_start, to.row_start.begin());
  std::ranges::copy(rows.index, to.index.begin());
  std::ranges::copy(rows.value, to.value.begin());
  std::ranges::copy(rows.label, to.label.begin());
  for (std::size_t j = 0; j < rows.columns; ++j) to.original[j] = static_cast<std::uint32_t>(j), to.degree[j] = 1;
  for (std::uint64_t block = 0; block < 2; ++block)
    file.seal_block(block, rows.row_start[std::min<std::size_t>(2 * (block + 1), header.rows)]);
  return std::move(file).finish();
}

/// The bytes of good caches, from which the inputs depart: everything narrow, and everything wide.
std::vector<std::vector<std::byte>> good_caches() {
  const libsvm_rows rows = parse_libsvm("1 1:1 3:2\n2 2:4\n3 2:5 3:7\n");
  return {bytes_of(sparse_dataset::copy_of(rows.view())), bytes_of(wide_rows(rows))};
}

void open_and_read(const std::vector<std::byte>& bytes) {
  const detail::unique_fd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  try {
    const sparse_dataset data = sparse_dataset::map("/proc/self/fd/" + std::to_string(fd.get()));
    data.verify();
    const sparse_view view = data.view();
    row_cursor cursor(view);
    for (std::size_t r = 0; r < view.rows(); ++r) {
      if (view.label.coded() && view.label.codes()[r] >= view.label.table().size()) std::abort();
      for (const auto [index, value] : cursor.row(r))
        if (index >= view.columns || data.numbering().rank(data.original(index)) == column_numbering::unknown)
          std::abort();
    }
  } catch (const cache_error&) {
  }
}

/// `good` with some bytes overwritten: as they are, then with the header summed anew, then with the blocks too, so that
/// the input gets behind one check after the other.
void change_and_read(const std::vector<std::byte>& good, const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> changed = good;
  for (std::size_t at = 0; at + 3 < size;) {
    const std::size_t place = (data[at] + 256u * data[at + 1]) % changed.size();
    const std::size_t length = std::min<std::size_t>({data[at + 2], size - at - 3, changed.size() - place});
    std::memcpy(changed.data() + place, data + at + 3, length);
    at += 3 + length;
  }
  open_and_read(changed);
  detail::cache_header header;
  std::memcpy(&header, changed.data(), sizeof header);
  header.checksum = detail::header_checksum(header);
  std::memcpy(changed.data(), &header, sizeof header);
  open_and_read(changed);
  if (!detail::header_fault(changed).empty()) return;
  // Now the blocks, so that only the ranges of rows, columns and labels stand between the input and the reader.
  const detail::cache_arrays arrays(changed);
  for (std::uint64_t block = 0; block < header.blocks(); ++block) {
    const std::uint64_t first = block * header.rows_per_block;
    const std::uint64_t last = std::min(first + header.rows_per_block, header.rows);
    const std::uint64_t begin = arrays.row_start[first], end = arrays.row_start[last];
    if (begin <= end && end <= header.nonzeros)
      detail::cache_arrays::writable(arrays.block_checksum)[block] = detail::block_sum(arrays, block, end);
  }
  open_and_read(changed);
}

}  // namespace

// Any bytes; and good caches that the input changes. The input is a list of records: two bytes place, one byte length,
// then what to write there.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::vector<std::byte>> good = good_caches();
  const auto* const input = reinterpret_cast<const std::byte*>(data);
  if (size > 0) open_and_read({input, input + size});
  for (const auto& cache : good) change_and_read(cache, data, size);
  return 0;
}
