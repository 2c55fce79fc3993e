// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/model/archetypes.hpp>
#include <hogwild/detail/model/example.hpp>
#include <hogwild/detail/model/model_number.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/optimization/random.hpp>
#include <hogwild/detail/optimization/regularizer.hpp>
#include <hogwild/detail/optimization/schedule.hpp>
#include <hogwild/detail/platform/isa.hpp>

// The contract of a model. A model says how one example changes the parameters; it inherits nothing and writes nothing.

namespace hogwild {

/// A linear model whose loss looks at an example only through its margin w.x (+ bias): it supplies the scalar loss and
/// its derivative by the margin; dots, updates, bias, l2 and evaluation are the engine's. The label is what labels()
/// makes of it: -1/+1 for binary losses, the number itself for regression.
///
/// Optional: prediction(margin), where what it predicts is not the margin itself; require_data(rows, source), which
/// throws input_error for labels that it is not for, and a static takes(label), which says so of one label: the tests
/// of all margin models try no others; smoothness(mean_label), for a loss whose second derivative has no bound: one
/// that holds near the fit to labels of this mean; probability(margin) of the larger label; numbers(), what it is made
/// with (detail/model/model_number.hpp); project(run, step) as free models have it, for weights and not for the
/// constant term: such a model is trained as a general model (<hogwild/general_model.hpp>); a member type `convex`, the
/// model itself, so that it does not hold for models derived from it, where the loss is a convex function of the
/// margin, whose derivative at a kink is a slope between those to its sides: then a tolerance measures the distance
/// from the optimum (train_options::tolerance); with it least_loss(label), below which the loss never falls, where that
/// is not 0.
template <class M>
concept margin_model = requires(const M& m, float margin, float label) {
  { m.loss(margin, label) } -> std::convertible_to<double>;
  { m.derivative(margin, label) } -> std::convertible_to<float>;
};

/// What a margin model says of a row: its margin, or prediction(margin) where it has that, a number in the unit of the
/// labels.
template <margin_model M>
float prediction_of(const M& m, float margin) {
  if constexpr (requires {
                  { m.prediction(margin) } -> std::convertible_to<float>;
                })
    return m.prediction(margin);
  return margin;
}

/// A part of the parameters that is treated alike: `rows` rows of `width` parameters, from `offset` on.
struct parameter_group {
  std::string_view name = "weights";  ///< as `--freeze` has it
  std::size_t offset = 0;             ///< of its first parameter
  std::size_t rows = 0;               ///< of `width` parameters each
  std::size_t width = 1;              ///< parameters of a row
  bool hot_first = true;              ///< row r belongs to the data's column at position r
  double step_factor = 1.0;           ///< multiplies the run's step
  bool l2 = true;                     ///< whether the run's l2 applies; in general models only with hot_first
  bool projected = true;              ///< whether the model's project() applies
  std::size_t first_column =
      0;  ///< of rows that are ordered by popularity: row r belongs to the data's column first_column + r
};

/// What a model says of one row.
struct row_score {
  double loss = 0.0;   ///< of the row
  float score = 0.0f;  ///< binary: the margin; real: the prediction; classes: the predicted class
};

/// What a model is trained with where nothing else is asked for.
struct training_defaults {
  std::optional<double> step{};                       ///< none: one is found by a short search
  std::optional<double> decay{};                      ///< none: by the schedule; see step_options
  schedule_kind schedule = schedule_kind::geometric;  ///< how the step falls
  optimizer_kind optimizer = optimizer_kind::sgd;     ///< how a gradient changes the parameters
  std::uint32_t batch = 16;                           ///< rows that see the same parameters
  double l2 = 0.0;                                    ///< of models that are not linear
  l2_form form = l2_form::by_degree;                  ///< how l2 is applied
};

namespace detail {

template <class M>
concept loses_rows = requires(const M& m, const archetype::reader<typename M::scalar_type>& w,
                              const typename M::example_type& z) {
  { m.loss(w, z) } -> std::convertible_to<double>;
};
template <class M>
concept loses_drawn_rows = requires(const M& m, const archetype::reader<typename M::scalar_type>& w,
                                    const typename M::example_type& z, const counter_random& random) {
  { m.loss(w, z, random) } -> std::convertible_to<double>;
};
template <class M>
concept emits_partials = requires(const M& m, const archetype::reader<typename M::scalar_type>& w,
                                  const typename M::example_type& z,
                                  const archetype::emit<typename M::scalar_type>& emit) {
  { m.gradient(w, z, emit) } -> std::same_as<void>;
};
template <class M>
concept emits_drawn_partials = requires(const M& m, const archetype::reader<typename M::scalar_type>& w,
                                        const typename M::example_type& z, const counter_random& random,
                                        const archetype::emit<typename M::scalar_type>& emit) {
  { m.gradient(w, z, random, emit) } -> std::same_as<void>;
};

}  // namespace detail

/// Any other model, on examples of its example_type:
///
///   using scalar_type  = float;                      what its parameters are made of
///   using example_type = hogwild::sparse_row<float>; what it trains on
///   std::size_t dim() const;                         how many parameters it has
///   double loss(reader, example) const;              what is minimised, without regularisation
///   void gradient(reader, example, emit) const;      emit(j, g) for each partial derivative g that is not 0
///
/// `emit` may be applied at once, while other workers read and write, so gradient() finishes every read that feeds a
/// partial before that partial's emit, emits each coordinate at most once and no zeros, and keeps no state between
/// calls. `reader` has operator[](j) and block(offset, n); `emit` has operator()(j, g) and block(offset, partials).
///
/// What is drawn while it trains is drawn from the example's own random numbers, the same in every engine, and others
/// in each epoch: gradient(reader, example, random, emit) then, and loss(reader, example, random), whose numbers are
/// the same at every measure, and with which gradient() is compared where it is checked.
///
/// Optional: init(view, random), or init(view, random, rows), instead of zeros; predict(reader, example) -> label as
/// trained on; groups(); a static member `labels` (a label_kind, real by default); a static member `linear` = true for
/// the default l2 of 1/n; of labels that are classes a static member `takes_lists` = true, where it heeds the classes
/// of an example: rows may then have lists of labels, and `label` is the first of them; a static member `takes_offsets`
/// = true, where it adds an example's offset to its score: data with offsets are refused otherwise; numbers(), what it
/// is made with besides `features` and `classes`, which data say; project(run, step) for runs of parameters that belong
/// into a set, or that a step of this size draws somewhere, as to zero: it changes each run right after what was
/// emitted for it, and l2, have moved it. So it holds up to what others add meanwhile, or when replicas meet, and up to
/// rounding.
template <class M>
concept general_model = requires {
  typename M::scalar_type;
  typename M::example_type;
}
&&parameter<typename M::scalar_type>&& requires(const M& m) {
  { m.dim() } -> std::convertible_to<std::size_t>;
}
&&(detail::loses_rows<M> || detail::loses_drawn_rows<M>)&&(detail::emits_partials<M> ||
                                                           detail::emits_drawn_partials<M>);

/// Whether a general model draws while it trains, or while it is measured.
template <class M>
inline constexpr bool draws_numbers = detail::emits_drawn_partials<M> || detail::loses_drawn_rows<M>;

/// The loss of a general model, and its gradient, whether it draws or not.
template <class M, class Reader, class Example>
double loss_of(const M& m, const Reader& w, const Example& z, const counter_random& random) {
  if constexpr (detail::loses_drawn_rows<M>)
    return static_cast<double>(m.loss(w, z, random));
  else
    return static_cast<double>(m.loss(w, z));
}
template <class M, class Reader, class Example, class Emit>
void gradient_of(const M& m, const Reader& w, const Example& z, const counter_random& random, const Emit& emit) {
  if constexpr (detail::emits_drawn_partials<M>)
    m.gradient(w, z, random, emit);
  else
    m.gradient(w, z, emit);
}

/// A model that takes several examples at once, in memory of its own: nets, factors with kernels, windows of text.
///
///   using scalar_type = float;
///   using workspace   = ...;                          what one worker needs besides the parameters
///   std::size_t dim() const;
///   workspace make_workspace(data, isa, batch) const; for at most `batch` examples of these rows; may allocate
///   void take(workspace&, k, sparse_row, random) const;  example k < batch: copies what it needs of the row, whose
///                                                     spans die at once. `random` is the example's own: the same
///                                                     numbers in every engine
///   void gradient(reader, workspace&, n, emit) const;  of the mean loss of examples 0 .. n-1
///   void score(reader, workspace&, n, scores) const;  loss and score of each, without dropout
///
/// `emit` has block(offset, partials) alone, which must lie in one group. What is emitted may be applied at once, while
/// other workers read and write; a model whose steps are smaller than the examples that it takes (a window of a
/// sentence) may emit the same run again and will read what it has become.
///
/// Optional, besides what general models may have: a static member `defaults` (training_defaults); `measured_rows`, how
/// many training rows an epoch's loss is measured on; `sharing`, the sharing_kind that `auto` means; `scored` = false
/// for models without labels; `cuts` = true for those whose rows are a graph's; `repeats` = true where a column may
/// stand in a row several times, as words do in a sentence; `emits_sums` = true where the gradient is that of the sum
/// of the examples' losses, not of their mean; make_workspace(data, labels, isa, batch), which training prefers, with
/// the label_map of the data; require_data(rows, source), which throws config_error for rows that do not suit the
/// model, before anybody trains; hyperparameters(), an array of numbers that tell the model from others of its name and
/// size, so that a run is not resumed with another one; a static member `takes_weights` = true, where gradient()
/// multiplies each example's loss by its weight, which take() copies: data with weights are refused otherwise. score()
/// has losses without weights. l2 is a part of the gradient of every run that is emitted.
///
/// One that takes lists also has score(reader, workspace&, n, scores, of_classes), where of_classes[k * classes + c]
/// becomes what example k scores for class c, and decision(scores), above which a score makes its class one of the
/// row's.
///
/// A workspace whose batch takes longer than some milliseconds has stop_when(std::function<bool()>): gradient() and
/// score() ask what it was given every few of them, and return soon after it is true; what they then leave in scores
/// is not read, and a gradient that is not complete is not emitted.
template <class M>
concept workspace_model = requires {
  typename M::scalar_type;
  typename M::workspace;
}
&&parameter<typename M::scalar_type>&& requires(const M& m, typename M::workspace& space, const sparse_view& data,
                                                const sparse_row<float>& z, counter_random random,
                                                const archetype::reader<typename M::scalar_type>& w,
                                                const archetype::block_emit<typename M::scalar_type>& emit,
                                                std::span<row_score> scores) {
  { m.dim() } -> std::convertible_to<std::size_t>;
  { m.make_workspace(data, isa::scalar, std::size_t{}) } -> std::same_as<typename M::workspace>;
  { m.take(space, std::size_t{}, z, random) } -> std::same_as<void>;
  { m.gradient(w, space, std::size_t{}, emit) } -> std::same_as<void>;
  { m.score(w, space, std::size_t{}, scores) } -> std::same_as<void>;
};

/// What a worker trains in: where a model has make_workspace(data, labels, isa, batch), too, it is told what its rows'
/// labels mean.
template <workspace_model M>
typename M::workspace training_workspace(const M& m, const sparse_view& data, const label_map& labels, isa set,
                                         std::size_t batch) {
  if constexpr (requires { m.make_workspace(data, labels, set, batch); })
    return m.make_workspace(data, labels, set, batch);
  else
    return m.make_workspace(data, set, batch);
}

/// Models that begin with what depends on their rows as well: with init(view, random, rows), rows.class_rows counted.
template <class M>
inline constexpr bool init_by_rows = requires(const M& m, param_view<typename M::scalar_type> w, counter_random random,
                                              const sparse_view& rows) {
  m.init(w, random, rows);
};

/// A workspace that can be asked to stop.
template <class W>
concept stoppable_workspace = requires(W& space, std::function<bool()> asked) {
  space.stop_when(asked);
};

/// Models whose parameters are drawn into a set, or by a proximal map, after each of their steps.
template <class M, class Scalar>
inline constexpr bool projects_runs = requires(const M& m, std::span<Scalar> run, Scalar step) {
  m.project(run, step);
};

/// Models whose parameters are the model's to lay out.
template <class M>
concept free_model = general_model<M> || workspace_model<M>;

template <class M>
concept model = margin_model<M> || free_model<M>;

/// A general model of ratings that is trained by kernels (kernels/factor_kernels.hpp): it also has the counts `users`
/// and `items`, a width() of their rows, whether there is a `bias`, a `mean`, and a static loss_of(score, rating); its
/// groups are "users", "items", "user_bias" and "item_bias", in this order and without gaps, and user u is column u of
/// the data, item i column users + i. Of ours: of a model that derives from one, kernels would not hear the loss.
template <class M>
concept factor_model = general_model<M> && std::same_as<typename M::scalar_type, float> &&
    std::same_as<typename M::library_model, M> && requires(const M& m) {
  requires M::of_ratings;
  { m.width() } -> std::convertible_to<std::size_t>;
  { m.users } -> std::convertible_to<std::size_t>;
  { m.items } -> std::convertible_to<std::size_t>;
  { m.bias } -> std::convertible_to<bool>;
  { m.mean } -> std::convertible_to<float>;
  { M::loss_of(0.0f, 0.0f) } -> std::convertible_to<double>;
};

/// A general model of ours that row kernels train (detail/kernels/row_kernels.hpp): arrays_in(w) says where its
/// parameters lie from w on, kernel_room() how many floats a worker needs for a row, derive(scores, label) makes of a
/// row's scores the derivatives of its loss by them and returns whether one is not 0, and measured(scores, label) what
/// they come to. A model that takes lists has both with the classes of a row in the label's place, too, and
/// decision(scores), above which a score makes its class one of the row's. A model that derives from one of them is
/// none: its own loss would not be heard.
template <class M>
concept row_kernel_model = general_model<M> && std::same_as<typename M::scalar_type, float> &&
    std::same_as<typename M::library_model, M> && requires(const M& m, float* scores, float label) {
  m.arrays_in(scores);
  { m.kernel_room() } -> std::convertible_to<std::size_t>;
  { m.derive(scores, label) } -> std::convertible_to<bool>;
  { m.measured(scores, label) } -> std::same_as<row_score>;
};

/// A workspace model of ours with factors of columns for fields, which field kernels train
/// (detail/kernels/field_kernels.hpp): arrays_in(), derive() and measured() as above, and a workspace whose examples
/// have a row() for kernels, and room for it.
template <class M>
concept field_model = workspace_model<M> && std::same_as<typename M::scalar_type, float> &&
    std::same_as<typename M::library_model, M> &&
    requires(const M& m, typename M::workspace& space, float* score, float label) {
  { m.arrays_in(score).stride } -> std::convertible_to<std::size_t>;
  { m.derive(score, label) } -> std::convertible_to<bool>;
  { m.measured(score, label) } -> std::same_as<row_score>;
  { space.room(space.example(std::size_t{})) } -> std::same_as<float*>;
  space.example(std::size_t{}).row();
};

/// One of those two whose factors replicas may store as halves: half_arrays_in(w) says where its parameters lie from w
/// on where its first group is of halves, which kernels train.
template <class M>
concept half_factor_model = (row_kernel_model<M> || field_model<M>)&&requires(const M& m, float* w) {
  m.half_arrays_in(w);
};

/// A cut of ours that kernels train where it has two sides (detail/kernels/cut_kernels.hpp): it has the counts `nodes`,
/// whose points are its parameters, and `sides`, the `unit` of its capacities, and terminals_of(data), the sides of the
/// columns behind those of nodes. Of ours: of a model that derives from one, kernels would not hear the loss.
template <class M>
concept cut_model = workspace_model<M> && std::same_as<typename M::scalar_type, float> &&
    std::same_as<typename M::library_model, M> && requires(const M& m, const sparse_view& data) {
  requires M::cuts;
  { m.nodes } -> std::convertible_to<std::size_t>;
  { m.sides } -> std::convertible_to<std::size_t>;
  { m.unit } -> std::convertible_to<float>;
  { m.terminals_of(data) } -> std::same_as<std::vector<std::uint32_t>>;
};

/// A model whose object may be copied into a shared segment, byte by byte: what the process engine asks for. That it
/// holds no pointer, reference or span nobody can see from here: in another process they lead nowhere, and a worker
/// dies of them.
template <class M>
concept segment_storable = std::is_trivially_copyable_v<M>;

/// A model that a device can train, once it is named there (<hogwild/cuda/device_kernels.hpp>): a margin model, or a
/// general model of floats that takes its example by `const auto&`. HOGWILD_DEVICE_CODE stands before derivative(), or
/// before gradient(), and before what these call; loss and predict() stay on the CPU.
///
/// A row is trained by the 32 lanes of a warp, each of which runs gradient(). A loop over the row, `for (auto [j, x] :
/// z)`, gives each lane entries of its own; outside of loops all lanes do the same, what they read is read once for all
/// of them, and what they emit there is emitted once. So what adds up over a row is hogwild::dot(w, z) or
/// hogwild::sum(z, f), which stand outside of loops over it and give all lanes the sum; a loop is run to its end. Of an
/// example there are label, size(), the loop and these sums; of the reader w[j], of emit emit(j, g). What is read in
/// a loop is not what other lanes emit in it. A model that lanes do not train as the CPU does is refused when a run
/// begins, where rows that are tried show it; on a GPU a loop that other rows leave early may hang.
template <class M>
concept device_model = std::is_trivially_copyable_v<M> &&
    (margin_model<M> || (general_model<M> && std::same_as<typename M::scalar_type, float> &&
                         requires(const M& m, const archetype::reader<float>& w, const archetype::shared_row& z,
                                  const archetype::emit<float>& emit) {
                           { m.gradient(w, z, emit) } -> std::same_as<void>;
                         }));

/// How a model wants its labels: its member `labels`, static or its own.
template <class M>
constexpr label_kind labels_of(const M& m) {
  if constexpr (requires {
                  { m.labels } -> std::convertible_to<label_kind>;
                })
    return m.labels;
  return label_kind::real;
}

template <class M>
constexpr training_defaults defaults_of() {
  if constexpr (requires {
                  { M::defaults } -> std::convertible_to<training_defaults>;
                })
    return M::defaults;
  return {};
}

/// Whether what a model scores are the edges and nodes of a graph that it cuts: a static member `cuts`.
template <class M>
constexpr bool cuts_graphs() {
  if constexpr (requires {
                  { M::cuts } -> std::convertible_to<bool>;
                })
    return M::cuts;
  return false;
}

/// Whether a model's rows have scores: those without labels have a loss alone.
template <class M>
constexpr bool has_scores() {
  return !requires {
    requires !M::scored;
  };
}

/// Whether rows may have lists of labels: a static member `takes_lists`.
template <class M>
constexpr bool takes_lists() {
  return requires {
    requires M::takes_lists;
  };
}

/// Whether rows may weigh more or less than others: of models with a workspace where a static member `takes_weights`
/// says so, of others always.
template <class M>
constexpr bool takes_weights() {
  return !workspace_model<M> || requires {
    requires M::takes_weights;
  };
}

/// Whether rows may have offsets: of margin models always, of others where a static member `takes_offsets` says so.
template <class M>
constexpr bool takes_offsets() {
  return margin_model<M> || requires {
    requires M::takes_offsets;
  };
}

/// Whether the library has a free model's loops compiled: its own models say so by a member type `library_model`, the
/// model itself, so that it does not hold for models derived from them.
template <class M>
constexpr bool in_library() {
  return requires {
    requires std::same_as<typename M::library_model, M>;
  };
}

/// Whether the mean loss is a convex function of the parameters.
template <class M>
constexpr bool is_convex() {
  return requires {
    requires std::same_as<typename M::convex, M>;
  };
}

/// Whether the default l2 is 1/n.
template <class M>
constexpr bool is_linear() {
  if constexpr (requires {
                  { M::linear } -> std::convertible_to<bool>;
                })
    return M::linear;
  return margin_model<M>;
}

/// The parameter groups of a free model: its own, or one group, ordered by popularity, of all parameters.
template <free_model M>
std::vector<parameter_group> groups_of(const M& m) {
  if constexpr (requires { m.groups(); }) {
    const auto groups = m.groups();
    return {groups.begin(), groups.end()};
  } else {
    return {parameter_group{.rows = m.dim()}};
  }
}

/// A name for messages and for the check on attaching: M::name where there is one, else the type as the compiler spells
/// it.
template <class M>
constexpr std::string_view model_name() {
  if constexpr (requires {
                  { M::name } -> std::convertible_to<std::string_view>;
                }) {
    return M::name;
  } else {
    constexpr std::string_view text = __PRETTY_FUNCTION__;
    constexpr std::size_t begin = text.find("M = ") + 4;
    return text.substr(begin, text.find_first_of(";]", begin) - begin);
  }
}

}  // namespace hogwild

#include <hogwild/detail/model/conforms.hpp>  // what it checks stands above
