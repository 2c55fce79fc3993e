// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/formats/edges.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/formats/images.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/formats/side_features.hpp>
#include <hogwild/models/bpr.hpp>
#include <hogwild/models/cbow.hpp>
#include <hogwild/models/complex.hpp>
#include <hogwild/models/convnet.hpp>
#include <hogwild/models/deepfm.hpp>
#include <hogwild/models/distmult.hpp>
#include <hogwild/models/ffm.hpp>
#include <hogwild/models/graph_cut.hpp>
#include <hogwild/models/label_tree.hpp>
#include <hogwild/models/line_vectors.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/models/node_vectors.hpp>
#include <hogwild/models/paragraph_vectors.hpp>
#include <hogwild/models/rotate.hpp>
#include <hogwild/models/sampled_softmax.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/models/text_classifier.hpp>
#include <hogwild/models/transe.hpp>

#include "support/toy_data.hpp"

// A subject of the laws of workspace models: a model, data that it understands, and
//   step    of difference quotients, along directions of length 1
//   tolerance    of the gradient's length, by which a quotient may be off
//   huge    a factor that makes parameters very large: the cube of squared losses fits into a float

namespace hogwild::test::subjects {

inline constexpr toy_shape shape{.rows = 12, .columns = 18, .per_row = 6, .seed = 3};

/// Rows in memory whose columns may have numbers.
struct numbered_rows {
  toy_rows rows;
  std::vector<std::uint32_t> original{};
  csr_rows data = rows.csr();

