// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>

#include <hogwild/detail/platform/checksum.hpp>
#include "data/cache_format.hpp"

#include "data/dataset_writer.hpp"
#include "data/packed_numbers.hpp"
#include "data/row_table.hpp"
#include "data/writable_arrays.hpp"
#include "platform/unique_fd.hpp"

namespace {

using namespace hogwild;

std::vector<std::byte> bytes_of(const sparse_dataset& data) {
  detail::unique_fd fd(::open(data.shared_path().c_str(), O_RDONLY));
  std::vector<std::byte> bytes(4096);
  const ssize_t length = ::read(fd.get(), bytes.data(), bytes.size());
  if (length <= 0 || length == static_cast<ssize_t>(bytes.size())) std::abort();
  bytes.resize(static_cast<std::size_t>(length));
  return bytes;
}

/// Rows in the widths that only large data have, and labels that are no codes.
sparse_dataset wide_rows(const libsvm_rows& rows) {
  detail::cache_header header;
  header.rows = rows.label.size();
  header.columns = rows.columns;
  header.nonzeros = rows.index.size();
  header.rows_per_block = 2;
  detail::dataset_writer file = detail::dataset_writer::in_memory(header);
  const detail::writable_arrays to(file.arrays());
  for (std::size_t r = 0; r <= header.rows; ++r) to.start_row(r, rows.row_start[r]);
  std::ranges::copy(rows.index, to.index.begin());
  std::ranges::copy(rows.value, to.value.begin());
  std::ranges::copy(rows.label, to.label.begin());
  for (std::size_t j = 0; j < rows.columns; ++j) to.original[j] = static_cast<std::uint32_t>(j), to.degree[j] = 1;
  for (std::uint64_t block = 0; block < 2; ++block)
    file.seal_block(block, rows.row_start[std::min<std::size_t>(2 * (block + 1), header.rows)]);
  return std::move(file).finish();
}

/// The bytes of good caches, which the inputs change: everything narrow, and everything wide.
std::vector<std::vector<std::byte>> good_caches() {
  const libsvm_rows rows = parse_libsvm("1 1:1 3:2\n2 2:4\n3 2:5 3:7\n");
  return {bytes_of(sparse_dataset::copy_of(rows.view())), bytes_of(wide_rows(rows))};
}

void open_and_read(const std::vector<std::byte>& bytes) {
  const detail::unique_fd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (::fchmod(fd.get(), 0600) != 0) std::abort();  // a file that others may write is not trusted
  if (::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  try {
    const sparse_dataset data = sparse_dataset::map("/proc/self/fd/" + std::to_string(fd.get()));
    data.verify();
    const sparse_view view = data.view();
    row_cursor cursor(view);
    for (std::size_t r = 0; r < view.rows(); ++r) {
      if (view.label.coded() && view.label.codes()[r] >= view.label.table().size()) std::abort();
      for (const auto [index, value] : cursor.row(r))
        if (index >= view.columns || data.numbering().position(data.original(index)) == column_numbering::unknown)
          std::abort();
    }
  } catch (const cache_error&) {
  }
}

/// Computes the checksums of the row tables anew, wherever the section table places them.
void sum_rows(std::vector<std::byte>& file, detail::cache_header& header) {
  for (detail::section_entry& entry : header.sections) {
    const bool of_rows =
        entry.kind == detail::section_kind::row_length || entry.kind == detail::section_kind::label_code;
    if (of_rows && entry.offset <= file.size() && entry.bytes <= file.size() - entry.offset)
      entry.checksum = detail::checksum(std::span<const std::byte>(file).subspan(entry.offset, entry.bytes));
  }
}

/// `good` with some bytes overwritten: as it is, then with new checksums of header and rows, then of the blocks too, so
/// that the input gets behind one check after the other.
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
  sum_rows(changed, header);
  header.checksum = detail::header_checksum(header);
  std::memcpy(changed.data(), &header, sizeof header);
  open_and_read(changed);
  if (!detail::header_fault(changed).empty()) return;
  // Now the blocks, so that only the range of columns stands between the input and the reader.
  detail::cache_arrays arrays(changed);
  const auto rows = detail::row_table::unpack(arrays);
  if (!rows) return;
  arrays.row_start = rows->starts();
  for (std::uint64_t block = 0; block < header.blocks(); ++block) {
    const std::uint64_t last = std::min((block + 1) * header.rows_per_block, header.rows);
    detail::cache_arrays::writable(arrays.block_checksum)[block] =
        detail::block_sum(arrays, block, arrays.row_start[last]);
  }
  open_and_read(changed);
}

}  // namespace

// Any bytes, as a cache and as packed numbers; and good caches that the input changes. The input is a list of records:
// two bytes place, one byte length, then what to write there.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::vector<std::byte>> good = good_caches();
  const auto* const input = reinterpret_cast<const std::byte*>(data);
  if (size > 0) open_and_read({input, input + size});
  if (size > 0) {
    const std::size_t count = data[0] * 8u;
    const auto numbers = detail::unpack_differences({input + 1, size - 1}, count);
    if (numbers && numbers->size() != count) std::abort();
  }
  for (const auto& cache : good) change_and_read(cache, data, size);
  return 0;
}
