// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Measures of probabilities. Each row has a forecast, the probability of one class: of the larger of two labels, or of
// the most probable of several classes. It has come true if the row belongs to this class. Plain functions, as in
// metrics.hpp; they take the weights of the rows, finite and >= 0, or none: a row of weight k counts as k rows.

namespace hogwild {

/// The probabilities that a model gives to rows, compared with the labels of these rows.
class forecasts {
 public:
  /// Of so many rows, none of which is set.
  explicit forecasts(std::size_t rows) : confidence_(rows), of_label_(rows), squared_(rows), came_(rows) {}

  /// Sets a row from its probabilities, all finite: the probability of the larger of two labels (one number; a `label`
  /// above zero is the larger one), or those of all classes (`label` is a class number below their count). Threads may
  /// set different rows at the same time.
  void set(std::size_t row, std::span<const double> probabilities, float label);
  /// Those of these rows, in this order.
  forecasts of(std::span<const std::size_t> rows) const;

  std::size_t rows() const { return came_.size(); }                   ///< set or not
  std::span<const double> confidence() const { return confidence_; }  ///< the forecast of each row
  std::span<const double> of_label() const { return of_label_; }      ///< the probability of each row's label
  std::span<const double> squared() const { return squared_; }        ///< each row's part of the Brier score
  bool came(std::size_t row) const { return came_[row] != 0; }        ///< whether the row's forecast came true

 private:
  std::vector<double> confidence_, of_label_, squared_;
  std::vector<std::uint8_t> came_;
};

/// The mean of -ln p, where p is the probability of the row's label, but at least 2^-52 (and at most 1 - 2^-52), so
/// that it is finite, as in scikit-learn; 0 without rows.
double log_loss(const forecasts& of, std::span<const float> weights = {});

/// The mean of (p - y)^2, where p is the probability of the larger of two labels and y is 1 if the row has it, else 0;
/// of several classes the mean of the sum of this over the classes (Brier 1950, "Verification of forecasts expressed
/// in terms of probability"); 0 without rows.
double brier_score(const forecasts& of, std::span<const float> weights = {});

/// Rows whose forecasts are alike.
struct reliability_bin {
  double weight = 0;      ///< of its rows
  double confidence = 0;  ///< mean forecast; 0 without rows
  double came = 0;        ///< fraction of its rows whose forecast came true; 0 without rows
};

inline constexpr std::size_t reliability_bins = 15;  ///< of equal width, from 0 to 1

/// Rows by their forecasts p: bin b has those with b / 15 <= p < (b + 1) / 15, and the last bin also those with p = 1.
std::array<reliability_bin, reliability_bins> reliability(const forecasts& of, std::span<const float> weights = {});

/// The expected calibration error: the mean over all rows of |fraction that came true - mean forecast| of the row's
/// bin of reliability(); 0 without rows. For two labels as Naeini, Cooper and Hauskrecht 2015 ("Obtaining well
/// calibrated probabilities using Bayesian binning"), for several classes as Guo, Pleiss, Sun and Weinberger 2017 ("On
/// calibration of modern neural networks").
double expected_calibration_error(const forecasts& of, std::span<const float> weights = {});

}  // namespace hogwild
