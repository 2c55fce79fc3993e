// SPDX-License-Identifier: Apache-2.0
// Learns a knowledge graph from files of triples, "head relation tail": distmult TRAIN TEST
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include <hogwild/embeddings.hpp>
#include <hogwild/formats/triples.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>

/// The score of a triple is the sum over k of h_k r_k t_k. It asks for the tail and for the head, each by the softmax
/// of the answer among entities that are drawn for a whole batch.
struct distmult {
  using scalar_type = float;
  static constexpr std::size_t width = 256, negatives = 512, measured_rows = 20'000;
  static constexpr bool emits_sums = true, emits_rows = true, repeats = true, scored = false;
  static constexpr hogwild::sharing_kind sharing = hogwild::sharing_kind::direct;
  static constexpr hogwild::training_defaults defaults{
      .step = 0.2, .optimizer = hogwild::optimizer_kind::row_adagrad, .batch = 128};
  struct question {
    std::uint32_t entity = 0, relation = 0, answer = 0;  // columns of the data, and rows of the parameters
    std::array<float, width> e{}, r{};                   // vectors of entity and relation, and later their gradients
  };
  struct workspace {
    hogwild::drawn_block block;
    std::vector<question> questions;
  };
  std::size_t entities, relations;
  std::size_t dim() const { return (entities + relations) * width; }
  std::array<hogwild::parameter_group, 1> groups() const { return {{{.rows = entities + relations, .width = width}}}; }
  void init(const auto& w, const auto& random) const {
    for (std::size_t k = 0; k < dim(); ++k) w.store(k, static_cast<float>(0.35 * random.uniform(k) - 0.175));
  }
  workspace make_workspace(const hogwild::sparse_view&, hogwild::isa set, std::size_t batch) const {
    return {{{.width = width, .targets = negatives}, set, 2 * batch}, std::vector<question>(2 * batch)};
  }
  void take(workspace& s, std::size_t k, const auto& z, const auto& random) const {
    if (k == 0) s.block.draw(hogwild::target_sampler(entities, {}, 0.0), random);
    s.questions[2 * k] = {z.index[0], z.index[1], z.index[2]};
    s.questions[2 * k + 1] = {z.index[2], z.index[1], z.index[0]};
  }
  void read(const auto& w, workspace& s, std::size_t n) const {
    s.block.begin(w);
    for (std::size_t i = 0; i < 2 * n; ++i) {
      question& q = s.questions[i];
      w.block(q.entity * width, width).copy_to(q.e);
      w.block(q.relation * width, width).copy_to(q.r);
      for (std::size_t k = 0; k < width; ++k) s.block.source(i)[k] = q.e[k] * q.r[k];
      s.block.read_positive(w, i, q.answer);
    }
  }
  void gradient(const auto& w, workspace& s, std::size_t n, const auto& emit) const {
    read(w, s, n);
    s.block.differentiate(2 * n);
    for (std::size_t i = 0; i < 2 * n; ++i) {
      question& q = s.questions[i];
      const std::span<const float> g = s.block.source_gradient(i);
      for (std::size_t k = 0; k < width; ++k) q.r[k] = g[k] * std::exchange(q.e[k], g[k] * q.r[k]);
      s.block.add(q.entity * width, q.e);
      s.block.add(q.relation * width, q.r);
    }
    s.block.emit(emit);
  }
  void score(const auto& w, workspace& s, std::size_t n, std::span<hogwild::row_score> scores) const {
    read(w, s, n);
    s.block.losses(2 * n, scores);
  }
};

int main(int argc, char** argv) {
  if (argc < 3) return std::puts("usage: distmult TRAIN TEST"), 2;
  hogwild::triple_names names;
  const auto data = hogwild::open_triples(argv[1], names);
  const auto numbering = data.numbering();
  const auto test = hogwild::open_triples(argv[2], names, {.numbering = &numbering});
  const std::size_t entities = hogwild::count_entities(data.view().original), relations = data.features() - entities;
  const auto run = hogwild::train(distmult{entities, relations}, data, hogwild::thread_engine{}, {.epochs = 8});
  const auto ask = [&, w = run.parameters.data(), n = distmult::width](auto entity, auto relation, auto to) {
    for (std::size_t k = 0; k < n; ++k) to[k] = w[entity * n + k] * w[(entities + relation % relations) * n + k];
  };
  const hogwild::known_answers known(data.view(), entities, relations);
  const auto m =
      hogwild::measure_places(run.parameters, distmult::width, {test.view(), entities, relations, known, ask});
  std::printf("loss %.4f, MRR %.4f\n", run.train_loss, m.mrr.value());
}
