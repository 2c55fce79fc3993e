// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/models/class_loss.hpp>
#include <hogwild/detail/models/net.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/detail/models/sampled_layer.hpp>
#include <hogwild/detail/models/sparse_layer.hpp>
#include <hogwild/detail/models/tree_layer.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// One worker's memory for an mlp; no other thread may use it at the same time.
struct mlp_workspace {
  net_workspace net;                    ///< all layers except a sparse first one and a last one that is not dense
  std::optional<sparse_layer> first;    ///< if the first layer is sparse
  std::vector<float> values{}, bias{};  ///< of the first layer
  std::optional<class_loss> loss{};     ///< of a dense last layer
  std::optional<sampled_layer> last{};  ///< if the last layer is sampled
  std::optional<tree_layer> tree{};     ///< if it is hierarchical

  void stop_when(std::function<bool()> asked) { net.stop_when(std::move(asked)); }
};

/// A multi-layer perceptron on sparse rows: a dense layer, relu and dropout for each hidden width that is not 0, then a
/// dense layer with a score for each class. The loss is -log softmax(scores)[class], for a row with a list of classes
/// the mean over these; or the sum of a logistic loss of each class against the others (class_loss.hpp).
///
/// A sparse first layer reads and changes only the weights of the columns in the batch. The partials of other columns
/// are 0, so sgd, adagrad and row_adagrad give the same result as in the dense form. The changes that other
/// optimisers would have made meanwhile are made up for when a column is next read (block_optimizer::settle). l2 is by
/// degree: over an epoch it sums up to that of the dense form.
///
/// A sampled last layer (sampled_layer.hpp) is stored by class: `classes` rows with as many weights as the layer before
/// has values, then a bias for each. It reads and changes only the classes in a batch's sample and labels. Momentum
/// applies a gradient's effect on all later steps to these at once. Adam's means change only in batches that have the
/// class. l2 is divided by the probability that a batch has the class. Losses and predictions are computed over all
/// classes.
///
/// A hierarchical last layer (tree_layer.hpp) has a row of weights and a bias for each inner node of a tree of the
/// classes. The number of rows of each class follows; these counts determine the tree and never change, so the
/// parameters contain the tree. Optimisers and l2 treat nodes as they treat classes above.
struct mlp {
  using scalar_type = float;
  using workspace = mlp_workspace;
  static constexpr std::string_view name = "mlp";
  static constexpr bool takes_weights = true;
  using library_model = mlp;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr bool takes_lists = true;
  static constexpr training_defaults defaults = {
      .step = 0.01, .schedule = schedule_kind::constant, .optimizer = optimizer_kind::momentum, .batch = 64};
  static constexpr std::size_t measured_rows = 10'000;
  static constexpr sharing_kind sharing = sharing_kind::direct;
  static constexpr std::size_t most_hidden = 4;  ///< hidden layers

  std::uint32_t features = 0;                             ///< columns that occur in the training data
  std::uint32_t classes = 2;                              ///< at least 2
  std::array<std::uint32_t, most_hidden> hidden = {128};  ///< units of each hidden layer; 0: no such layer
  float dropout = 0.0f;                                   ///< rate after each hidden layer
  float scale = 1.0f;                                     ///< multiplies the values of the data; 1/255 for bytes
  bool sparse = false;                                    ///< sparse first layer, which must be a hidden one
  std::uint32_t samples = 0;  ///< draws in a batch for the last layer, after a hidden one; 0: not sampled
  sample_distribution sampled_by = sample_distribution::frequency;  ///< how classes of a sampled last layer are drawn
  bool hierarchical = false;  ///< hierarchical last layer, after a hidden one and not sampled
  bool one_vs_rest = false;   ///< a logistic loss for each class against the others; not with a hierarchical layer

  /// The layers, from the row to the classes.
  constexpr net_plan net() const {
    net_plan layers({features, 1, 1}, {});
    add_hidden_layers(layers, hidden, dropout);
    layers.add(dense(last_rows()));
    return layers;
  }

