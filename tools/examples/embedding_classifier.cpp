// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>

#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>

/// Each column has an embedding, a row is the sum h of its columns' embeddings, and its score is head . h.
struct embedding_classifier {
  using scalar_type = float;
  using example_type = hogwild::sparse_row<float>;
  static constexpr std::size_t width = 8;
  using run = std::array<float, width>;
  static constexpr hogwild::label_kind labels = hogwild::label_kind::binary;  // a label is -1 or +1
  std::size_t features;

  std::size_t dim() const { return (features + 1) * width; }
  std::array<hogwild::parameter_group, 2> groups() const {
    return {{{.name = "embeddings", .rows = features, .width = width},  // row j belongs to column j
             {.name = "head",
              .offset = features * width,
              .rows = 1,
              .width = width,
              .hot_first = false,
              .step_factor = 0.1}}};  // every row of data moves the head: it takes smaller steps
  }
  void init(const auto& w, const auto& random) const {
    for (std::size_t i = 0; i < dim(); ++i) w.store(i, static_cast<float>(random.uniform(i) - 0.5));
  }

  double loss(const auto& w, const example_type& z) const { return std::log1p(std::exp(-z.label * predict(w, z))); }
  float predict(const auto& w, const example_type& z) const { return dot(head(w), sum(w, z)); }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const run u = head(w), h = sum(w, z);  // every read first,
    const float slope = -z.label / (1.0f + std::exp(z.label * dot(u, h)));
    emit.block(features * width, times(slope, h));  // then one emit a run
    for (auto [j, x] : z) emit.block(j * width, times(slope * x, u));
  }

 private:
  run head(const auto& w) const {
    run u;
    w.block(features * width, width).copy_to(u);  // dense runs are copied by vector instructions
    return u;
  }
  run sum(const auto& w, const example_type& z) const {
    run h{}, e;
    for (auto [j, x] : z) {
      w.block(j * width, width).copy_to(e);
      for (std::size_t k = 0; k < width; ++k) h[k] += x * e[k];
    }
    return h;
  }
  static run times(float by, run x) {
    for (float& v : x) v *= by;
    return x;
  }
  static float dot(const run& a, const run& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f); }
};
static_assert(hogwild::conforms<embedding_classifier>());

int main() {
  const auto data = hogwild::open_libsvm("train.svm");
  const auto run = hogwild::train(embedding_classifier{.features = data.features()}, data, hogwild::thread_engine{},
                                  {.epochs = 20, .step = {.initial = 0.2, .decay = 0.9}, .test = data.view()});
  std::printf("loss %.4f, accuracy %.4f\n", run.train_loss, run.test->accuracy.value());
}
