// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <hogwild/detail/kernels/embedding_kernels.hpp>

namespace hogwild {

/// Losses of a source's scores, in which s_1 ... s_K belong to negative targets and p to the positive one:
///
///   softmax           log(1 + sum of e^(s_k - p))
///   pairwise          mean of log(1 + e^(s_k - p)), as in BPR (Rendle and others, 2009)
///   logistic          log(1 + e^-p) + contrast * mean of log(1 + e^s_k)
///   hinge             mean of max(0, margin + s_k - p)
///   warp              L * the mean of margin + s_k - p over the c targets with s_k > p - margin, with
///                     L = log(1 + c N / K) / log(1 + N), N targets in all: 1 for the worst rank (Weston, Bengio,
///                     Usunier, WSABIE, 2011, with all drawn targets in the place of the first that violates)
///   self_adversarial  log(1 + e^-p) + sum of a_k log(1 + e^s_k), a = softmax of temperature * s, taken as constants
///                     (Sun and others, RotatE, 2019, equation 5)
///
/// Means are over the targets whose score is not minus infinity. L and a are constants for the derivatives.
enum class target_loss : unsigned char { softmax, pairwise, logistic, hinge, warp, self_adversarial };

/// A loss with its constants.
struct target_loss_rule {
  target_loss kind = target_loss::softmax;
  float margin = 1.0f;       ///< of hinge and warp
  float temperature = 1.0f;  ///< of self_adversarial
  float contrast = 1.0f;     ///< of logistic
  std::size_t targets = 1;   ///< N, for warp

  /// Replaces scores, of which there is a multiple of 16, by derivatives and returns the derivative with respect to p.
  /// `counted`: how many scores are not minus infinity.
  float derive(const embedding_kernels& kernels, std::span<float> scores, std::size_t counted, float positive) const;
  /// The loss, in double precision.
  double loss(std::span<const float> scores, std::size_t counted, float positive) const;
};

}  // namespace hogwild