  sparse_view view() const {
    sparse_view all = data.view();
    all.original = original;
    return all;
  }
};

template <label_kind Labels>
struct fields {
  static constexpr double step = 0x1p-8, tolerance = 1e-3;
  static constexpr float huge = 1e12f;
  static ffm model() {
    return {.features = shape.columns,
            .fields = 6,
            .factors = 3,
            .labels = Labels,
            .unit_rows = Labels == label_kind::binary};
  }
  static bool is_padding(const ffm& m, std::size_t j) { return j < m.features * m.width() && j % 4 >= 3; }
  /// Fields 0, 1, 3 and 5, so that there are gaps; three entries of a row share a field.
  static numbered_rows data() {
    constexpr std::uint32_t field[6] = {5, 1, 0, 3, 3, 3};
    numbered_rows d{.rows = Labels == label_kind::binary ? planted_classification(shape) : planted_regression(shape)};
    for (std::uint32_t j = 0; j < shape.columns; ++j) d.original.push_back(field_column(field[j / 3], j));
    return d;
  }
};

/// The same rows; a relu has kinks, which a step of the difference quotients may meet.
template <label_kind Labels>
struct deep_fields {
  static constexpr double step = 0x1p-10, tolerance = 0.02;
  static constexpr float huge = 1e4f;
  static deepfm model() {
    return {.features = shape.columns, .fields = 6, .factors = 3, .labels = Labels, .hidden = {9, 5}};
  }
  /// Values are large, since factors begin so small that a net would hardly depend on them.
  static numbered_rows data() {
    numbered_rows d = fields<Labels>::data();
    for (float& x : d.rows.value) x *= 8.0f;
    return d;
  }
};

struct perceptron {
  static constexpr double step = 0x1p-10, tolerance = 0.02;
  static constexpr float huge = 1e9f;
  static mlp model() { return {.features = shape.columns, .classes = 3, .hidden = {9, 5}}; }
  static numbered_rows data() { return {.rows = planted_classes(shape, 3)}; }
};

/// Each class against the rest.
struct rest_perceptron {
  static constexpr double step = 0x1p-10, tolerance = 0.02;
  static constexpr float huge = 1e9f;
  static mlp model() { return {.features = shape.columns, .classes = 4, .hidden = {9}, .one_vs_rest = true}; }
  static numbered_rows data() { return {.rows = planted_classes(shape, 4)}; }
};

/// On a tree of the classes; its counts, the last parameters, make the tree and have no gradient.
struct tree_perceptron {
  static constexpr std::string_view constant = "classes.rows";
  static constexpr double step = 0x1p-10, tolerance = 0.02;
  static constexpr float huge = 1e9f;
  static mlp model() {
    return {.features = shape.columns, .classes = 5, .hidden = {9}, .sparse = true, .hierarchical = true};
  }
  static numbered_rows data() { return {.rows = planted_classes(shape, 5)}; }
};

/// With a level between the root and the lowest groups, each of one or two classes; the order of the classes, the last
/// parameters, makes the tree and has no gradient.
struct tree_of_labels {
  static constexpr std::string_view constant = "classes.order";
  static constexpr double step = 0x1p-8, tolerance = 1e-3;
  static constexpr float huge = 1e9f;
  static label_tree model() { return {.features = shape.columns, .classes = 40, .leaves = 2}; }
  static numbered_rows data() { return {.rows = planted_classes(shape, 40)}; }
};

/// A last layer stored by class; a batch draws more classes than there are, so that it trains on its whole loss.
struct wide_perceptron {
  static constexpr double step = 0x1p-10, tolerance = 0.02;
  static constexpr float huge = 1e9f;
  static mlp model() {
    return {.features = shape.columns, .classes = 3, .hidden = {9, 5}, .sparse = true, .samples = 8};
  }
  static numbered_rows data() { return {.rows = planted_classes(shape, 3)}; }
};

/// Its loss under training has dropout, which score() leaves out.
struct images {
  static constexpr double step = 0x1p-10, tolerance = 0.02;
  static constexpr float huge = 1e5f;
  static convnet model() { return {}; }
  static numbered_rows data() {
    numbered_rows d{.rows = planted_classes({.rows = 6, .columns = 784, .per_row = 150, .seed = 4}, 10)};
    for (float& x : d.rows.value) x = 100.0f + 100.0f * x;
    for (std::uint32_t j = 0; j < 784; ++j) d.original.push_back(first_pixel + j);
    return d;
  }
  static double loss(const convnet& m, convnet::workspace& space, const param_reader<float>& w, std::size_t n) {
    space.net.read(w, m.groups());
    return space.net.differentiate(n);
  }
};

template <class M, bool Hierarchical = false>
struct windows {
  static constexpr double step = 0x1p-8, tolerance = 1e-3;
  static constexpr float huge = 1e9f;
  static constexpr const char* text = "a b c a d b a e a b c f a b\na c\nb d e a\nd e f d e a b d e";
  static corpus words() { return read_corpus(text, "text", {.min_count = 1}); }
  static sparse_dataset data() { return words().rows; }
  static M model() {
    M m;
    m.words = words().words.size(), m.dimension = 5, m.window = 2, m.negative = 3, m.sample = 0.05;
    m.hierarchical = Hierarchical;
    return m;
  }
  static bool is_padding(const M& m, std::size_t j) { return j % m.width() >= m.dimension; }
};

/// The same for words that have parts, most of them several words' or several times a word's.
template <class M, bool Hierarchical = false>
struct windows_of_parts : windows<M, Hierarchical> {
  static corpus words() {
    return read_corpus(
        "aba abba cab aba dab abba aba ebb aba abba cab fa aba abba\naba cab\nabba dab ebb aba\ndab ebb fa", "text",
        {.min_count = 1, .subwords = {.least = 1, .most = 3, .buckets = 40}});
  }
  static sparse_dataset data() { return words().rows; }
  static M model() {
    const corpus text = words();
    M m = windows<M, Hierarchical>::model();
    m.words = text.words.size(), m.parts = parts_of(text.rows.view()).parts;
    return m;
  }
};

/// The same lines as documents.
template <bool Memory, bool Neighbours, bool Hierarchical = false>
struct documents : windows<paragraph_vectors, Hierarchical> {
  static sparse_dataset data() {
    return read_corpus(windows<paragraph_vectors>::text, "text", {.min_count = 1, .documents = true}).rows;
  }
  static paragraph_vectors model() {
    paragraph_vectors m = windows<paragraph_vectors, Hierarchical>::model();
    m.documents = 4, m.memory = Memory, m.neighbours = Neighbours;
    return m;
  }
};

/// Pairs of users and items. A block draws nearly as many items as there are, so that some are left out.
template <class M, bool Cosine = false>
struct user_items {
  static constexpr std::size_t users = 7, items = 11;
  static constexpr double step = 0x1p-8, tolerance = 2e-3;
  static constexpr float huge = 1e9f;
  static M model() {
    M m = M::usual();
    m.users = users, m.items = items, m.factors = 5, m.negatives = 9;
    m.cosine = Cosine, m.bias = !Cosine, m.temperature = Cosine ? 0.5 : 1.0;
    return m;
  }
  static numbered_rows data() {
    numbered_rows d{.rows = {}};
    d.rows.columns = users + items;
    for (std::uint32_t r = 0; r < 20; ++r)
      d.rows.push({r % 7, static_cast<std::uint32_t>(users) + (r * r + r / 5) % 11}, {1.0f, 1.0f},
                  r % 4 == 0 ? 2.0f : 1.0f);
    d.data = d.rows.csr();
    return d;
  }
  static bool is_padding(const M& m, std::size_t j) {
    return j < (m.users + m.items) * m.width() && j % m.width() >= m.factors;
  }
};

/// The same with features, which several of them share, and with an item that only the features have.
template <class M, bool Cosine = false, bool Alone = false>
struct user_items_of_features : user_items<M, Cosine> {
  using plain = user_items<M, Cosine>;
  static M model() {
    M m = plain::model();
    m.items = plain::items + 1, m.parts = 5, m.features_alone = Alone;
    return m;
  }
  static sparse_dataset data() {
    numbered_rows pairs = plain::data();
    for (std::uint32_t user = 0; user < plain::users; ++user) pairs.original.push_back(user_column(user));
    for (std::uint32_t item = 0; item < plain::items; ++item) pairs.original.push_back(item_column(item));
    const side_features features{
        .names = {.users = {"young", "far"}, .items = {"new", "red", "long"}},
        .columns = {user_column(0), user_column(3), user_column(4), item_column(1), item_column(4), item_column(11)},
        .start = {0, 2, 3, 4, 5, 8, 10},
        .feature = {0, 1, 0, 1, 1, 0, 1, 2, 1, 2},
        .weight = {1.0f, -0.5f, 2.0f, 1.0f, 1.0f, 1.0f, 0.5f, 3.0f, 1.0f, -1.0f}};
    return with_side_features(sparse_dataset::copy_of(pairs.view()), features);
  }
  static bool is_padding(const M& m, std::size_t j) { return j < m.item_bias(0) && j % m.width() >= m.factors; }
};

/// Triples of a knowledge graph, of which some join an entity with itself.
template <class M, target_loss Loss = target_loss::softmax>
struct graph_triples {
  static constexpr std::size_t entities = 11, relations = 3;
  static constexpr double step = 0x1p-9, tolerance = 3e-3;
  static constexpr float huge = 1e6f;
  static M model() {
    M m = M::usual();
    m.entities = entities, m.relations = relations, m.factors = 5, m.negatives = 9;
    m.loss = Loss, m.dropout = 0.0f, m.from = m.distance ? 1.5f : 0.0f;
    m.n3 = m.distance ? 0.0f : 0.125f;
    return m;
  }
  static numbered_rows data() {
    numbered_rows d{.rows = {}};
    d.rows.columns = entities + relations;
    for (std::uint32_t r = 0; r < 20; ++r)
      d.rows.push({r % 11, 11 + r % 3, r % 7 == 2 ? r % 11 : (r * r + 3) % 11}, {1.0f, 1.0f, 1.0f}, 0.0f);
    d.data = d.rows.csr();
    return d;
  }
  static bool is_padding(const M& m, std::size_t j) { return j % padded_to_lanes(m.factors) >= m.factors; }
  /// With the third powers, which scores leave out.
  static double loss(const M& m, triple_space& space, const param_reader<float>& w, std::size_t n) {
    std::vector<row_score> scores(n);
    m.score(w, space, n, scores);
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const triple_space::triple& z = space.example(k);
      sum += scores[k].loss;
      if (m.n3 == 0.0f || z.weight == 0.0f) continue;
      const auto third = static_cast<double>(m.n3) / 3.0 * static_cast<double>(z.weight);
      sum += third * (2.0 * cubes(m, w, m.entity_row(z.head)) + 2.0 * cubes(m, w, m.entity_row(z.tail)) +
                      cubes(m, w, m.relation_row(z.relation)) + cubes(m, w, m.relation_row(relations + z.relation)));
    }
    return sum;
  }

