// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/glove.hpp>

#include <cmath>
#include <cstddef>
#include <memory>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

class glove_descriptor final : public descriptor_for<glove> {
 public:
  glove_descriptor()
      : descriptor_for(
            {.summary = "vectors of words from how often words stand near each other",
             .input = model_input::corpus,
             .options = {count_option("dimension", glove::usual_dimension, "numbers of a word's vector"),
                         count_option("window", glove::usual_window, "neighbours on each side of a word that count"),
                         number_option("x-max", glove::usual_x_max,
                                       "pairs of words weigh more by their count up to this one")},
             .uses = {"min-count", "ownership"},
             .no_bias = "words and their contexts have biases of their own: leave out --bias and --no-bias",
             .cooccurrences = true}) {}

  void check(const model_options& options) const override {
    if (const std::size_t n = options.count("dimension", 1); n < 1 || n > 65'536)
      throw config_error("word vectors have 1 to 65536 dimensions");
    if (const std::size_t n = options.count("window", 1); n < 1 || n > 1000)
      throw config_error("a window has 1 to 1000 words on each side");
    if (const double x = options.number("x-max", 1.0); !(x > 0.0 && std::isfinite(static_cast<float>(x))))
      throw config_error("--x-max is a count of words, above 0");
  }

  named_model make(const model_data& data, const model_options& options) const override {
    glove m;
    m.users = m.items = data.features() / 2;
    m.factors = options.count("dimension", glove::usual_dimension);
    m.full_weight_from = static_cast<float>(std::log(options.number("x-max", glove::usual_x_max)));
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model&) const override {
    throw input_error("word vectors say nothing of rows; measure them with 'hogwild evaluate'");
  }

 private:
  saved_model save_model(const glove&, const trained_parameters&) const override {
    throw config_error("the parameters of glove are saved as word vectors");
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<glove>() {
  static const glove_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
