// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/glove.hpp>

#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/model/kernel_models.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

namespace hogwild {
namespace {

static_assert(conforms<glove>() && factor_model<glove> && segment_storable<glove>);

/// Three words of two numbers, in rows of 16 floats: words from 0 on, contexts from 48, biases from 96.
struct three_words : testing::Test {
  three_words() {
    m.users = m.items = 3, m.factors = 2, m.full_weight_from = std::log(16.0f);
    w.resize(m.dim());
    w[16] = 1.0f, w[17] = -2.0f;               // word 1
    w[48 + 32] = 0.5f, w[48 + 33] = 0.25f;     // context 2
    w[96 + 1] = 0.125f, w[96 + 3 + 2] = 2.0f;  // their biases
  }
  sparse_row<float> pair(float label) const { return {index, value, label}; }
  param_reader<float> reader() { return {w.data(), w.size()}; }

  glove m;
  std::vector<float> w;
  std::vector<std::uint32_t> index{1, 3 + 2};
  std::vector<float> value{1.0f, 1.0f};
  const vocabulary words{{{"a", 9}, {"b", 8}, {"c", 7}}};
};

// w . c = 0, and the score 2.125. A pair that counts 1 weighs (1 / 16)^(3/4) = 1/8, one of 16 or more 1.
TEST_F(three_words, the_loss_is_the_formula) {
  EXPECT_FLOAT_EQ(m.predict(reader(), pair(0.0f)), 2.125f);
  EXPECT_NEAR(m.loss(reader(), pair(0.0f)), 0.5 * 2.125 * 2.125 / 8, 1e-6);
  for (const float count : {16.0f, 100.0f}) {
    const double error = 2.125 - std::log(static_cast<double>(count));
    EXPECT_NEAR(m.loss(reader(), pair(std::log(count))), 0.5 * error * error, 1e-6);
  }
  std::map<std::size_t, float> found;
  struct collector {
    std::map<std::size_t, float>& out;
    void operator()(std::size_t j, float g) const { out[j] += g; }
    void block(std::size_t offset, std::span<const float> g) const {
      for (std::size_t i = 0; i < g.size(); ++i) out[offset + i] += g[i];
    }
  };
  m.gradient(reader(), pair(0.0f), collector{found});
  const float slope = 2.125f / 8;
  EXPECT_FLOAT_EQ(found[16], slope * 0.5f);
  EXPECT_FLOAT_EQ(found[17], slope * 0.25f);
  EXPECT_FLOAT_EQ(found[48 + 32], slope);
  EXPECT_FLOAT_EQ(found[48 + 33], slope * -2.0f);
  EXPECT_FLOAT_EQ(found[97], slope);
  EXPECT_FLOAT_EQ(found[101], slope);
}

TEST_F(three_words, vectors_are_the_sums_of_both) {
  const word_vectors v = vectors_of(m, w, words);
  EXPECT_EQ(v.words, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(v.values, (std::vector<float>{0, 0, 1, -2, 0.5f, 0.25f}));
  std::vector<float> again(m.dim());
  EXPECT_EQ(warm_start(v, m, words, again), 12u);
  EXPECT_EQ(vectors_of(m, again, words), v);
  EXPECT_EQ(again[16], again[48 + 16]);
  EXPECT_THROW(vectors_of(m, w, vocabulary{}), config_error);
}

TEST(glove_descriptor, options_are_checked) {
  for (const auto& [name, text] : {std::pair{"dimension", "0"}, {"window", "1001"}, {"x-max", "-1"}, {"x-max", "1e60"}})
    EXPECT_THROW(make_model("glove", {}, {{name, text}}), config_error) << name;
  EXPECT_EQ(std::get<glove>(make_model("glove", {}, {{"x-max", "100"}})).full_weight_from, std::log(100.0f));
}

}  // namespace
}  // namespace hogwild
