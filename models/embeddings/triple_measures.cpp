// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/embeddings/place_measures.hpp>
#include <hogwild/detail/embeddings/triple_model.hpp>
#include <hogwild/detail/results/top_counts.hpp>

#include "platform/tbb_arena.hpp"

namespace hogwild {
namespace {

/// What triples ask for.
struct triple_question {
  std::uint32_t entity = 0, answer = 0;
  std::size_t relation = 0;
};

std::vector<triple_question> questions_of(const asked_triples& of) {
  std::vector<triple_question> all;
  row_cursor cursor(of.rows);
  for (std::size_t r = 0; r < of.rows.rows(); ++r) {
    const sparse_row<float> row = cursor.row(r);
    const auto z = triple_of(row.index, of.entities, of.relations);
    if (!z || row.weight == 0.0f) continue;
    all.push_back({z->head, z->tail, z->relation});
    all.push_back({z->tail, z->head, of.relations + z->relation});
  }
  return all;
}

/// One thread's memory: some questions, and the scores of all entities for them.
struct scored_questions {
  static constexpr std::size_t most = 48;

  explicit scored_questions(const target_table& table)
      : questions(most * table.width()), scores(most * table.padded_size()), piece(most * target_table::piece) {}

  lined_floats questions, scores, piece;
};

/// The place of the answer among the scores; equal ones count half.
double place_of(const embedding_kernels& kernels, std::span<const float> scores, std::uint32_t answer) {
  const float score = scores[answer];
  if (!std::isfinite(score)) return static_cast<double>(scores.size());
  return 0.5 + count_above(kernels, scores, score);  // which counts one half for the answer itself
}

}  // namespace

target_table triple_shape::entity_table(std::span<const float> w, isa set) const {
  const std::span<const float> rows = w.first(entities * width());
  if (!distance) return {rows, width(), {}, false, set};
  // -|q - t|^2 / 2 is larger by |q|^2 / 2, the same for all entities, than what is left out here.
  std::vector<float> added(entities);
  for (std::size_t e = 0; e < entities; ++e) {
    double square = 0.0;
    for (const float x : rows.subspan(e * width(), width())) square += static_cast<double>(x) * static_cast<double>(x);
    added[e] = static_cast<float>(-0.5 * square);
  }
  return {rows, width(), added, false, set};
}

void triple_shape::ask(std::span<const float> w, std::uint32_t entity, std::size_t relation,
                       std::span<float> to) const {
  std::vector<float> r(width());
  unfold_relation(composition, w.subspan(relation_row(relation), relation_width()), r);
  compose(composition, w.subspan(entity_row(entity), width()), r, to);
}

float triple_shape::score_of(std::span<const float> question, float by_table) const {
  if (!distance) return by_table;
  double square = -2.0 * static_cast<double>(by_table);
  for (const float x : question) square += static_cast<double>(x) * static_cast<double>(x);
  return static_cast<float>(static_cast<double>(from) - std::sqrt(std::max(square, 0.0)));
}

float triple_shape::score_of_triple(std::span<const float> w, std::span<const std::uint32_t> columns) const {
  const auto z = triple_of(columns, entities, relations);
  if (!z) return 0.0f;
  std::vector<float> question(width());
  ask(w, z->head, z->relation, question);
  const std::span<const float> t = w.subspan(entity_row(z->tail), width());
  double product = 0.0, square = 0.0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    const auto x = static_cast<double>(question[k]), y = static_cast<double>(t[k]);
    product += x * y;
    square += (x - y) * (x - y);
  }
  return static_cast<float>(distance ? static_cast<double>(from) - std::sqrt(square) : product);
}

void measure_places(const target_table& table, const asked_triples& of, const thread_runner& in_threads,
                    const std::stop_token& stop, measurement& into) {
  const known_answers measured(of.rows, of.entities, of.relations);
  std::vector<triple_question> asked = questions_of(of);
  if (of.lists < asked.size()) {
    for (std::size_t i = 0; i < of.lists; ++i) asked[i] = asked[i * asked.size() / of.lists];
    asked.resize(of.lists);
  }
  const std::size_t width = table.width(), padded = table.padded_size();

  std::vector<double> places(asked.size());
  std::atomic<std::size_t> next{0};
  in_threads([&] {
    scored_questions at(table);
    while (!stop.stop_requested()) {
      const std::size_t first = next.fetch_add(scored_questions::most);
      if (first >= asked.size()) break;
      const std::span<const triple_question> some =
          std::span(asked).subspan(first, std::min(scored_questions::most, asked.size() - first));
      for (std::size_t i = 0; i < some.size(); ++i)
        of.write(some[i].entity, some[i].relation, at.questions.part(i * width, width));
      table.for_pieces([&](std::size_t begin, std::size_t count) {
        table.score(at.questions.data(), some.size(), begin, count, at.piece.data());
        for (std::size_t i = 0; i < some.size(); ++i)
          std::ranges::copy(at.piece.part(i * count, count), at.scores.data() + i * padded + begin);
      });
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::span<float> scores = at.scores.part(i * padded, padded);
        for (const known_answers* known : {&of.known, &measured})
          for (const std::uint32_t other : known->of(some[i].entity, some[i].relation))
            if (other != some[i].answer) scores[other] = -std::numeric_limits<float>::infinity();
        places[first + i] = place_of(table.kernels(), scores, some[i].answer);
      }
    }
  });
  if (stop.stop_requested()) return;
  place_counts all;
  for (const double place : places) all.add(place);
  all.measure(into);
}

measurement measure_places(std::span<const float> parameters, std::size_t width, const asked_triples& of) {
  const target_table table(parameters.first(of.entities * width), width, {}, false, isa::automatic);
  measurement found;
  const auto in_threads = [](const std::function<void()>& body) {
    detail::with_tbb_threads(
        {}, [&] { tbb::parallel_for(0, tbb::this_task_arena::max_concurrency(), [&](int) { body(); }); });
  };
  measure_places(table, of, in_threads, {}, found);
  return found;
}

void triple_shape::measure(std::span<const float> w, const std::shared_ptr<const triple_side>& side,
                           const sparse_view& rows, std::size_t lists, const thread_runner& in_threads, isa set,
                           const std::stop_token& stop, measurement& into) const {
  const auto write = [&](std::uint32_t entity, std::size_t relation, std::span<float> to) {
    ask(w, entity, relation, to);
  };
  measure_places(entity_table(w, set), {rows, entities, relations, side->known, write, lists}, in_threads, stop, into);
}

}  // namespace hogwild
