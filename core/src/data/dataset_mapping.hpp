// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/interprocess/mapped_region.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/data/label_spelling.hpp>

#include "data/cache_format.hpp"
#include "data/row_stream.hpp"
#include "data/row_table.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild {
namespace detail {

/// A dataset file mapped for reading, and a record of which parts this process has checked.
class dataset_mapping : public row_source {
 public:
  /// Maps `fd` and unpacks the rows. Other processes open `path`. Throws cache_error, with the end of a sentence as
  /// from header_fault(), if header, section table or rows are invalid. A file of more bytes than `memory`, by default
  /// than most of this process's memory, is streamed (row_stream.hpp).
  dataset_mapping(unique_fd fd, std::string path, bool from_cache, std::optional<std::uint64_t> memory = {});

  const cache_arrays& arrays() const { return *arrays_; }
  const std::string& path() const { return path_; }
  bool from_cache() const { return from_cache_; }

  void ensure(std::size_t first, std::size_t last) const override;
  bool streams() const override { return stream_ != nullptr; }
  void announce(std::size_t first, std::size_t last) const override { stream_->announce(first, last); }
  void release(std::size_t first, std::size_t last) const override { stream_->release(first, last); }
  double waited() const override { return stream_ == nullptr ? 0.0 : stream_->waited(); }
  /// Through the descriptor, so that others map this very file even if its path now leads to another one.
  std::string shared_path() const override {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_.get());
  }
  /// Checks everything, also what one pass over the numbers cannot show: that columns are distinct, and their counts.
  void verify() const;
  /// The first caller checks the section (cache_meaning.hpp).
  std::span<const std::uint32_t> degree() const;
  std::span<const std::uint32_t> original() const;
  label_column label() const;
  const label_spelling& spelling() const;
  /// The meaning of the columns, for tables (formats/table_schema.hpp); empty for other rows.
  std::span<const std::byte> schema() const;
  /// What the text stated for the rows, in its order.
  const stated_numbers& stated() const;
  /// What columns consist of.
  const column_parts& parts() const;
  const column_numbering& numbering() const;

 private:
  void check_blocks(std::size_t first, std::size_t last) const;
  [[noreturn]] void damaged(const std::string& part) const;
  bool sum_holds(section_kind kind) const;
  void unpack_rows();
  /// original(), if the checks of other sections need it; else empty.
  std::span<const std::uint32_t> columns_to_look_at() const;
  /// Checks a section with one number for each column and, if it is packed, unpacks it.
  void read_columns(section_kind plain, section_kind packed, const char* part,
                    std::vector<std::uint32_t>& unpacked) const;

  unique_fd fd_;
  std::string path_;
  bool from_cache_;
  boost::interprocess::mapped_region region_;
  std::optional<cache_arrays> arrays_;
  row_table rows_;
  std::unique_ptr<std::atomic<bool>[]> checked_;
  std::unique_ptr<row_stream> stream_;  ///< null if everything fits into memory
  mutable std::once_flag degree_once_, original_once_, label_once_, numbering_once_;
  mutable std::vector<std::uint32_t> degree_, original_;  ///< if the file has them packed
  mutable column_numbering numbering_;
  mutable label_spelling spelling_;
  mutable std::span<const std::byte> schema_;
  mutable stated_numbers stated_;
  mutable column_parts parts_;
  mutable label_column label_;
};

/// Maps all of `fd`. Throws resource_error if there is no address space or the file system refuses.
boost::interprocess::mapped_region map_whole(const unique_fd& fd, boost::interprocess::mode_t mode,
                                             const std::string& path);

}  // namespace detail

struct sparse_dataset::mapping : detail::dataset_mapping {
  using dataset_mapping::dataset_mapping;
};

/// How the library makes handles.
struct dataset_access {
  using mapping = sparse_dataset::mapping;
  /// Sets whether the rows are in the order of shuffled_rows(), as in a training set, or in that of the input, and the
  /// weights, offsets and groups that the text stated.
  static sparse_dataset in_order(sparse_dataset data, bool shuffled) {
    data.shuffled_ = shuffled;
    if (data.mapping_->arrays().header.stated == 0) return data;
    const detail::stated_numbers& stated = data.mapping_->stated();
    if (!stated.weight.empty()) data.set_weights(stated.weight);
    if (!stated.offset.empty()) data.set_offsets(stated.offset);
    if (stated.groups.any()) data.set_groups(stated.groups.of_row(), stated.groups.names());
    return data;
  }
  /// Sets view().id for rows that were given in this order.
  static void set_ids(sparse_dataset& data, std::vector<std::uint32_t> ids) {
    data.numbers_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(ids));
  }
  /// The time of each row, where the text states it: in the order of the rows, whether shuffled or not.
  static std::vector<double> times_of(const sparse_dataset& data);
  /// The same rows with these parts of their columns, in memory, and the times that the text stated for the rows.
  static sparse_dataset with_parts(const sparse_view& rows, const column_parts& parts, std::vector<double> times);
  /// How many labels that the training data do not have were left out of rows that have others.
  static std::uint64_t labels_left_out(const sparse_dataset& data) {
    return data.mapping_->arrays().header.stated == 0 ? 0 : data.mapping_->stated().left_out;
  }
  /// Names labels that are words, where the file does not.
  static void set_label_words(sparse_dataset& data, std::span<const std::string> words) {
    if (!words.empty())
      data.label_words_ = std::make_shared<const std::vector<std::string>>(words.begin(), words.end());
  }
  static sparse_dataset copy_of(const sparse_view& rows, std::span<const std::size_t> chosen, const column_parts& parts,
                                std::vector<double> times);
  static const mapping& mapping_of(const sparse_dataset& data) { return *data.mapping_; }
  static sparse_dataset make(std::shared_ptr<const sparse_dataset::mapping> mapping) {
    return sparse_dataset(std::move(mapping));
  }
  template <class... Args>
  static sparse_dataset open(Args&&... args) {
    return make(std::make_shared<const sparse_dataset::mapping>(std::forward<Args>(args)...));
  }
};

}  // namespace hogwild
