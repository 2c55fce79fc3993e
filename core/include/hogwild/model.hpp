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
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/math/regularizer.hpp>
#include <hogwild/detail/math/schedule.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/model/archetypes.hpp>
#include <hogwild/detail/model/model_number.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/platform/isa.hpp>

// The contract of a model. A model says how one example changes the parameters; it inherits nothing and writes nothing.

namespace hogwild {

/// A margin model is a linear model whose loss depends on an example only through the margin w.x (+ bias). It supplies
/// the scalar loss and its derivative with respect to the margin; the engine does dots, updates, bias, l2 and
/// evaluation. The label is as labels() asks: -1/+1 for binary losses, the number itself for regression.
///
/// Optional members:
/// - prediction(margin), if the prediction is not the margin itself
/// - require_data(rows, source), which throws input_error for labels that the model does not allow, and a static
///   takes(label), which tells whether it allows one label (the tests of all margin models use only such labels)
/// - smoothness(mean_label), for a loss whose second derivative has no bound: a bound that holds near the fit to labels
///   with this mean
/// - probability(margin) of the larger label
/// - numbers(), which the model is made with (detail/model/model_number.hpp)
/// - project(run, step), as free models have it, for weights but not the constant term; such a model is trained as a
///   general model (<hogwild/general_model.hpp>)
/// - a member type `convex`, which is the model itself, so that derived models do not inherit it: the loss is a convex
///   function of the margin, and derivative() at a kink is a slope between those to its sides. A tolerance then
///   measures the distance from the optimum (train_options::tolerance).
/// - least_loss(label), together with `convex`: a lower bound of the loss, if it is not 0
template <class M>
concept margin_model = requires(const M& m, float margin, float label) {
  { m.loss(margin, label) } -> std::convertible_to<double>;
  { m.derivative(margin, label) } -> std::convertible_to<float>;
};

/// The prediction for a row: its margin, or prediction(margin) if the model has that, in the unit of the labels.
template <margin_model M>
float prediction_of(const M& m, float margin) {
  if constexpr (requires {
                  { m.prediction(margin) } -> std::convertible_to<float>;
                })
    return m.prediction(margin);
  return margin;
}

/// Parameters that are treated alike: `rows` rows of `width` parameters, beginning at `offset`.
struct parameter_group {
  std::string_view name = "weights";  ///< the name that `--freeze` uses
  std::size_t offset = 0;             ///< index of its first parameter
  std::size_t rows = 0;               ///< rows of `width` parameters each
  std::size_t width = 1;              ///< parameters of a row
  bool hot_first = true;              ///< row r belongs to the data's column at position r: the popular ones first
  double step_factor = 1.0;           ///< multiplies the run's step
  bool l2 = true;                     ///< whether the run's l2 applies; general models: only with hot_first
  bool projected = true;              ///< whether the model's project() applies
  std::size_t first_column =
      0;  ///< for rows ordered by popularity: row r belongs to the data's column first_column + r
};

/// How a model scores one row.
struct row_score {
  double loss = 0.0;   ///< of the row
  float score = 0.0f;  ///< binary: the margin; real: the prediction; classes: the predicted class
};

/// The options that a model is trained with by default.
struct training_defaults {
  std::optional<double> step{};                       ///< none: a short search finds one
  std::optional<double> decay{};                      ///< none: the schedule decides; see step_options
  schedule_kind schedule = schedule_kind::geometric;  ///< how the step falls
  optimizer_kind optimizer = optimizer_kind::sgd;     ///< how a gradient changes the parameters
  std::uint32_t batch = 16;                           ///< rows that see the same parameters
  double l2 = 0.0;                                    ///< for models that are not linear
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
///   using scalar_type  = float;                      the type of its parameters
///   using example_type = hogwild::sparse_row<float>; the type of its examples
///   std::size_t dim() const;                         number of parameters
///   double loss(reader, example) const;              the loss to minimise, without regularisation
///   void gradient(reader, example, emit) const;      emit(j, g) for each partial derivative g that is not 0
///
/// `emit` may apply a partial at once, while other workers read and write. So gradient() finishes every read that a
/// partial depends on before it emits the partial, emits each coordinate at most once and no zeros, and keeps no state
/// between calls. `reader` has operator[](j) and block(offset, n); `emit` has operator()(j, g) and block(offset,
/// partials).
///
/// A model that draws random numbers while it trains has gradient(reader, example, random, emit). `random` yields the
/// example's own numbers: the same in every engine, new ones in each epoch. Such a model also has loss(reader, example,
/// random), whose numbers are the same in every measurement; gradient checks compare gradient() with this loss.
///
/// Optional members:
/// - init(view, random), or init(view, random, rows), instead of zeros
/// - predict(reader, example), which returns a label in the encoding that it is trained on
/// - groups()
/// - a static member `labels`, a label_kind, real by default
/// - a static member `linear` = true, for a default l2 of 1/n
/// - a static member `takes_lists` = true, for labels that are classes, if it uses the classes of an example: rows may
///   then have lists of labels, and `label` is the first of them
/// - a static member `takes_offsets` = true, if it adds an example's offset to its score; otherwise data with offsets
///   are refused
/// - numbers(), the model's own numbers besides `features` and `classes`, which come from the data
/// - project(run, step), which projects a run of parameters onto a set, or applies a proximal map of this step (one
///   that shrinks them towards zero, say). It changes each run right after the emitted partials and l2 have moved it.
///   So its result holds up to rounding, adds by other workers in between, and exchanges of replicas.
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

/// Whether a general model draws random numbers while it trains or is measured.
template <class M>
inline constexpr bool draws_numbers = detail::emits_drawn_partials<M> || detail::loses_drawn_rows<M>;

/// The loss of a general model, with or without random numbers.
template <class M, class Reader, class Example>
double loss_of(const M& m, const Reader& w, const Example& z, const counter_random& random) {
  if constexpr (detail::loses_drawn_rows<M>)
    return static_cast<double>(m.loss(w, z, random));
  else
    return static_cast<double>(m.loss(w, z));
}
/// The gradient of a general model, with or without random numbers.
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
///                                                     spans are invalid afterwards. `random` yields the example's own
///                                                     numbers, the same in every engine
///   void gradient(reader, workspace&, n, emit) const;  of the mean loss of examples 0 .. n-1
///   void score(reader, workspace&, n, scores) const;  loss and score of each, without dropout
///
/// `emit` has only block(offset, partials), and a block must lie in one group. Emitted partials may be applied at once,
/// while other workers read and write. A model whose steps are smaller than the examples that it takes (a window of a
/// sentence) may emit the same run again, and then reads the changed values.
///
/// Optional members, besides those of general models:
/// - a static member `defaults` (training_defaults)
/// - `measured_rows`, the number of training rows on which an epoch's loss is measured
/// - `sharing`, the sharing_kind that `auto` means
/// - `scored` = false, for models without labels
/// - `cuts` = true, if the rows are those of a graph
/// - `repeats` = true, if a column may occur several times in a row, like words in a sentence
/// - `emits_sums` = true, if the gradient is that of the sum of the examples' losses, not of their mean
/// - make_workspace(data, labels, isa, batch) with the label_map of the data, which training prefers
/// - make_side(data), which returns what the workspaces of all workers of a process read and none changes, made of the
///   training rows, as a handle that is cheap to copy; make_workspace(data, side, isa, batch) is then called with it
/// - require_data(rows, source), which throws config_error for rows that do not suit the model before training begins
/// - hyperparameters(), an array of numbers that differ between models of the same name and size, so that a run is not
///   resumed with another model
/// - a static member `takes_weights` = true, if gradient() multiplies each example's loss by its weight, which take()
///   copies; otherwise data with weights are refused
///
/// A model that orders candidates, such as items for a user, has a static member `measured_as`, a row_kind, and
///
///   void measure(w, side, rows, lists, in_threads, isa, stop, measurement&) const;
///
/// which sets the measures of that kind of rows from all parameters w, a span that nobody writes meanwhile. It makes at
/// most so many lists, of sources (users, say) that lie evenly among those of the rows.
/// in_threads(body) calls body once in each thread of a team; the model may return early if a stop is requested.
///
/// score() returns losses without weights. l2 is part of the gradient of every emitted run.
///
/// A model that takes lists also has score(reader, workspace&, n, scores, of_classes), which sets of_classes[k *
/// classes + c] to the score of class c for example k, and decision(scores), the threshold above which a class is
/// predicted for the row.
///
/// If a batch takes longer than some milliseconds, the workspace has stop_when(std::function<bool()>). gradient() and
/// score() then call the given function every few milliseconds and return soon after it returns true. Scores are not
/// read then, and an incomplete gradient is not emitted.
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

/// Whether workspaces read data of their model's own, which is made once in each process.
template <class M>
inline constexpr bool has_side_data = requires(const M& m, const sparse_view& data) {
  m.make_side(data);
};

/// What make_side() returns; nothing for models without it.
template <class M>
auto side_data_of(const M& m, const sparse_view& data) {
  if constexpr (has_side_data<M>)
    return m.make_side(data);
  else
    return std::monostate();
}
/// The type of that.
template <class M>
using side_data_t = decltype(side_data_of(std::declval<const M&>(), std::declval<const sparse_view&>()));

/// Makes a worker's workspace. Passes the label map to models that have make_workspace(data, labels, isa, batch), and
/// side data to those that have them.
template <workspace_model M>
typename M::workspace training_workspace(const M& m, const sparse_view& data, const label_map& labels,
                                         const side_data_t<M>& side, isa set, std::size_t batch) {
  if constexpr (has_side_data<M>)
    return m.make_workspace(data, side, set, batch);
  else if constexpr (requires { m.make_workspace(data, labels, set, batch); })
    return m.make_workspace(data, labels, set, batch);
  else
    return m.make_workspace(data, set, batch);
}

/// Whether a model's initial parameters depend on its rows: init(view, random, rows), with rows.class_rows counted.
template <class M>
inline constexpr bool init_by_rows = requires(const M& m, param_view<typename M::scalar_type> w, counter_random random,
                                              const sparse_view& rows) {
  m.init(w, random, rows);
};

/// Whether a model measures by itself how it orders candidates.
template <class M>
inline constexpr bool orders_candidates = requires {
  M::measured_as;
};

/// Runs a function once in each thread of a team.
using thread_runner = std::function<void(const std::function<void()>&)>;

/// A workspace that can be asked to stop.
template <class W>
concept stoppable_workspace = requires(W& space, std::function<bool()> asked) {
  space.stop_when(asked);
};

/// Models whose parameters are projected onto a set, or changed by a proximal map, after each step.
template <class M, class Scalar>
inline constexpr bool projects_runs = requires(const M& m, std::span<Scalar> run, Scalar step) {
  m.project(run, step);
};

/// Models that lay out their parameters themselves.
template <class M>
concept free_model = general_model<M> || workspace_model<M>;

template <class M>
concept model = margin_model<M> || free_model<M>;

/// A model whose object can be copied byte by byte into a shared segment, as the process engine requires. The concept
/// cannot see whether the object holds a pointer, reference or span: these are invalid in another process, and a worker
/// that uses one crashes.
template <class M>
concept segment_storable = std::is_trivially_copyable_v<M>;

/// A model that a device can train once it is named there (<hogwild/cuda/device_kernels.hpp>): a margin model, or a
/// general model of floats that takes its example by `const auto&`. HOGWILD_DEVICE_CODE precedes derivative() or
/// gradient(), and every function that these call; loss and predict() stay on the CPU.
///
/// The 32 lanes of a warp train a row; each runs gradient(). A loop over the row, `for (auto [j, x] : z)`, gives each
/// lane entries of its own. Outside of such loops all lanes do the same: a read is done once for all of them, and an
/// emit counts once. So take sums over a row by hogwild::dot(w, z) or hogwild::sum(z, f), outside of loops over it; all
/// lanes get the sum. Every loop must run to its end. An example has label, size(), the loop and these sums; the reader
/// has w[j], the emitter emit(j, g). A loop must not read what other lanes emit in it. When a run begins, it tries some
/// rows, and refuses a model that lanes train differently from the CPU; on a GPU, a loop that some rows leave early may
/// hang.
template <class M>
concept device_model = std::is_trivially_copyable_v<M> &&
    (margin_model<M> || (general_model<M> && std::same_as<typename M::scalar_type, float> &&
                         requires(const M& m, const archetype::reader<float>& w, const archetype::shared_row& z,
                                  const archetype::emit<float>& emit) {
                           { m.gradient(w, z, emit) } -> std::same_as<void>;
                         }));

/// The kind of labels that a model asks for: its member `labels`, static or not.
template <class M>
constexpr label_kind labels_of(const M& m) {
  if constexpr (requires {
                  { m.labels } -> std::convertible_to<label_kind>;
                })
    return m.labels;
  return label_kind::real;
}

/// What training takes where the user says nothing: the model's member `defaults`, if it has one.
template <class M>
constexpr training_defaults defaults_of() {
  if constexpr (requires {
                  { M::defaults } -> std::convertible_to<training_defaults>;
                })
    return M::defaults;
  return {};
}

/// Whether a model cuts a graph, whose edges and nodes are its rows: a static member `cuts`.
template <class M>
constexpr bool cuts_graphs() {
  if constexpr (requires {
                  { M::cuts } -> std::convertible_to<bool>;
                })
    return M::cuts;
  return false;
}

/// Whether a model's rows have scores; rows of models without labels have only a loss.
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

/// Whether rows may have weights: models with a workspace allow them by a static member `takes_weights`, others always.
template <class M>
constexpr bool takes_weights() {
  return !workspace_model<M> || requires {
    requires M::takes_weights;
  };
}

/// Whether rows may have offsets: margin models always allow them, others by a static member `takes_offsets`.
template <class M>
constexpr bool takes_offsets() {
  return margin_model<M> || requires {
    requires M::takes_offsets;
  };
}

/// Whether the library contains a free model's compiled loops: its own models say so by a member type `library_model`,
/// which is the model itself, so that derived models do not inherit it.
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

/// The parameter groups of a free model: its own, or a single group of all parameters, ordered by popularity.
template <free_model M>
std::vector<parameter_group> groups_of(const M& m) {
  if constexpr (requires { m.groups(); }) {
    const auto groups = m.groups();
    return {groups.begin(), groups.end()};
  } else {
    return {parameter_group{.rows = m.dim()}};
  }
}

/// A name for messages and for the check on attaching: M::name if it exists, else the type as the compiler spells it.
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

#include <hogwild/detail/model/conforms.hpp>  // the contract that it checks is above
