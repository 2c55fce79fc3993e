// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/core/labels.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

namespace hogwild {

/// The loss of models whose score may mean either of two things: logistic for binary labels, which are -1 and +1, else
/// half the squared error.
inline double score_loss(label_kind labels, float score, float label) {
  return labels == label_kind::binary ? logistic{}.loss(score, label) : least_squares{}.loss(score, label);
}

/// Its derivative by the score.
inline float score_slope(label_kind labels, float score, float label) {
  return labels == label_kind::binary ? logistic{}.derivative(score, label) : least_squares{}.derivative(score, label);
}

}  // namespace hogwild
