// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/platform/device_code.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

namespace hogwild {

/// The loss of models whose score may have either of two meanings: logistic for binary labels, which are -1 and +1,
/// else half the squared error of numbers divided by `scale`, so that neither steps nor l2 depend on the numbers' unit.
HOGWILD_DEVICE_CODE inline double score_loss(label_kind labels, float scale, float score, float label) {
  return labels == label_kind::binary ? logistic{}.loss(score, label)
                                      : least_squares{}.loss(score / scale, label / scale);
}

/// Its derivative with respect to score / scale; for the logistic loss with respect to the score.
HOGWILD_DEVICE_CODE inline float score_slope(label_kind labels, float scale, float score, float label) {
  return labels == label_kind::binary ? logistic{}.derivative(score, label)
                                      : least_squares{}.derivative(score / scale, label / scale);
}

}  // namespace hogwild