 private:
  static double cubes(const M& m, const param_reader<float>& w, std::size_t offset) {
    const bool complex = is_complex(m.composition);
    const std::size_t half = complex ? m.width() / 2 : 0;
    double sum = 0.0;
    for (std::size_t k = 0; k < (complex ? half : m.width()); ++k) {
      const auto a = static_cast<double>(w[offset + k]);
      const double b = complex ? static_cast<double>(w[offset + half + k]) : 0.0;
      sum += std::pow(a * a + b * b, 1.5);
    }
    return sum;
  }
};

/// Texts.
template <bool OneVsRest>
struct texts {
  static constexpr double step = 0x1p-8, tolerance = 1e-3;
  static constexpr float huge = 1e9f;
  static text_classifier model() {
    return {.features = shape.columns, .classes = 5, .dimension = 10, .one_vs_rest = OneVsRest};
  }
  static numbered_rows data() { return {.rows = planted_classes(shape, 5)}; }
  static bool is_padding(const text_classifier& m, std::size_t j) { return j % m.width() >= m.dimension; }
};

/// Walks in a weighted graph so small that nodes occur often in each.
struct walks {
  static constexpr double step = 0x1p-8, tolerance = 1e-3;
  static constexpr float huge = 1e9f;
  static sparse_dataset data() {
    return read_edges("a b 1\nb c 2\nc d 1\nd a 3\na c 1\nd e 1\ne f 2\nf a 1\n", "graph").rows;
  }
  static node_vectors model() {
    node_vectors m;
    m.words = 6, m.dimension = 5, m.length = 9, m.window = 3, m.negative = 2, m.p = 0.5, m.q = 2.0;
    return m;
  }
  static bool is_padding(const node_vectors& m, std::size_t j) { return j % m.width() >= m.dimension; }
};

