// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/embeddings/block_space.hpp>
#include <hogwild/detail/embeddings/pair_parts.hpp>
#include <hogwild/detail/embeddings/row_sums.hpp>
#include <hogwild/detail/embeddings/target_sampler.hpp>
#include <hogwild/detail/embeddings/target_table.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/models/factor_rows.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/model.hpp>

// The common part of models that learn from pairs of a user and an item which items to recommend. The score of item i
// for user u is p_u . q_i + b_i, or the cosine of both vectors divided by a temperature. A block of pairs is compared
// with items drawn at random, which all its pairs have in common; a pair leaves out those that its user is known to
// have. Users and items may have features (pair_parts.hpp).

namespace hogwild {

/// What all workers read: how items are drawn, and which ones each user is known to have.
struct pair_side {
  target_sampler items;
  known_targets known;
  float per_weight = 1.0f;  ///< what a weight is multiplied by, so that those of the training pairs have the mean 1
  pair_parts parts{};       ///< for a model of features
};

/// How negative items are drawn.
enum class item_sampler : unsigned char {
  uniform,     ///< all with the same chance
  popularity,  ///< in proportion to the number of their pairs to some power
  in_batch     ///< they are the items of the other pairs of a block
};

/// Sizes and options; user u is column u of the data, item i column users + i.
struct pair_shape {
  using scalar_type = float;
  static constexpr bool scored = false;  ///< pairs have no labels to predict; what is measured is how items are ranked
  static constexpr bool emits_sums = true;
  static constexpr bool emits_rows = true;  ///< each run that it emits begins where a row does
  static constexpr bool takes_weights = true;
  static constexpr std::size_t measured_rows = 20'000;
  static constexpr row_kind measured_as = row_kind::pairs;
  static constexpr sharing_kind sharing = sharing_kind::direct;

  std::size_t users = 0, items = 0;  ///< those in the training data
  std::size_t factors = 64;          ///< > 0
  std::size_t negatives = 128;       ///< items drawn for a block, > 0; not in_batch
  item_sampler sampler = item_sampler::uniform;
  double popularity = 0.75;  ///< the power of item_sampler::popularity
  bool bias = true;          ///< whether items have a bias
  bool cosine = false;
  double temperature = 1.0;        ///< divides products of vectors, > 0
  double start = 1.4;              ///< numbers begin within start / sqrt(factors) of zero
  std::size_t parts = 0;           ///< features of users and items, which have vectors; 0: users and items have none
  bool features_alone = false;     ///< users and items with features have no vector of their own
  std::uint32_t parts_digest = 0;  ///< differs between features

  /// Floats of a row, with padding.
  std::size_t width() const { return padded_to_lanes(factors); }
  std::size_t dim() const { return item_bias(0) + (bias ? items + parts : 0); }
  std::size_t user_row(std::size_t user) const { return user * width(); }
  std::size_t item_row(std::size_t item) const { return (users + item) * width(); }
  std::size_t part_row(std::size_t part) const { return item_row(items + part); }
  std::size_t item_bias(std::size_t item) const { return part_row(parts) + item; }
  /// Where biases would begin if users had some, too: that of row r of parameters is so many behind.
  std::size_t row_bias() const { return item_bias(0) - users; }

