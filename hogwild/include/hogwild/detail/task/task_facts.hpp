// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <hogwild/detail/model/kernel_models.hpp>
#include <hogwild/detail/model/model_number.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// Whether a model's initial parameters depend on the labels of its rows, too: init(view, random, rows, labels) besides
/// init(view, random, rows). Ranks would begin with different ones, so only one process trains it.
template <class M>
inline constexpr bool init_by_labels = requires(const M& m, param_view<float> w, counter_random random,
                                                const sparse_view& rows, const label_map& labels) {
  m.init(w, random, rows, labels);
};

/// Facts about a model on its data, known before anybody trains it. Values alone; nothing changes them.
struct task_facts {
  std::string_view model{};  ///< its name
  std::size_t parameters = 0, scalar_bytes = sizeof(float);
  std::vector<std::byte> model_bytes{};   ///< the object; empty if it cannot be copied byte by byte
  std::vector<double> hyperparameters{};  ///< they distinguish the model from others of its name and size
  std::vector<std::pair<std::string, double>> numbers{};  ///< those of M::numbers(), with their values
  bool saved_by_groups = false;                           ///< these and the groups are all that a saved file holds
  /// The form of a net's first and last layer, if there are several to choose from; else empty.
  std::string_view first_layer{}, last_layer{};
  std::string_view products{};            ///< what computes them, if the model has several forms; else empty
  std::string_view class_loss{};          ///< the loss of classes, if there are several to choose from; else empty
  std::size_t samples = 0;                ///< draws of a batch for a sampled last layer,
  std::string_view sampled_by{};          ///< and their distribution
  std::vector<parameter_group> groups{};  ///< together they cover the parameters once
  /// Whether it is a margin model: popular columns may then be replicated before a shared tail.
  bool margin = false;
  /// The weights are stored as v with w = scale * v (scaled_l2).
  bool scaled = false;
  /// The second derivative of its loss has no bound: too large a step may end with any finite objective.
  bool unbounded_curvature = false;
  /// The mean loss is a convex function of the parameters, and the task has linear bounds of it (loss_bound.hpp).
  bool convex = false;
  /// The objective may rise though nothing is wrong: for example that of a cut, which begins with all nodes alike.
  bool non_monotone = false;
  bool repeats = false;  ///< a column may occur several times in a row, as a word in a sentence; entries have no values
  /// The number of training rows, from the first one, on which an epoch's loss is measured.
  std::size_t measured_rows = 0;
  /// The sharing that `automatic` means for several workers; automatic if it depends on data and machine.
  sharing_kind preferred_sharing = sharing_kind::automatic;
  bool orders_candidates = false;  ///< it measures how it orders candidates
  bool whole_batches = false;      ///< chunks hold whole batches
  std::uint32_t lanes = 0;         ///< for models that are trained side by side: the number of lanes (lane_table)
  /// For a model of ratings that kernels train under the run's options; else 0.
  std::size_t users = 0, items = 0;
  bool has_ownership = false;  ///< blocks of its ratings may have owners
  bool pair_kernels = false;   ///< kernels train its pairs under the run's options

  bool row_kernels = false;     ///< kernels train its rows if a worker has arrays of its own, under the run's options
  bool racing_kernels = false;  ///< and also if all workers share one
  std::size_t halves = 0;       ///< how many of the first parameters replicas may store as halves under these options

  bool edge_kernels = false;  ///< for a cut: kernels train its edges under the run's options
  bool emits_rows = false;    ///< each run that an example emits begins where a row does

  bool rating_kernels() const { return users > 0; }
};

/// Whether all frozen groups are named "bias".
inline bool freezes_biases_alone(std::span<const parameter_group> groups, const loop_options& o) {
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (o.freezes(i) && groups[i].name != "bias") return false;
  return true;
}

/// The numbers that M::numbers() names, with their values.
template <class M>
std::vector<std::pair<std::string, double>> named_numbers_of(const M& m) {
  std::vector<std::pair<std::string, double>> all;
  for (const model_number& number : numbers_of<M>()) all.emplace_back(std::string(number.name), number.get(&m));
  return all;
}

