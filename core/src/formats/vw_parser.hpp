// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <hogwild/formats/tables.hpp>

#include "data/row_block.hpp"
#include "data/row_format.hpp"

namespace hogwild::detail {

/// Parses lines of Vowpal Wabbit's text: "[label [importance [base]]] [tag]|namespace[:weight] feature[:value] ...".
/// Columns are those of its hash. Any number of threads may parse blocks at the same time.
class vw_parser {
 public:
  /// The columns of the schema are the features, and the groups of namespaces that are ignored or combined.
  explicit vw_parser(const table_schema& schema);

  std::size_t capacity(std::string_view text) const;
  /// Parses whole lines, as row_format::parse.
  void parse(std::string_view text, const block_context& context, row_block& rows) const;

 private:
  struct reading;
  struct feature {
    std::uint64_t hash;
    float value;
  };
  struct name_space {
    std::string_view name{};
    std::uint64_t hash = 0;
    float weight = 1.0f;
    std::uint64_t without_name = 0;  ///< features in it so far
  };
  /// Room for the entries of a line.
  std::size_t room_of(std::string_view line) const;
  /// Neither runs nor interactions are asked for.
  bool is_plain() const { return grams_.empty() && interactions_.empty(); }
  bool read_line(reading& in, std::string_view line) const;
  bool read_head(reading& in, std::string_view head) const;
  bool read_namespaces(reading& in, std::string_view line, std::size_t bar) const;
  bool read_feature(reading& in, name_space& of, std::string_view line, std::size_t begin, std::size_t end) const;
  void add_ngrams(std::vector<feature>& features) const;
  bool add_interactions(reading& in) const;

  std::uint64_t mask_;
  std::array<bool, 256> ignored_{};                         ///< groups, by the first byte of their namespaces
  std::vector<std::vector<unsigned char>> interactions_{};  ///< groups
  std::vector<std::vector<std::size_t>> grams_{};  ///< for each kind of n-gram the places of its words after the first
};

}  // namespace hogwild::detail