  std::vector<double> hyperparameters() const {
    std::vector<double> all{static_cast<double>(factors),
                            static_cast<double>(negatives),
                            static_cast<double>(sampler),
                            popularity,
                            temperature,
                            cosine ? 1.0 : 0.0};
    if (parts > 0)
      all.insert(all.end(),
                 {static_cast<double>(parts), features_alone ? 1.0 : 0.0, static_cast<double>(parts_digest)});
    return all;
  }
  std::vector<parameter_group> groups() const {
    std::vector<parameter_group> all{
        {.name = "users", .rows = users, .width = width()},
        {.name = "items", .offset = item_row(0), .rows = items, .width = width(), .first_column = users},
        {.name = "item_bias", .offset = item_bias(0), .rows = bias ? items : 0, .first_column = users}};
    if (parts == 0) return all;
    all.push_back({.name = "features", .offset = part_row(0), .rows = parts, .width = width(), .hot_first = false});
    all.push_back(
        {.name = "feature_bias", .offset = item_bias(bias ? items : 0), .rows = bias ? parts : 0, .hot_first = false});
    return all;
  }
  /// Vectors of about the same length whatever the number of factors; biases begin at zero.
  void init(const auto& w, const auto& random) const {
    factor_rows{users + items + parts, width(), factors}.init(w, random,
                                                              start / std::sqrt(static_cast<double>(factors)));
  }
  /// The same, but own vectors of users and items that have features and no pair begin at zero, too: they would stay
  /// what they began with, noise in their scores.
  void init(const auto& w, const auto& random, const sparse_view& rows) const {
    init(w, random);
    for (std::size_t column = 0; parts > 0 && column < rows.degree.size(); ++column)
      for (std::size_t k = 0; rows.degree[column] == 0 && k < factors; ++k) w.store(column * width() + k, 0.0f);
  }

  std::shared_ptr<const pair_side> make_side(const sparse_view& rows) const;
  /// The features in these rows. Throws config_error if they are not those that the model was made for.
  column_parts features_of(const sparse_view& rows) const;

  /// Orders all items for each user of `rows`, at most `lists` of them, but for those that the user is known to have;
  /// those of the rows are wanted.
  void measure(std::span<const float> w, const std::shared_ptr<const pair_side>& side, const sparse_view& rows,
               std::size_t lists, const thread_runner& in_threads, isa set, const std::stop_token& stop,
               measurement& into) const;

  /// All items of a model with these parameters, in the order of their numbers.
  target_table item_table(std::span<const float> w, isa set) const;

  /// The user and the item among these columns, if both are there.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair_of(std::span<const std::uint32_t> columns) const;
  /// The sum of the squares of an item's parameters, or of all those that make its vector.
  double squares_of_item(std::span<const float> w, const pair_side& side, std::size_t item) const;
  /// The same of a user's.
  double squares_of_user(std::span<const float> w, const pair_side& side, std::size_t user) const;
  /// The score of the user and the item among these columns; 0 if one of them is missing.
  float score_of(std::span<const float> w, std::span<const std::uint32_t> columns) const;

  /// The same without features.
  pair_shape without_parts() const;
  /// The parameters of that with which all users and items score alike.
  std::vector<float> composed(std::span<const float> w, const pair_parts& of) const;
};

/// One worker's memory.
class pair_space {
 public:
  pair_space(const pair_shape& m, const target_loss_rule& loss, product_numbers products,
             std::shared_ptr<const pair_side> side, isa set, std::size_t batch);

  /// Copies a pair; without a user or an item that the model has, it does not count.
  void take(std::size_t k, const sparse_row<float>& z, const counter_random& random);

  struct pair {
    std::uint32_t user = 0, item = 0;
    float times = 0.0f;   ///< its label: how often it counts
    float weight = 0.0f;  ///< that times the weight of its row; 0: it does not count
    counter_random random{0, 0};
  };
  const pair& example(std::size_t k) const { return pairs_[k]; }
  const pair_side& side() const { return *side_; }

  /// Reads the rows of the first n pairs, and of the items that are drawn for them.
  void read(const auto& w, std::size_t n) {
    draw(n);
    const auto copy = [&](std::size_t column, std::span<float> to) {
      if (model_.parts > 0) [[unlikely]]
        return side_->parts.read(w, column, to);
      w.block(column * to.size(), to.size()).copy_to(to);
    };
    const auto bias = [&](std::size_t item) {
      if (model_.parts > 0) [[unlikely]]
        return side_->parts.bias(w, model_.users + item, model_.row_bias());
      return w[model_.item_bias(item)];
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (pairs_[i].weight == 0.0f) continue;
      copy(pairs_[i].user, block_.source(i));
      copy(model_.users + pairs_[i].item, block_.positive(i));
      if (model_.bias) block_.positive_bias(i) = bias(pairs_[i].item);
    }
    for (std::size_t j = 0; j < drawn_.all().size(); ++j) {
      copy(model_.users + drawn_.all()[j], block_.target(j));
      if (model_.bias) block_.target_bias(j) = bias(drawn_.all()[j]);
    }
  }

