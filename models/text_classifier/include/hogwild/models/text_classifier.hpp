// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/embeddings/row_figures.hpp>
#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/models/factor_rows.hpp>
#include <hogwild/detail/models/text_space.hpp>
#include <hogwild/model.hpp>
#include <hogwild/models/softmax.hpp>

namespace hogwild {

/// Labels of texts (Joulin, Grave, Bojanowski and Mikolov, Bag of tricks for efficient text classification, 2016). Each
/// column, a word or a run of words, has a row u_j; a text is their mean, weighted by its entries:
///
///   h = sum over j of x_j u_j / sum over j of |x_j|
///
/// The score of label l is h . v_l. The loss is -log softmax(scores)[l] for a label of the text, drawn anew in each
/// epoch if there are several; or with one_vs_rest the sum of a logistic loss of each label against the others. What is
/// measured is the mean over the labels of a text.
struct text_classifier {
  using scalar_type = float;
  using workspace = text_space;
  using library_model = text_classifier;
  static constexpr std::string_view name = "text_classifier";
  static constexpr label_kind labels = label_kind::classes;
  static constexpr bool takes_lists = true;
  static constexpr bool takes_weights = true;
  static constexpr bool emits_sums = true;  ///< the gradient is that of the sum of the texts' losses
  static constexpr std::size_t measured_rows = 4'096;
  static constexpr sharing_kind sharing = sharing_kind::direct;
  static constexpr std::size_t epochs = 25;  ///< the default
  static constexpr training_defaults defaults{.step = 1.5,
                                              .schedule = schedule_kind::linear,
                                              .optimizer = optimizer_kind::sgd,
                                              .batch = 128,
                                              .form = l2_form::per_occurrence};

  std::size_t features = 0;     ///< columns that occur in the training data
  std::size_t classes = 2;      ///< at least 2
  std::size_t dimension = 100;  ///< numbers of a vector, at least 1
  bool one_vs_rest = false;     ///< whether each label is learned against all others

  /// Floats of a row, with padding.
  std::size_t width() const { return padded_to_lanes(dimension); }
  std::size_t dim() const { return (features + classes) * width(); }
  /// Where the row of a column begins; the rows of labels follow those of the columns.
  std::size_t row_of(std::size_t column) const { return column * width(); }

  std::array<double, 2> hyperparameters() const { return {static_cast<double>(dimension), one_vs_rest ? 1.0 : 0.0}; }
  /// The loss of a text's labels, for records.
  std::string_view class_loss() const { return of_labels().class_loss(); }
  std::array<parameter_group, 2> groups() const {
    return {{{.name = "vectors", .rows = features, .width = width()},
             {.name = "labels", .offset = row_of(features), .rows = classes, .width = width(), .hot_first = false}}};
  }
  /// Labels begin at zero.
  void init(const auto& w, const auto& random) const {
    factor_rows{features, width(), dimension}.init(w, random, 1.0 / static_cast<double>(dimension));
  }

  workspace make_workspace(const sparse_view&, isa set, std::size_t batch) const {
    return {width(), features, of_labels(), set, batch};
  }
  void take(workspace& s, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    s.take(k, z, random);
  }
  void gradient(const auto& w, workspace& s, std::size_t n, const auto& emit) const {
    read(w, s, n);
    s.differentiate(n);
    emit_touched(emit, row_of(features), s.label_gradients(), 0.0f);
    for (std::size_t k = 0; k < n; ++k)
      if (s.weight(k) != 0.0f)
        for (const text_space::entry& e : s.entries(k))
          emit_touched(emit, row_of(e.column), s.row_gradient(k, e), 1.0f);
  }
  /// If of_classes has room, of_classes[k * classes + c] becomes the score of label c for text k.
  void score(const auto& w, workspace& s, std::size_t n, std::span<row_score> scores,
             std::span<float> of_classes = {}) const {
    read(w, s, n);
    s.losses(n, scores, of_classes);
  }
  /// The threshold above which a label is predicted for the text.
  float decision(std::span<const float> scores) const { return of_labels().decision(scores.data()); }

  /// The sum of the squares that l2 adds for a text: those of its columns.
  double squares_touched(std::span<const float> w, const workspace& s, std::size_t k) const {
    double sum = 0.0;
    for (const text_space::entry& e : s.entries(k)) sum += squares_of(w.subspan(row_of(e.column), width()));
    return s.weight(k) == 0.0f ? 0.0 : sum;
  }

 private:
  softmax of_labels() const { return {.classes = classes, .one_vs_rest = one_vs_rest}; }

  void read(const auto& w, workspace& s, std::size_t n) const {
    constexpr std::size_t ahead = 4;  // entries that are fetched before they are read
    w.block(row_of(features), s.labels().size()).copy_to(s.labels());
    for (std::size_t k = 0; k < n; ++k) {
      s.clear(k);
      const std::span<const text_space::entry> entries = s.entries(k);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if constexpr (requires { w.announce(std::size_t{}, std::size_t{}); })
          if (i + ahead < entries.size()) w.announce(row_of(entries[i + ahead].column), width());
        w.block(row_of(entries[i].column), width()).copy_to(s.row());
        s.add_row(k, entries[i].part);
      }
    }
  }
};

}  // namespace hogwild
