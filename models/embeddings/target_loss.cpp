// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/target_loss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <hogwild/detail/math/vector_math.hpp>

namespace hogwild {
namespace {

/// The loss per unit of a violation under warp, if `violating` of `counted` targets violate the margin.
double warp_weight(std::size_t violating, std::size_t counted, std::size_t targets) {
  if (violating == 0) return 0.0;
  const auto all = static_cast<double>(targets);
  const double place = static_cast<double>(violating) * all / static_cast<double>(counted);
  return std::log1p(place) / (std::log1p(all) * static_cast<double>(violating));
}

double finite(float score) {
  return static_cast<double>(score);
}

}  // namespace

float target_loss_rule::derive(const embedding_kernels& kernels, std::span<float> scores, std::size_t counted,
                               float positive) const {
  float* const s = scores.data();
  const std::size_t n = scores.size();
  const float each = counted > 0 ? 1.0f / static_cast<float>(counted) : 0.0f;
  switch (kind) {
    case target_loss::softmax:
      return kernels.softmax(s, n, positive);
    case target_loss::pairwise:
      return kernels.pairwise(s, n, positive, each);
    case target_loss::logistic:
      return kernels.logistic(s, n, positive, contrast * each);
    case target_loss::hinge:
      return kernels.hinge(s, n, positive, margin, each);
    case target_loss::warp: {
      const std::size_t violating = kernels.count_above(s, n, positive - margin);
      return kernels.hinge(s, n, positive, margin, static_cast<float>(warp_weight(violating, counted, targets)));
    }
    case target_loss::self_adversarial:
      break;
  }
  return kernels.self_adversarial(s, n, positive, temperature);
}

double target_loss_rule::loss(std::span<const float> scores, std::size_t counted, float positive) const {
  const double p = finite(positive), none = -std::numeric_limits<double>::infinity();
  const double count = counted > 0 ? static_cast<double>(counted) : 1.0;
  const auto sum = [&](const auto& of_score) {
    double all = 0.0;
    for (const float s : scores)
      if (finite(s) != none) all += of_score(finite(s));
    return all;
  };
  switch (kind) {
    case target_loss::softmax: {
      const double top = std::max(p, scores.empty() ? none : finite(std::ranges::max(scores)));
      return top - p + std::log(std::exp(p - top) + sum([&](double s) { return std::exp(s - top); }));
    }
    case target_loss::pairwise:
      return sum([&](double s) { return soft_plus(s - p); }) / count;
    case target_loss::logistic:
      return soft_plus(-p) + static_cast<double>(contrast) * sum([](double s) { return soft_plus(s); }) / count;
    case target_loss::hinge:
    case target_loss::warp: {
      const float bound = positive - margin;
      const auto violating =
          static_cast<std::size_t>(std::ranges::count_if(scores, [&](float s) { return s > bound; }));
      const double all = sum([&](double s) { return std::max(0.0, static_cast<double>(margin) + s - p); });
      return all * (kind == target_loss::hinge ? 1.0 / count : warp_weight(violating, counted, targets));
    }
    case target_loss::self_adversarial:
      break;
  }
  const double by = static_cast<double>(temperature);
  const double top = scores.empty() ? 0.0 : by * finite(std::ranges::max(scores));
  const double total = sum([&](double s) { return std::exp(by * s - top); });
  return soft_plus(-p) +
         (total > 0.0 ? sum([&](double s) { return std::exp(by * s - top) / total * soft_plus(s); }) : 0.0);
}

}  // namespace hogwild
