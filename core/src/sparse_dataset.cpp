// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/sparse_dataset.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <system_error>

#include <hogwild/core/error.hpp>

#include "dataset_mapping.hpp"
#include "dataset_writer.hpp"
#include "ingest.hpp"

namespace hogwild {

sparse_view sparse_dataset::view() const {
  const detail::cache_arrays& arrays = mapping_->arrays();
  return {.row_start = arrays.row_start,
          .index = arrays.index,
          .value = arrays.value,
          .label = arrays.label,
          .columns = arrays.header.columns,
          .degree = mapping_->degree(),
          .source = mapping_.get()};
}

std::size_t sparse_dataset::rows() const {
  return mapping_->arrays().header.rows;
}
std::size_t sparse_dataset::features() const {
  return mapping_->arrays().header.columns;
}
std::size_t sparse_dataset::nonzeros() const {
  return mapping_->arrays().header.nonzeros;
}
std::uint32_t sparse_dataset::original(std::size_t rank) const {
  return mapping_->original()[rank];
}
const column_numbering& sparse_dataset::numbering() const {
  return mapping_->numbering();
}
std::size_t sparse_dataset::unknown_entries() const {
  return mapping_->arrays().header.unknown_entries;
}
std::string sparse_dataset::shared_path() const {
  return mapping_->path();
}
bool sparse_dataset::from_cache() const {
  return mapping_->from_cache();
}
void sparse_dataset::verify() const {
  mapping_->verify();
}

sparse_dataset sparse_dataset::map(const std::string& shared_path) {
  detail::unique_fd fd(::open(shared_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct ::stat state {};
  if (!fd || ::fstat(fd.get(), &state) != 0)
    throw cache_error(shared_path, shared_path + ": cannot be opened: " + std::generic_category().message(errno));
  if (!S_ISREG(state.st_mode) || state.st_size == 0)
    throw cache_error(shared_path, shared_path + ": is no dataset cache");
  try {
    return dataset_access::open(std::move(fd), shared_path, true);
  } catch (const cache_error& fault) {
    throw cache_error(shared_path, shared_path + ": the cache " + fault.what() +
                                       "; delete it and open the source again, which writes a new one");
  }
}

namespace {

void check_rows(const sparse_view& rows) {
  if (rows.rows() == 0) throw input_error("the data in memory have no rows");
  if (rows.columns >= column_numbering::unknown)
    throw input_error("the data in memory have more than 4294967294 columns");
  const bool sized = rows.row_start.size() == rows.rows() + 1 &&
                     std::is_sorted(rows.row_start.begin(), rows.row_start.end()) &&
                     rows.row_start.back() <= std::min(rows.index.size(), rows.value.size());
  if (!sized)
    throw input_error(
        "the data in memory do not hold together: row_start must ascend, with one entry more "
        "than there are labels, and end within index and value");
  const auto begin = rows.index.begin() + static_cast<std::ptrdiff_t>(rows.row_start.front());
  const auto wrong = std::find_if(begin, begin + static_cast<std::ptrdiff_t>(rows.nonzeros()),
                                  [&](std::uint32_t j) { return j >= rows.columns; });
  if (wrong != begin + static_cast<std::ptrdiff_t>(rows.nonzeros()))
    throw input_error("the data in memory have the column " + std::to_string(*wrong) + ", but only " +
                      std::to_string(rows.columns) + " columns (counted from 0)");
}

}  // namespace

sparse_dataset sparse_dataset::copy_of(const sparse_view& rows) {
  check_rows(rows);
  rows.ensure(0, rows.rows());
  detail::cache_header sizes;
  sizes.rows = rows.rows();
  sizes.columns = rows.columns;
  sizes.nonzeros = rows.nonzeros();
  sizes.rows_per_block = detail::rows_per_block(sizes.rows, sizes.nonzeros);
  detail::dataset_writer file = detail::dataset_writer::in_memory(sizes);
  const auto writable = [](auto section) { return detail::cache_arrays::writable(section); };
  const detail::cache_arrays& arrays = file.arrays();
  const std::uint64_t first = rows.row_start.front();
  std::transform(rows.row_start.begin(), rows.row_start.end(), writable(arrays.row_start).begin(),
                 [&](std::uint64_t start) { return start - first; });
  const auto index = rows.index.subspan(first, sizes.nonzeros);
  std::copy(index.begin(), index.end(), writable(arrays.index).begin());
  const auto value = rows.value.subspan(first, sizes.nonzeros);
  std::copy(value.begin(), value.end(), writable(arrays.value).begin());
  std::copy(rows.label.begin(), rows.label.end(), writable(arrays.label).begin());
  const auto original = writable(arrays.original), degree = writable(arrays.degree);
  std::iota(original.begin(), original.end(), std::uint32_t{0});
  for (const std::uint32_t j : index) ++degree[j];
  for (std::uint64_t block = 0; block < sizes.blocks(); ++block)
    file.seal_block(block, arrays.row_start[std::min((block + 1) * sizes.rows_per_block, sizes.rows)]);
  return std::move(file).finish();
}

}  // namespace hogwild
