// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/label_column.hpp>

namespace hogwild {

/// How a model interprets the numbers in the label column.
enum class label_kind : std::uint32_t {
  real,    ///< regression: the number itself
  binary,  ///< exactly two values; the larger trains as +1, the smaller as -1
  classes  ///< any set of values, sorted; trains as 0, 1, ... in that order
};

/// The map between labels as read and labels as trained on; saved with the model.
class label_map {
 public:
  label_map() = default;
  label_map(label_kind kind, std::vector<double> values);

  /// Finds the values that occur. Throws input_error with the values and counts found if they do not suit `kind`
  /// (binary: not exactly two; classes: fewer than two, more than 1,048,576, or more than 65,536 that are not whole),
  /// if rows have lists of labels and `kind` is not classes, or if a label other than a number to be predicted is
  /// rounded (label_column::rounded()). `source` names the data in the message.
  static label_map learn(label_kind kind, const label_column& labels, const std::string& source);

  label_kind kind() const { return kind_; }
  std::span<const double> values() const { return values_; }  ///< sorted; empty for real
  std::size_t classes() const { return values_.size(); }

  /// The label in the encoding that the model trains on. The label must be known; see require_known.
  float encode(double label) const {
    // Computed, because a branch on labels in random order is mispredicted every other time.
    if (kind_ == label_kind::binary) return 2.0f * static_cast<float>(label == values_[1]) - 1.0f;
    return kind_ == label_kind::real ? static_cast<float>(label) : static_cast<float>(number_of(label));
  }
  /// The class numbers of the labels of row r with lists, ascending, in `room`.
  std::span<const std::uint32_t> encode_list(const label_column& labels, std::size_t r,
                                             std::vector<std::uint32_t>& room) const;
  /// The label as read, from a sign (binary; zero counts as the smaller value), a class number, or the number itself.
  double decode(double predicted) const;

  /// Throws input_error if a label did not occur in training, with the first such label, its row (from 1) and `source`;
  /// also for lists if the kind is not classes, and for labels that are rounded. `ids`: the numbers of the rows in the
  /// input, from 0; empty: rows are in its order. `declared`: the known labels were not learned, but declared;
  /// then the row is left out without `ids`.
  void require_known(const label_column& labels, const std::string& source, std::span<const std::uint32_t> ids = {},
                     bool declared = false) const;

  /// Throws input_error for rows that have lists of labels; the message calls the data `source`.
  static void refuse_lists(const label_column& labels, const std::string& source);

  bool operator==(const label_map&) const = default;

 private:
  std::uint32_t number_of(double label) const;
  label_kind kind_ = label_kind::real;
  std::vector<double> values_;
};

}  // namespace hogwild
