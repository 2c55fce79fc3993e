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
#include <hogwild/core/sparse_dataset.hpp>

#include "cache_format.hpp"
#include "unique_fd.hpp"

namespace {

using namespace hogwild;

/// The bytes of a good cache, from which the inputs depart.
std::vector<std::byte> good_cache() {
  const sparse_dataset data = sparse_dataset::copy_of(parse_libsvm("1 1:1 3:2\n2 2:4\n3 2:5 3:7\n").view());
  detail::unique_fd fd(::open(data.shared_path().c_str(), O_RDONLY));
  std::vector<std::byte> bytes(8 * detail::cache_page);
  const ssize_t length = ::read(fd.get(), bytes.data(), bytes.size());
  if (length <= 0) std::abort();
  bytes.resize(static_cast<std::size_t>(length));
  return bytes;
}

void open_and_read(const std::vector<std::byte>& bytes) {
  const detail::unique_fd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  try {
    const sparse_dataset data = sparse_dataset::map("/proc/self/fd/" + std::to_string(fd.get()));
    data.verify();
    const sparse_view view = data.view();
    for (std::size_t r = 0; r < view.rows(); ++r)
      for (const auto [index, value] : view.row(r))
        if (index >= view.columns || data.numbering().rank(data.original(index)) == column_numbering::unknown)
          std::abort();
  } catch (const cache_error&) {
  }
}

}  // namespace

// Any bytes; and a good cache with some bytes overwritten, its header summed anew so that the input gets behind it. The
// input is a list of records: two bytes place, one byte length, then what to write there.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> good = good_cache();
  const auto* const input = reinterpret_cast<const std::byte*>(data);
  if (size > 0) open_and_read({input, input + size});
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
  if (!detail::header_fault(changed).empty()) return 0;
  // Now the blocks, so that only the ranges of rows and columns stand between the input and the reader.
  const detail::cache_arrays arrays(changed);
  for (std::uint64_t block = 0; block < header.blocks(); ++block) {
    const std::uint64_t first = block * header.rows_per_block;
    const std::uint64_t last = std::min(first + header.rows_per_block, header.rows);
    const std::uint64_t begin = arrays.row_start[first], end = arrays.row_start[last];
    if (begin <= end && end <= header.nonzeros)
      detail::cache_arrays::writable(arrays.block_checksum)[block] = detail::block_sum(arrays, block, end);
  }
  open_and_read(changed);
  return 0;
}
