// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/class_loss.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/toy_data.hpp"

namespace {

using namespace hogwild;

constexpr std::size_t lanes = 16, examples = 11;

/// Lists of one, two or three classes.
std::vector<std::uint32_t> list_of(std::size_t k, std::size_t classes) {
  std::vector<std::uint32_t> list;
  for (std::size_t i = 0; i <= k % 3; ++i) list.push_back(static_cast<std::uint32_t>((k * 2 + i * 5) % classes));
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Scores of 16 lanes, some of which are not examples, and their losses by the formula.
struct listed_scores {
  listed_scores(std::size_t of, bool one_vs_rest)
      : classes(of), rest(one_vs_rest), loss(of, one_vs_rest, isa::automatic, lanes, lanes) {
    memory = private_memory((2 * classes + 1) * lanes * sizeof(float));
    values = reinterpret_cast<float*>(memory.base());
    std::ranges::copy(test::noise_vector(classes * lanes, 5, -3.0, 3.0), values);
    std::fill_n(values + classes * lanes, classes * lanes, 7.0f);
    for (std::size_t k = 0; k < examples; ++k) {
      part()[k] = static_cast<float>(weight(k) / double{examples});
      lists.push_back(list_of(k, classes));
      loss.take(k, {{}, {}, static_cast<float>(lists[k].front()), lists[k]});
    }
  }
  net_outputs at() {
    return {
        .examples = examples, .rows = lanes, .values = values, .part = part(), .partials = values + classes * lanes};
  }
  float* part() { return values + 2 * classes * lanes; }
  double weight(std::size_t k) const { return static_cast<double>(k % 4) / 2.0; }
  double score(std::size_t k, std::size_t c) const { return static_cast<double>(values[c * lanes + k]); }
  bool has(std::size_t k, std::size_t c) const { return std::ranges::count(lists[k], c) > 0; }
  double sum(std::size_t k) const {
    double all = 0.0;
    for (std::size_t c = 0; c < classes; ++c) all += std::exp(score(k, c));
    return all;
  }
  double expected_loss(std::size_t k) const {
    double all = 0.0;
    for (std::size_t c = 0; c < classes; ++c) {
      if (rest)
        all += std::log1p(std::exp(has(k, c) ? -score(k, c) : score(k, c)));
      else if (has(k, c))
        all += (std::log(sum(k)) - score(k, c)) / static_cast<double>(lists[k].size());
    }
    return all;
  }
  double expected_partial(std::size_t k, std::size_t c) const {
    const double target = !has(k, c) ? 0.0 : rest ? 1.0 : 1.0 / static_cast<double>(lists[k].size());
    const double p = rest ? 1.0 / (1.0 + std::exp(-score(k, c))) : std::exp(score(k, c)) / sum(k);
    return weight(k) * (p - target) / double{examples};
  }

  std::size_t classes;
  bool rest;
  class_loss loss;
  private_memory memory;
  float* values = nullptr;
  std::vector<std::vector<std::uint32_t>> lists{};
};

TEST(class_loss, loss_and_partials_are_those_of_the_formula) {
  for (const bool rest : {false, true}) {
    for (const std::size_t classes : {2u, 7u, 1300u}) {  // more factors than a product holds
      listed_scores f(classes, rest);
      std::vector<row_score> scores(examples);
      std::vector<float> of_classes(examples * classes);
      f.loss.score(f.at(), scores, of_classes);
      f.loss.differentiate(f.at());
      for (std::size_t k = 0; k < examples; ++k) {
        EXPECT_NEAR(scores[k].loss, f.expected_loss(k), 2e-6 * (1.0 + f.expected_loss(k))) << classes << " " << k;
        std::size_t best = 0;
        for (std::size_t c = 0; c < classes; ++c) {
          if (f.score(k, c) > f.score(k, best)) best = c;
          EXPECT_EQ(static_cast<double>(of_classes[k * classes + c]), f.score(k, c));
          EXPECT_NEAR(static_cast<double>(f.at().partials[c * lanes + k]), f.expected_partial(k, c), 1e-7);
        }
        EXPECT_EQ(scores[k].score, static_cast<float>(best));
      }
      for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t l = examples; l < lanes; ++l) EXPECT_EQ(f.at().partials[c * lanes + l], 0.0f) << "no example";
    }
  }
}

TEST(class_loss, differs_where_a_row_has_several_classes_or_each_is_told_apart) {
  class_loss plain(4, false, isa::automatic, 2, lanes), rest(4, true, isa::automatic, 2, lanes);
  const std::array<std::uint32_t, 2> two{1, 3};
  for (class_loss* const loss : {&plain, &rest}) {
    loss->take(0, {{}, {}, 2.0f});
    loss->take(1, {{}, {}, 1.0f, two});
  }
  EXPECT_FALSE(plain.differs(1));
  EXPECT_TRUE(plain.differs(2));
  EXPECT_TRUE(rest.differs(1));
}

TEST(class_loss, a_row_to_predict_may_have_any_label) {
  listed_scores f(3, false);
  std::vector<row_score> scores(examples);
  for (std::size_t k = 0; k < examples; ++k) f.loss.take(k, {{}, {}, k % 2 == 0 ? 17.0f : -1.0f});
  f.loss.score(f.at(), scores, {});
  for (const row_score& said : scores) EXPECT_TRUE(std::isfinite(said.loss));
}

}  // namespace
