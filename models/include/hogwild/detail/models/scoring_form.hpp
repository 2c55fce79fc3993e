// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hogwild {

/// The formula from margins to a prediction or a probability.
enum class link_kind : std::uint32_t {
  identity,     ///< m: there is no probability
  logistic,     ///< 1 / (1 + exp(-m)): the probability of the larger label, or of a class by itself
  clipped,      ///< (m + 1) / 2, cut off at 0 and 1: likewise
  exponential,  ///< exp(min(m, 30)): the predicted number
  softmax       ///< exp(m_k) / sum_i exp(m_i): the probability of class k
};

/// The way from the margins of a row to what is predicted.
enum class decision_kind : std::uint32_t {
  number,    ///< the link of the only margin
  sign,      ///< of two labels the larger one if the only margin is above 0
  greatest,  ///< the class of the greatest margin, of several the first
  mean,  ///< of models of two labels: by the mean of their probabilities, or margins; else the mean of their numbers
  vote   ///< the label that most models predict; with equal votes, by the mean of the margins
};

/// The word for a link or a decision, in exported models.
std::string_view name_of(link_kind link);
/// \copydoc name_of(link_kind)
std::string_view name_of(decision_kind decision);

/// A model as sums over the columns of a row, which another program can compute. With the entries x_j of a row, margin
/// k is
///
///   m_k = intercept_k + sum_j weight_jk x_j + 1/2 sum_f [(sum_j factor_jf x_j)^2 - sum_j (factor_jf x_j)^2]
///
/// and the last sum is there only if the model has factors; it then has one margin.
struct scoring_form {
  decision_kind decision = decision_kind::number;  ///< what the margins mean
  link_kind link = link_kind::identity;            ///< of the margins
  std::size_t outputs = 1;                         ///< margins of a row
  std::size_t factors = 0;                         ///< of each column; 0: there are none
  std::vector<float> weights{};                    ///< columns x outputs: those of a column are adjacent
  std::vector<float> intercept{};                  ///< one for each margin
  std::vector<float> factor_rows{};                ///< columns x factors: those of a column are adjacent

  /// Whether several models make the prediction together.
  bool of_ensemble() const { return decision == decision_kind::mean || decision == decision_kind::vote; }
  /// Whether it tells probabilities of labels.
  bool tells_probabilities() const {
    return decision != decision_kind::number && decision != decision_kind::vote && link != link_kind::identity;
  }
};

namespace detail {

/// The form of a linear model whose parameters are its weights, those of a column adjacent, and then one constant term
/// for each margin, or none.
scoring_form linear_form(decision_kind decision, link_kind link, std::size_t outputs, std::size_t columns,
                         std::span<const float> parameters);

/// The link that computes what `f` does, known by its values; nothing if there is none.
std::optional<link_kind> link_like(const std::function<double(float margin)>& f);

}  // namespace detail
}  // namespace hogwild
