// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/embeddings/target_table.hpp>

namespace hogwild {

/// An index of rows, by which near ones are found without a look at all of them: a graph of near rows by hnswlib
/// (Malkov and Yashunin, Efficient and robust approximate nearest neighbor search using hierarchical navigable small
/// world graphs, 2016). It finds most of what nearest_rows finds. The same rows make the same index. One thread at a
/// time may use it.
class row_index {
 public:
  /// As of nearest_rows; the rows are copied. It is empty, until one of the next two fills it. Throws config_error,
  /// which says what to install, where the library was built without hnswlib.
  row_index(std::span<const float> rows, std::size_t width, std::size_t unseen = 0);
  row_index(row_index&&) noexcept;
  ~row_index();

  /// By one thread, so that the order of rows decides.
  void build();
  /// Reads what write() wrote. Empty if all is well; otherwise the index is to be built, and the text says why: the
  /// file is that of other rows, or is not whole. Throws input_error if the file cannot be read, is no such file, or is
  /// not trusted (docs/security.md).
  std::string read(const std::string& path);
  /// The file, of the graph without the rows, appears whole or not at all. Throws what atomic_file throws.
  void write(const std::string& path) const;

  /// As of nearest_rows: for each of these rows at most `top` near ones, the nearest first.
  std::vector<std::vector<scored_target>> of(std::span<const std::uint32_t> asked, std::size_t top) const;

 private:
  struct graph;
  std::unique_ptr<graph> graph_;
};

}  // namespace hogwild
