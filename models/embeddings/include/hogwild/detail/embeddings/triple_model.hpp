// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/embeddings/block_space.hpp>
#include <hogwild/detail/embeddings/known_answers.hpp>
#include <hogwild/detail/embeddings/row_sums.hpp>
#include <hogwild/detail/embeddings/target_sampler.hpp>
#include <hogwild/detail/embeddings/target_table.hpp>
#include <hogwild/detail/embeddings/triple_composition.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>
#include <hogwild/detail/models/factor_rows.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/model.hpp>

// The common part of models of knowledge graphs. A triple (head, relation, tail) is two questions: (head, relation)
// asks for the tail, and (tail, the same relation backwards) for the head; each relation has parameters for both. A
// question is composed to a vector, and an entity answers it by the product of both vectors, or by their distance. The
// answer is compared with entities drawn at random, which all questions of a block have in common.

namespace hogwild {

/// What all workers read: how entities are drawn, and what is known to be true.
struct triple_side {
  target_sampler entities;
  known_answers known;
};

/// Sizes and options. Entity e is column e of the data, relation r column entities + r.
struct triple_shape {
  using scalar_type = float;
  static constexpr bool scored = false;  ///< triples have no labels to predict; what is measured is the answers' places
  static constexpr bool emits_sums = true;
  static constexpr bool emits_rows = true;  ///< each run that it emits begins where a row does
  static constexpr bool takes_weights = true;
  static constexpr bool repeats = true;  ///< head and tail may be one entity
  static constexpr std::size_t measured_rows = 20'000;
  static constexpr row_kind measured_as = row_kind::triples;
  static constexpr sharing_kind sharing = sharing_kind::direct;

  triple_composition composition = triple_composition::product;
  bool distance = false;                    ///< answers are near, instead of having a large product
  std::size_t entities = 0, relations = 0;  ///< those in the training data
  std::size_t factors = 256;                ///< numbers of an entity, complex ones under complex compositions; > 0
  std::size_t negatives = 512;              ///< entities drawn for a block, > 0
  target_loss loss = target_loss::softmax;  ///< neither pairwise nor warp
  float margin = 1.0f;                      ///< of target_loss::hinge
  float temperature = 1.0f;                 ///< of target_loss::self_adversarial
  float from = 0.0f;                        ///< what a distance is subtracted from (gamma)
  float dropout = 0.0f;                     ///< fraction of a question's numbers that are left out in training, < 1
  float n3 = 0.0f;                          ///< factor of the third powers of lengths (see squares_touched for l2)
  product_numbers products = product_numbers::floats;  ///< what training multiplies

  /// Floats of an entity, with padding.
  std::size_t width() const { return padded_to_lanes(factors) * (is_complex(composition) ? 2 : 1); }
  /// Those of a relation in one direction.
  std::size_t relation_width() const { return composition == triple_composition::rotation ? width() / 2 : width(); }
  std::size_t dim() const { return entities * width() + 2 * relations * relation_width(); }
  std::size_t entity_row(std::size_t entity) const { return entity * width(); }
  /// Of relation r < relations forwards, of relations + r backwards.
  std::size_t relation_row(std::size_t relation) const { return entities * width() + relation * relation_width(); }

  std::array<double, 10> hyperparameters() const {
    return {static_cast<double>(factors), static_cast<double>(negatives),   static_cast<double>(loss),
            static_cast<double>(margin),  static_cast<double>(temperature), static_cast<double>(from),
            static_cast<double>(dropout), static_cast<double>(n3),          static_cast<double>(composition),
            static_cast<double>(products)};
  }
  std::array<parameter_group, 3> groups() const {
    return {{{.name = "entities", .rows = entities, .width = width()},
             {.name = "relations",
              .offset = relation_row(0),
              .rows = relations,
              .width = relation_width(),
              .first_column = entities},
             {.name = "inverse_relations",
              .offset = relation_row(relations),
              .rows = relations,
              .width = relation_width(),
              .first_column = entities}}};
  }
  /// Vectors of about the same length whatever the number of factors; angles anywhere.
  void init(const auto& w, const auto& random) const {
    const std::size_t halves = is_complex(composition) ? 2 : 1, half = width() / halves;
    const double most = init_length * std::sqrt(3.0 / static_cast<double>(halves * factors));
    factor_rows{entities * halves, half, factors}.init(w, random, most);
    const bool turns = composition == triple_composition::rotation;
    const std::size_t each = relation_width() / half, first = relation_row(0);
    for (std::size_t r = 0; r < 2 * relations * each; ++r)
      for (std::size_t k = 0; k < factors; ++k)
        w.store(first + r * half + k,
                static_cast<float>((2.0 * random.uniform((entities * halves + r) * factors + k) - 1.0) *
                                   (turns ? 3.141592653589793 : most)));
  }
  static constexpr double init_length = 1.6;  ///< root of the mean square of an entity's initial length

  std::shared_ptr<const triple_side> make_side(const sparse_view& rows) const;

  /// Finds the exact place of each answer of the triples, or of `lists` of them that lie evenly among all, among all
  /// entities but other known answers: those of the training rows and of `rows` themselves. Triples of weight 0 are
  /// known and not asked for, those with something unknown are left out.
  void measure(std::span<const float> w, const std::shared_ptr<const triple_side>& side, const sparse_view& rows,
               std::size_t lists, const thread_runner& in_threads, isa set, const std::stop_token& stop,
               measurement& into) const;