  std::size_t dim() const { return net().parameters() + (has_tree() ? classes : 0); }
  std::array<double, 7> hyperparameters() const {
    return {static_cast<double>(dropout), static_cast<double>(scale),      has_sparse_layer() ? 1.0 : 0.0,
            static_cast<double>(samples), static_cast<double>(sampled_by), has_tree() ? 1.0 : 0.0,
            one_vs_rest ? 1.0 : 0.0};
  }
  /// The form of the first layer, for records.
  std::string_view first_layer() const { return has_sparse_layer() ? "sparse" : "dense"; }
  /// The form of the last layer, for records.
  std::string_view last_layer() const { return has_tree() ? "hierarchical" : has_sampled_layer() ? "sampled" : "full"; }
  /// The loss of a row's classes, for records.
  std::string_view class_loss() const { return one_vs_rest ? "one_vs_rest" : "softmax"; }
  /// Draws for a sampled last layer, and by which distribution, for records; none if it is not sampled.
  std::pair<std::size_t, std::string_view> sampling() const {
    if (!has_sampled_layer()) return {};
    return {samples, name_of(sampled_by)};
  }
  std::vector<parameter_group> groups() const {
    auto all = groups_of(net(), true);
    if (has_sampled_layer()) lay_by_row(all, "classes.weights", "classes.bias");
    if (!has_tree()) return all;
    lay_by_row(all, "nodes.weights", "nodes.bias");
    all.push_back({.name = "classes.rows",
                   .offset = net().parameters(),
                   .rows = classes,
                   .width = 1,
                   .hot_first = false,
                   .l2 = false});
    return all;
  }
  void init(const param_view<float>& w, const counter_random& random, const sparse_view& rows = {}) const {
    initialise_net(net(), w, random);
    for (std::size_t c = 0; has_tree() && c < classes; ++c)
      w.store(net().parameters() + c, c < rows.class_rows.size() ? tree_layer::counted(rows.class_rows[c]) : 0.0f);
  }

  /// An error message if the options contradict each other; empty if they do not.
  std::string_view contradiction() const {
    if (!hierarchical || !one_vs_rest) return {};
    return "an mlp that is one_vs_rest tells each class apart from all others, and one that is hierarchical is a "
           "softmax: leave out one of them";
  }
  /// Throws config_error if this build has no nets, or if the options contradict each other.
  void require_data(const sparse_view&, std::string_view) const {
    if (!has_layer_kernels()) throw config_error("the model mlp " + layer_kernels_missing());
    if (!contradiction().empty()) throw config_error(std::string(contradiction()));
  }

  workspace make_workspace(const sparse_view& rows, isa set, std::size_t batch) const {
    return make_workspace(rows, {}, set, batch);
  }
  /// For training: classes are drawn according to the number of rows that have them as labels.
  workspace make_workspace(const sparse_view& rows, const label_map& of, isa set, std::size_t batch) const {
    workspace space{.net = {inside(), set, batch, has_sparse_layer()}, .first = {}};
    if (has_sparse_layer()) {
      space.first = sparse_layer(features, hidden[0], std::max<std::size_t>(batch, 1));
      space.values.resize(hidden[0]);
      space.bias.resize(hidden[0]);
    }
    if (has_sampled_layer()) {
      class_sampler sampler(sampled_by, class_counts(rows, of, classes), samples);
      space.last.emplace(std::move(sampler), last_hidden(), set, batch, space.net.stride(), one_vs_rest);
    }
    if (has_dense_last()) space.loss.emplace(classes, one_vs_rest, set, batch, space.net.stride());
    if (has_tree()) space.tree.emplace(classes, last_hidden(), batch, space.net.stride());
    return space;
  }

  void take(workspace& space, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    net_workspace& layers = space.net;
    layers.describe(k, random.bits(0), z.label, z.weight);
    if (space.loss) space.loss->take(k, z);
    if (space.last) space.last->take(k, z, random.bits(1));
    if (space.tree) space.tree->take(k, z);
    if (space.first) return space.first->take(k, z, scale);
    layers.fill(k, 0, features, 0.0f);
    float* const to = layers.input(k);
    for (auto [j, x] : z) to[j * layers.stride()] = x * scale;
  }