/// The same graph by its edges.
template <bool First, bool Second>
struct edge_blocks : walks {
  static line_vectors model() {
    line_vectors m;
    m.words = 6, m.dimension = 10, m.negative = 2, m.first = First, m.second = Second;
    return m;
  }
  static bool is_padding(const line_vectors& m, std::size_t j) { return j % m.width() >= m.of_order(); }
};

/// Moves edge by edge, however many it takes: its gradient is that of one.
struct edges {
  static constexpr double step = 0x1p-12, tolerance = 1e-3;
  static constexpr float huge = 1e9f;
  static constexpr std::size_t at_once = 1;
  static graph_cut model() { return {.nodes = 8, .sides = 3, .unit = 1.5f}; }
  static numbered_rows data() {
    numbered_rows d{.rows = {}};
    d.rows.columns = 11;
    for (std::uint32_t r = 0; r < 12; ++r) {
      const float capacity = 0.5f + static_cast<float>(r % 5);
      d.rows.push({r % 8, r % 3 == 0 ? 8 + r / 3 % 3 : (r + 3) % 8}, {capacity, capacity}, -1.0f);
    }
    for (std::uint32_t j = 0; j < 11; ++j) d.original.push_back(j < 8 ? node_column(j) : terminal_column(j - 8));
    d.data = d.rows.csr();
    return d;
  }
};

}  // namespace hogwild::test::subjects
