// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Calibration: a map from a model's margins to probabilities of the larger of two labels, fitted on rows that the model
// was not trained on.

namespace hogwild {

/// The rule that makes probabilities of margins.
enum class calibration_kind : std::uint8_t {
  none,     ///< the model's own, if it has any
  platt,    ///< a sigmoid
  isotonic  ///< a function that never falls
};

/// A fitted map; without a kind there is none.
struct calibration {
  calibration_kind kind = calibration_kind::none;
  double slope = 0, intercept = 0;      ///< platt: p = 1 / (1 + exp(slope * margin + intercept))
  std::vector<double> margins{};        ///< isotonic: ascending, at least one
  std::vector<double> probabilities{};  ///< isotonic: at each of `margins`, in [0, 1], never falling

  explicit operator bool() const { return kind != calibration_kind::none; }
  /// The probability of the larger label. Isotonic: linear between two margins, and that of the nearest margin outside
  /// all of them. NaN for a margin that is NaN.
  double probability(double margin) const;
  /// Empty if the numbers are what the kind promises, and finite; else what is wrong with them.
  std::string fault() const;

  bool operator==(const calibration&) const = default;
};

/// Fits a map to the margins and labels of rows: one of each a row, labels above zero being the larger one, and
/// weights, finite and >= 0, or none: a row of weight k counts as k rows. Both labels occur with weights above 0, and
/// margins are finite; otherwise throws config_error.
///
/// Platt: the sigmoid with the least cross-entropy for the targets (P + 1) / (P + 2) of the larger label and 1 / (N +
/// 2) of the other one, where P and N are the weights of their rows (Platt 1999), by Newton's method with backtracking
/// (Lin, Lin and Weng 2007, "A note on Platt's probabilistic outputs for support vector machines"). Isotonic: the
/// function that never falls with the least sum of squares, by pooling adjacent violators (Zadrozny and Elkan 2002);
/// equal margins are one. Both as in scikit-learn.
calibration fit_calibration(calibration_kind kind, std::span<const double> margins, std::span<const float> labels,
                            std::span<const float> weights = {});

/// "none", "platt", "isotonic".
std::string_view name_of(calibration_kind kind);

}  // namespace hogwild