/// The numbers that tell the model from others of its name and size: its hyperparameters(), or else those of numbers().
template <class M>
std::vector<double> hyperparameters_of(const M& m) {
  if constexpr (requires { m.hyperparameters(); }) {
    const auto numbers = m.hyperparameters();
    return {numbers.begin(), numbers.end()};
  } else {
    std::vector<double> all;
    for (const auto& [name, value] : named_numbers_of(m)) all.push_back(value);
    return all;
  }
}

/// The facts of a model on these rows, trained with these options.
template <model M>
task_facts facts_of(const M& m, const sparse_view& data, const loop_options& o) {
  task_facts facts{.model = model_name<M>(), .measured_rows = data.rows()};
  if constexpr (segment_storable<M>) {
    const auto bytes = std::as_bytes(std::span(&m, 1));
    facts.model_bytes.assign(bytes.begin(), bytes.end());
  }
  facts.numbers = named_numbers_of(m);
  facts.hyperparameters = hyperparameters_of(m);
  facts.saved_by_groups = margin_model<M> || !in_library<M>();
  if constexpr (margin_model<M>) {
    facts.parameters = data.columns + (o.bias ? 1 : 0);
    facts.groups = {{.name = "weights", .rows = data.columns}};
    if (o.bias) facts.groups.push_back({.name = "bias", .offset = data.columns, .rows = 1, .hot_first = false});
    facts.margin = true;
    facts.scaled = o.optimizer == optimizer_kind::sgd && o.form != l2_form::two_pass && !o.proximal();
    facts.unbounded_curvature = requires {
      m.smoothness(0.0);
    };
    facts.convex = is_convex<M>();
  } else {
    facts.parameters = m.dim();
    facts.scalar_bytes = sizeof(typename M::scalar_type);
    facts.groups = groups_of(m);
    facts.non_monotone = cuts_graphs<M>();
    facts.whole_batches = workspace_model<M>;
    facts.emits_rows = factor_model<M> || requires {
      requires M::emits_rows;
    };
    facts.orders_candidates = orders_candidates<M>;
    if constexpr (requires { M::measured_rows; }) facts.measured_rows = M::measured_rows;
    if constexpr (requires { M::repeats; }) facts.repeats = M::repeats;
    if constexpr (requires { m.first_layer(); }) facts.first_layer = m.first_layer();
    if constexpr (requires { m.last_layer(); }) facts.last_layer = m.last_layer();
    if constexpr (requires { form_of(m.products); }) facts.products = form_of(m.products);
    if constexpr (requires { m.class_loss(); }) facts.class_loss = m.class_loss();
    if constexpr (requires { m.sampling(); }) std::tie(facts.samples, facts.sampled_by) = m.sampling();
    if constexpr (requires { M::sharing; }) facts.preferred_sharing = M::sharing;
  }
  if constexpr (row_kernel_model<M> || field_model<M>)
    facts.row_kernels = !o.proximal() && freezes_biases_alone(facts.groups, o) &&
                        (row_kernel_model<M> || o.batch == 1) &&
                        (o.optimizer == optimizer_kind::sgd || o.optimizer == optimizer_kind::adagrad);
  if constexpr (half_factor_model<M>)
    facts.halves = facts.row_kernels ? facts.groups.front().rows * facts.groups.front().width : 0;
  if constexpr (field_model<M>) facts.racing_kernels = facts.row_kernels && o.update == update_kind::lossy;
  if constexpr (cut_model<M>)
    facts.edge_kernels =
        m.sides == 2 && by_chunks(o.order) && o.optimizer == optimizer_kind::sgd && o.frozen_groups == 0 && o.l2 == 0.0;
  if constexpr (pairwise_model<M>)
    facts.pair_kernels = !o.proximal() && by_chunks(o.order) && o.frozen_groups == 0 && data.weight.empty() &&
                         (o.optimizer == optimizer_kind::sgd || o.optimizer == optimizer_kind::row_adagrad);
  if constexpr (requires { m.parts; }) facts.pair_kernels = facts.pair_kernels && m.parts == 0;
  if constexpr (factor_model<M>) {
    const bool kernels = !o.proximal() && by_chunks(o.order) && o.frozen_groups == 0 && data.weight.empty() &&
                         (o.optimizer == optimizer_kind::sgd || o.optimizer == optimizer_kind::row_adagrad);
    if (kernels) facts.users = m.users, facts.items = m.items;
    facts.has_ownership = kernels && o.update == update_kind::lossy && o.shards == sharding::claimed;
  }
  return facts;
}

}  // namespace hogwild