  /// Emits the gradient of the rows that were read.
  void differentiate(std::size_t n, const auto& emit) {
    block_.differentiate(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (pairs_[i].weight == 0.0f) continue;
      add(pairs_[i].user, block_.source_gradient(i), 1.0f);
      add(model_.users + pairs_[i].item, block_.positive_gradient(i), 1.0f);
    }
    for (std::size_t j = 0; j < drawn_.all().size(); ++j)
      add(model_.users + drawn_.all()[j], block_.target_gradient(j), 0.0f);
    rows_.emit(emit);
    if (!model_.bias) return;
    for (std::size_t i = 0; i < n; ++i)
      if (pairs_[i].weight != 0.0f) add_bias(pairs_[i].item, block_.positive_bias_gradient(i), 1.0f);
    for (std::size_t j = 0; j < drawn_.all().size(); ++j)
      add_bias(drawn_.all()[j], block_.target_bias_gradient(j), 0.0f);
    biases_.emit(emit);
  }

  /// The losses of the rows that were read, without weights.
  void losses(std::size_t n, std::span<row_score> to);

 private:
  /// Draws the items of a block by the random numbers of its first pair.
  void draw(std::size_t n);

  void add(std::size_t column, std::span<const float> gradient, float examples) {
    if (model_.parts > 0) [[unlikely]]
      return side_->parts.add(column, 0, model_.width(), gradient, examples, rows_);
    rows_.add(column * model_.width(), gradient, examples);
  }
  void add_bias(std::size_t item, std::span<const float> gradient, float examples) {
    if (model_.parts > 0) [[unlikely]]
      return side_->parts.add(model_.users + item, model_.row_bias(), 1, gradient, examples, biases_);
    biases_.add(model_.item_bias(item), gradient, examples);
  }

  pair_shape model_;
  target_loss_rule loss_;
  std::shared_ptr<const pair_side> side_;
  block_space block_;
  std::vector<pair> pairs_;
  drawn_targets drawn_;
  row_sums rows_, biases_;
  std::vector<double> losses_;
};

/// What a model adds: a static `loss`, its target_loss.
template <class Model>
struct pair_formula : pair_shape {
  using workspace = pair_space;

  float margin = 1.0f;  ///< by which a pair's item should score above others, under hinge and warp
  product_numbers products = product_numbers::floats;  ///< what training multiplies

  std::vector<double> hyperparameters() const {
    std::vector<double> all = pair_shape::hyperparameters();
    all.insert(all.begin() + 6, {static_cast<double>(margin), static_cast<double>(products)});
    return all;
  }
  target_loss_rule rule() const { return {.kind = Model::loss_kind, .margin = margin, .targets = items}; }

  pair_space make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
    return make_workspace(data, make_side(data), set, batch);
  }
  pair_space make_workspace(const sparse_view&, const std::shared_ptr<const pair_side>& side, isa set,
                            std::size_t batch) const {
    return {*this, rule(), products, side, set, batch};
  }
  void take(pair_space& s, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    s.take(k, z, random);
  }
  void gradient(const auto& w, pair_space& s, std::size_t n, const auto& emit) const {
    s.read(w, n);
    s.differentiate(n, emit);
  }
  void score(const auto& w, pair_space& s, std::size_t n, std::span<row_score> scores) const {
    s.read(w, n);
    s.losses(n, scores);
  }
  /// The sum of the squares that l2 adds for a pair: those of its own rows.
  double squares_touched(std::span<const float> w, const pair_space& s, std::size_t k) const {
    const pair_space::pair& p = s.example(k);
    if (p.weight == 0.0f) return 0.0;
    return squares_of_user(w, s.side(), p.user) + squares_of_item(w, s.side(), p.item);
  }
};

}  // namespace hogwild