  /// All entities of a model with these parameters, in the order of their numbers. Its scores order answers as
  /// those of the model do, which score_of() tells.
  target_table entity_table(std::span<const float> w, isa set) const;
  /// Composes the question of an entity and a relation, relations + r backwards.
  void ask(std::span<const float> w, std::uint32_t entity, std::size_t relation, std::span<float> to) const;
  /// The score of the triple of these columns; 0 if something is missing.
  float score_of_triple(std::span<const float> w, std::span<const std::uint32_t> columns) const;
  /// The model's score for what entity_table() scored for this question.
  float score_of(std::span<const float> question, float by_table) const;
};

/// One worker's memory.
class triple_space {
 public:
  triple_space(const triple_shape& m, std::shared_ptr<const triple_side> side, isa set, std::size_t batch);

  /// Copies a triple; with something that the model does not know, it does not count.
  void take(std::size_t k, const sparse_row<float>& z, const counter_random& random);

  struct triple : known_triple {
    float weight = 0.0f;  ///< 0: it does not count
    counter_random random{0, 0};
  };
  const triple& example(std::size_t k) const { return triples_[k]; }

  /// Reads the rows of the first n triples, and of the entities that are drawn for them, and composes the questions.
  void read(const auto& w, std::size_t n, bool training) {
    draw(n);
    const auto copy = [&](std::size_t offset, std::span<float> to) { w.block(offset, to.size()).copy_to(to); };
    for (std::size_t k = 0; k < n; ++k) {
      const triple& z = triples_[k];
      if (z.weight == 0.0f) continue;
      copy(model_.entity_row(z.head), entity(2 * k));
      copy(model_.entity_row(z.tail), entity(2 * k + 1));
      copy(model_.relation_row(z.relation), relation(2 * k).first(model_.relation_width()));
      copy(model_.relation_row(model_.relations + z.relation), relation(2 * k + 1).first(model_.relation_width()));
    }
    for (std::size_t j = 0; j < drawn_.all().size(); ++j) copy(model_.entity_row(drawn_.all()[j]), block_.target(j));
    ask(n, training);
  }

  /// Emits the gradient of the rows that were read.
  void differentiate(std::size_t n, const auto& emit) {
    block_.differentiate(2 * n);
    for (std::size_t q = 0; q < 2 * n; ++q) {
      const triple& z = triples_[q / 2];
      if (z.weight == 0.0f) continue;
      differentiate_question(q);
      const bool forwards = q % 2 == 0;
      entities_.add(model_.entity_row(forwards ? z.head : z.tail), entity_gradients_.part(q * width_, width_), 1.0f);
      entities_.add(model_.entity_row(forwards ? z.tail : z.head), block_.positive_gradient(q), 0.0f);
      relations_.add(model_.relation_row(forwards ? z.relation : model_.relations + z.relation),
                     relation_gradients_.part(q * width_, model_.relation_width()), 1.0f);
    }
    for (std::size_t j = 0; j < drawn_.all().size(); ++j)
      entities_.add(model_.entity_row(drawn_.all()[j]), block_.target_gradient(j), 0.0f);
    entities_.emit(emit);
    relations_.emit(emit);
  }

  /// The losses of the rows that were read, without weights: of both questions.
  void losses(std::size_t n, std::span<row_score> to);

 private:
  std::span<float> entity(std::size_t q) { return entity_rows_.part(q * width_, width_); }
  /// A question's relation: its parameters, then the vector that they stand for.
  std::span<float> relation(std::size_t q) { return relation_rows_.part(q * width_, width_); }

  /// Draws the entities of a block by the random numbers of its first triple.
  void draw(std::size_t n);
  void ask(std::size_t n, bool training);
  void leave_out(std::size_t question, const counter_random& random);
  void differentiate_question(std::size_t q);

  triple_shape model_;
  std::shared_ptr<const triple_side> side_;
  std::size_t width_;
  block_space block_;
  std::vector<triple> triples_;
  drawn_targets drawn_;
  lined_floats entity_rows_, relation_rows_, parameters_, entity_gradients_, relation_gradients_;
  row_sums entities_, relations_;
  std::vector<double> losses_;
};

/// What a model adds: its name and defaults.
struct triple_formula : triple_shape {
  using workspace = triple_space;
  static constexpr training_defaults defaults{.step = 0.2,
                                              .decay = 0.1,
                                              .schedule = schedule_kind::cosine,
                                              .optimizer = optimizer_kind::row_adagrad,
                                              .batch = 128,
                                              .form = l2_form::per_occurrence};

  triple_space make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
    return make_workspace(data, make_side(data), set, batch);
  }
  triple_space make_workspace(const sparse_view&, const std::shared_ptr<const triple_side>& side, isa set,
                              std::size_t batch) const {
    return {*this, side, set, batch};
  }
  void take(triple_space& s, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    s.take(k, z, random);
  }
  void gradient(const auto& w, triple_space& s, std::size_t n, const auto& emit) const {
    s.read(w, n, true);
    s.differentiate(n, emit);
  }
  void score(const auto& w, triple_space& s, std::size_t n, std::span<row_score> scores) const {
    s.read(w, n, false);
    s.losses(n, scores);
  }
  /// The sum of the squares that l2 adds for a triple: those of its entities, and of its relation in both directions.
  double squares_touched(std::span<const float> w, const triple_space& s, std::size_t k) const;
};

}  // namespace hogwild