  /// The group whose rows a batch skips unless its rows have the column: a sparse first layer's weights (lazy_model).
  parameter_group lazy_group() const {
    return {.name = "fc1.weights", .rows = has_sparse_layer() ? features : 0, .width = std::max(hidden[0], 1u)};
  }
  /// The columns of the rows of a batch, each once, ascending.
  std::span<const std::uint32_t> columns_of(workspace& space, std::size_t n) const {
    if (!space.first) return {};
    space.first->gather(n);
    return space.first->columns();
  }

  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    if (space.first) return sparse_gradient(w, space, n, emit);
    space.net.read(w, groups_inside());
    differentiate(w, space, n);
    space.net.emit(emit, groups_inside());
    emit_last(space, emit);
  }

  /// If of_classes has room, of_classes[k * classes + c] becomes the score of class c for example k.
  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores,
             std::span<float> of_classes = {}) const {
    if (space.first)
      feed(w, space, n);
    else
      space.net.read(w, groups_inside());
    for (std::size_t k = 0; k < n; ++k) scores[k] = {};
    const auto stopping = [&] { return space.net.stopping(); };
    const placed_rows lies = last_lies();
    if (space.tree) {
      grow(w, *space.tree);
      const tree_layer::node_reader read = [&](std::size_t node, std::span<float> weights) {
        w.block(lies.row(node), weights.size()).copy_to(weights);
        return w[lies.biases + node];
      };
      space.net.score(n, [&](const net_outputs& at) { space.tree->score(at, read, stopping, scores, of_classes); });
    } else if (space.last) {
      const sampled_layer::class_reader read = [&](std::size_t first, std::span<float> weights,
                                                   std::span<float> biases) {
        w.block(lies.row(first), weights.size()).copy_to(weights);
        w.block(lies.biases + first, biases.size()).copy_to(biases);
      };
      space.net.score(n, [&](const net_outputs& at) { space.last->score(at, read, stopping, scores, of_classes); });
    } else if (!of_classes.empty() || space.loss->differs(n)) {
      space.net.score(n, [&](const net_outputs& at) { space.loss->score(at, scores, of_classes); });
    } else {
      space.net.score(n, scores);
    }
  }

  /// The threshold above which a class is predicted for the row: see softmax.
  float decision(std::span<const float> scores) const {
    constexpr float half_as_probable = 0.693147181f;
    return one_vs_rest ? 0.0f : *std::ranges::max_element(scores) - half_as_probable;
  }

 private:
  bool has_sparse_layer() const { return sparse && hidden[0] != 0; }

  /// Number of values before the last layer.
  constexpr std::uint32_t last_hidden() const {
    std::uint32_t last = 0;
    for (const std::uint32_t width : hidden)
      if (width != 0) last = width;
    return last;
  }
  constexpr bool has_sampled_layer() const { return samples != 0 && last_hidden() != 0 && !has_tree(); }
  constexpr bool has_tree() const { return hierarchical && last_hidden() != 0; }
  /// Rows of weights of a last layer that is stored by row: classes, or inner nodes.
  constexpr std::uint32_t last_rows() const { return has_tree() ? classes - 1 : classes; }
  /// The place of a last layer that is stored by row.
  struct placed_rows {
    std::size_t width, weights, biases;
    std::size_t row(std::size_t r) const { return weights + r * width; }
  };
  placed_rows last_lies() const {
    const std::size_t width = last_hidden(), biases = net().parameters() - last_rows();
    return {width, biases - last_rows() * width, biases};
  }
  /// Gives the last layer's groups other names than those of a layer stored by input, because the order of its
  /// parameters differs.
  void lay_by_row(std::vector<parameter_group>& all, std::string_view weights_name, std::string_view bias_name) const {
    parameter_group &weights = all[all.size() - 2], &biases = all.back();
    weights.name = weights_name, weights.rows = last_rows(), weights.width = last_hidden();
    biases.name = bias_name, biases.rows = last_rows(), biases.width = 1;
  }
  bool has_dense_last() const { return !has_sampled_layer() && !has_tree(); }

  /// Parameters of the first layer.
  std::size_t first_parameters() const { return has_sparse_layer() ? (std::size_t{features} + 1) * hidden[0] : 0; }
  /// The groups without those of a sparse first layer and of a last one that is not dense.
  std::vector<parameter_group> groups_inside() const {
    auto all = groups();
    if (!has_dense_last()) all.erase(all.end() - (has_tree() ? 3 : 2), all.end());
    if (has_sparse_layer()) all.erase(all.begin(), all.begin() + 2);
    return all;
  }
  net_plan inside() const {
    const net_plan all = net();
    const bool behind = has_sparse_layer();
    net_plan rest({behind ? hidden[0] : features, 1, 1}, {});
    for (std::size_t i = behind ? 1 : 0; i < all.size() - (has_dense_last() ? 0 : 1); ++i) rest.add(all[i].layer);
    return rest;
  }

  /// Reads what examples 0 .. n-1 need, and passes the first layer's values to the layers after it.
  void feed(const auto& w, workspace& space, std::size_t n) const {
    sparse_layer& first = *space.first;
    const std::size_t width = hidden[0];
    first.gather(n);
    for (std::size_t s = 0; s < first.columns().size(); ++s)
      w.block(first.columns()[s] * width, width).copy_to(first.weights(s));
    w.block(std::size_t{features} * width, width).copy_to(std::span(space.bias));
    space.net.read(w, groups_inside(), first_parameters());
    for (std::size_t k = 0; k < n; ++k) {
      space.values = space.bias;
      first.forward(k, space.values);
      float* const to = space.net.input(k);
      for (std::size_t v = 0; v < width; ++v) to[v * space.net.stride()] = space.values[v];
    }
  }

  void sparse_gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    sparse_layer& first = *space.first;
    const std::size_t width = hidden[0];
    feed(w, space, n);
    differentiate(w, space, n);
    if (space.net.stopped()) return;
    std::ranges::fill(space.bias, 0.0f);
    for (std::size_t k = 0; k < n; ++k) {
      const float* const from = space.net.input_partials(k);
      for (std::size_t v = 0; v < width; ++v) {
        space.values[v] = from[v * space.net.stride()];
        space.bias[v] += space.values[v];
      }
      first.backward(k, space.values);
    }
    for (std::size_t s = 0; s < first.columns().size(); ++s) {
      const std::size_t column = first.columns()[s];
      if constexpr (requires { emit.sparse_block(column, 0, first.partials(s), 1.0f); })
        emit.sparse_block(column, column * width, first.partials(s),
                          static_cast<float>(first.count(s)) / static_cast<float>(n));
      else
        emit.block(column * width, first.partials(s));
    }
    emit.block(std::size_t{features} * width, std::span<const float>(space.bias));
    space.net.emit(emit, groups_inside(), first_parameters());
    emit_last(space, emit);
  }

  void differentiate(const auto& w, workspace& space, std::size_t n) const {
    if (space.tree) {
      grow(w, *space.tree);
      differentiate_by_row(w, space, n, *space.tree);
    } else if (space.last) {
      differentiate_by_row(w, space, n, *space.last);
    } else if (space.loss->differs(n)) {
      space.net.differentiate(n, [&](const net_outputs& at) { space.loss->differentiate(at); });
    } else {
      space.net.differentiate(n);
    }
  }
  void differentiate_by_row(const auto& w, workspace& space, std::size_t n, auto& last) const {
    const placed_rows lies = last_lies();
    last.gather(n);
    row_slots& slots = last.slots();
    for (std::size_t s = 0; s < slots.size(); ++s) {
      w.block(lies.row(slots.rows()[s]), lies.width).copy_to(slots.weights(s));
      slots.bias(s) = w[lies.biases + slots.rows()[s]];
    }
    space.net.differentiate(n, [&](const net_outputs& at) { last.differentiate(at); });
  }
  /// Makes the tree of the classes unless it exists.
  void grow(const auto& w, tree_layer& tree) const {
    if (tree.is_grown()) return;
    std::vector<float> counts(classes);
    w.block(net().parameters(), classes).copy_to(counts);
    tree.grow(counts);
  }

  /// The last layer's partials: as one run if the sample has all classes, else row by row.
  void emit_last(workspace& space, const auto& emit) const {
    if (space.net.stopped()) return;
    const placed_rows lies = last_lies();
    if (space.last && space.last->takes_all()) {
      emit.block(lies.weights, std::as_const(*space.last).slots().partials());
      emit.block(lies.biases, std::as_const(*space.last).slots().bias_partials());
      return;
    }
    if (space.last) emit_rows(std::as_const(*space.last), lies, emit);
    if (space.tree) emit_rows(std::as_const(*space.tree), lies, emit);
  }
  void emit_rows(const auto& last, const placed_rows& lies, const auto& emit) const {
    const row_slots& slots = last.slots();
    const auto emit_each = [&](auto offset_of, auto partials_of) {
      for (std::size_t s = 0; s < slots.size(); ++s) {
        const std::size_t offset = offset_of(slots.rows()[s]);
        if constexpr (requires { emit.rare_block(offset, partials_of(s), 1.0f); })
          emit.rare_block(offset, partials_of(s), last.chance(s));
        else
          emit.block(offset, partials_of(s));
      }
    };
    emit_each([&](std::size_t r) { return lies.row(r); }, [&](std::size_t s) { return slots.partials(s); });
    emit_each([&](std::size_t r) { return lies.biases + r; },
              [&](std::size_t s) { return slots.bias_partials().subspan(s, 1); });
  }
};

}  // namespace hogwild
