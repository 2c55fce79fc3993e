// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/models.hpp>
#include <hogwild/saved_model.hpp>

#include "train_request.hpp"

// --calibrate: probabilities from the validation rows, which nobody trains on.

namespace hogwild::cli {

/// The validation rows of a run, to which its model is calibrated.
class rows_to_calibrate {
 public:
  /// `rows` are those that the run is given, `original` the input number of each of their columns, and `options` say
  /// which rows validate: the ones in them, or a fraction of `rows`, drawn as the run draws it. The views outlive this
  /// object. Throws config_error if the model does not have two labels, or the validation rows only one of them.
  rows_to_calibrate(const train_request& request, const named_model& m, const sparse_view& rows,
                    std::span<const std::uint32_t> original, const train_options& options);

  /// Fits the map of the request to the margins of the model that the run has trained, and keeps it in the model.
  /// Returns a sentence for the user if the margins do not tell the labels apart, else an empty text. Throws
  /// config_error if a margin is not finite.
  std::string calibrate(saved_model& saved) const;

 private:
  calibration_kind kind_;
  sparse_view rows_;
  std::vector<bool> held_;  ///< of the rows; empty: all
  std::vector<std::uint32_t> original_;
  label_map labels_;

  bool holds(std::size_t row) const { return held_.empty() || held_[row]; }
};

}  // namespace hogwild::cli
