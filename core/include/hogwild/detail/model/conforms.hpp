// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include <hogwild/detail/model/archetypes.hpp>
#include <hogwild/detail/model/member_names.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

// Compiler messages for a type that is not quite a model: a sentence for each member that is missing, has the wrong
// form, or whose name is almost right. Included by model.hpp.

namespace hogwild::detail {

/// Whether `value` is known at compile time.
template <class T, T value>
inline constexpr bool is_constant = true;

template <class Range, class Item>
concept range_of = requires(const Range& range) {
  { *std::begin(range) } -> std::convertible_to<Item>;
  std::end(range);
};

/// Checks members that any model may have, and names that are almost right.
template <class M>
constexpr void check_options() {
  static_assert(
      !has_name<M>() || requires { is_constant<std::size_t, std::string_view(M::name).size()>; },
      "a model's name is static constexpr std::string_view");
  static_assert(
      !has_labels<M>() ||
          requires(const M& m) {
            { m.labels } -> std::convertible_to<label_kind>;
          },
      "a model's labels are a hogwild::label_kind: real, binary or classes");
  static_assert(
      !requires(const M& m) {
        { m.label } -> std::convertible_to<label_kind>;
      },
      "a model says what its labels are by a member `labels`, not `label`");
  static_assert(
      !has_takes_lists<M>() || requires { is_constant<bool, M::takes_lists>; },
      "a model's takes_lists is static constexpr bool: whether rows may have lists of labels");
  static_assert(
      !has_takes_weights<M>() || requires { is_constant<bool, M::takes_weights>; },
      "a model's takes_weights is static constexpr bool: whether its gradient heeds the weights of examples");
  static_assert(
      !has_takes_offsets<M>() || requires { is_constant<bool, M::takes_offsets>; },
      "a model's takes_offsets is static constexpr bool: whether its scores heed the offsets of examples");
  static_assert(
      !has_linear<M>() || requires { is_constant<bool, M::linear>; },
      "a model's linear is static constexpr bool: whether l2 is 1/n by default");
  static_assert(
      !requires(const M& m) { m.is_linear; } && !requires(const M& m) { m.is_linear(); },
      "a model says that it is linear by a member `linear`, not `is_linear`");
  static_assert(
      !has_defaults<M>() || requires { is_constant<std::uint32_t, training_defaults(M::defaults).batch>; },
      "a model's defaults are static constexpr hogwild::training_defaults");
  static_assert(
      !has_hyperparameters<M>() ||
          requires(const M& m) {
            { m.hyperparameters() } -> range_of<double>;
          },
      "a model's hyperparameters() const returns an array of numbers");
  static_assert(
      !requires(const M& m) {
        { m.hyperparameter() } -> range_of<double>;
      },
      "a model's hyperparameters are called hyperparameters(), not hyperparameter()");
}

/// `Scalar` is the type of its parameters.
template <class M, class Scalar>
constexpr void check_project() {
  static_assert(
      !has_project<M>() || projects_runs<M, Scalar>,
      "a model's project is void project(std::span<scalar> run, scalar step) const: parameters that were just "
      "moved, and the step that moved them");
}

/// Checks members that a model may have if it lays out its parameters itself.
template <class M>
constexpr void check_free_options() {
  using scalar = typename M::scalar_type;
  check_options<M>();
  check_project<M, scalar>();
  static_assert(
      !has_groups<M>() ||
          requires(const M& m) {
            { m.groups() } -> range_of<parameter_group>;
          },
      "a model's groups() const returns an array of hogwild::parameter_group");
  static_assert(
      !requires(const M& m) {
        { m.group() } -> range_of<parameter_group>;
      },
      "a model's groups are called groups(), not group()");
  static_assert(
      !has_init<M>() || init_by_rows<M> ||
          requires(const M& m, param_view<scalar> w, counter_random r) { m.init(w, r); },
      "a model's init is void init(const auto& w, const hogwild::counter_random& random) const, and may take the rows, "
      "a "
      "const hogwild::sparse_view&, behind these");
  constexpr bool nearly_init = requires(const M& m, param_view<scalar> w, counter_random r) {
    m.initialise(w, r);
  }
  || requires(const M& m, param_view<scalar> w, counter_random r) {
    m.initialize(w, r);
  };
  static_assert(!nearly_init, "what fills a model's parameters is called init");
  static_assert(
      !has_measured_rows<M>() || requires { is_constant<std::size_t, M::measured_rows>; },
      "a model's measured_rows is static constexpr std::size_t");
  static_assert(
      !has_sharing<M>() || requires { is_constant<sharing_kind, M::sharing>; },
      "a model's sharing is static constexpr hogwild::sharing_kind");
  static_assert(
      !has_scored<M>() || requires { is_constant<bool, M::scored>; },
      "a model's scored is static constexpr bool: false where its rows have no labels");
  static_assert(
      !has_cuts<M>() || requires { is_constant<bool, M::cuts>; },
      "a model's cuts is static constexpr bool: whether its rows are a graph's");
  static_assert(
      !has_repeats<M>() || requires { is_constant<bool, M::repeats>; },
      "a model's repeats is static constexpr bool: whether a column may stand in a row several times");
  static_assert(
      !has_require_data<M>() ||
          requires(const M& m, const sparse_view& rows) { m.require_data(rows, std::string_view()); },
      "a model's require_data takes (const hogwild::sparse_view& rows, std::string_view source)");
}

/// For a model with a workspace whose rows may have lists of labels.
template <class M>
constexpr void check_lists() {
  using reader = archetype::reader<typename M::scalar_type>;
  constexpr bool scores_classes = requires(const M& m, const reader& w, typename M::workspace& s,
                                           std::span<row_score> scores, std::span<float> of_classes) {
    m.score(w, s, std::size_t{}, scores, of_classes);
  };
  static_assert(scores_classes,
                "a model with a workspace whose takes_lists is true has void score(const auto& w, workspace&, "
                "std::size_t n, std::span<hogwild::row_score>, std::span<float> of_classes) const, too");
  constexpr bool decides = requires(const M& m, std::span<const float> scores) {
    { m.decision(scores) } -> std::convertible_to<float>;
  };
  static_assert(decides,
                "a model with a workspace whose takes_lists is true has float decision(std::span<const float> scores) "
                "const: the score above which a class is one of the row's");
}

template <class M>
constexpr bool check_scalar() {
  static_assert(has_scalar_type<M>(), "a model names its scalar_type: float or double");
  if constexpr (has_scalar_type<M>()) {
    constexpr bool is_parameter = requires {
      requires parameter<typename M::scalar_type>;
    };
    static_assert(is_parameter, "a model's scalar_type is float or double: its parameters are made of it");
    return is_parameter;
  }
  return false;
}

template <class M>
constexpr bool check_dim() {
  constexpr bool has = requires(const M& m) {
    { m.dim() } -> std::convertible_to<std::size_t>;
  };
  static_assert(has, "a model has std::size_t dim() const: how many parameters it has");
  return has;
}

template <class M>
constexpr bool check_margin_model() {
  constexpr bool loses = requires(const M& m, float x) {
    { m.loss(x, x) } -> std::convertible_to<double>;
  };
  static_assert(loses, "a linear model has double loss(float margin, float label) const");
  constexpr bool nearly = requires(const M& m, float x) {
    m.derivate(x, x);
  }
  || requires(const M& m, float x) {
    m.deriv(x, x);
  };
  static_assert(!nearly, "the slope of a linear model's loss is called derivative(margin, label)");
  constexpr bool slopes = requires(const M& m, float x) {
    { m.derivative(x, x) } -> std::convertible_to<float>;
  };
  static_assert(slopes || nearly,
                "a linear model has float derivative(float margin, float label) const: the slope of its loss");
  static_assert(!has_groups<M>() && !has_init<M>(),
                "the parameters of a linear model are the engine's: it has no groups and no init");
  static_assert(
      !has_prediction<M>() ||
          requires(const M& m, float x) {
            { m.prediction(x) } -> std::convertible_to<float>;
          },
      "what a linear model predicts is float prediction(float margin) const");
  static_assert(
      !has_smoothness<M>() ||
          requires(const M& m, double x) {
            { m.smoothness(x) } -> std::convertible_to<double>;
          },
      "a linear model's smoothness is double smoothness(double mean_label) const");
  static_assert(
      !has_probability<M>() ||
          requires(const M& m, float x) {
            { m.probability(x) } -> std::convertible_to<double>;
          },
      "a linear model's probability, of the larger label, is double probability(float margin) const");
  static_assert(
      !has_takes<M>() ||
          requires(double x) {
            { M::takes(x) } -> std::convertible_to<bool>;
          },
      "a linear model's takes is static bool takes(double label): whether the model is for this label");
  check_options<M>();
  check_project<M, float>();
  return loses && slopes;
}

template <class M>
constexpr bool check_general_model() {
  constexpr bool named = check_scalar<M>();
  static_assert(has_example_type<M>(), "a model names its example_type, e.g. hogwild::sparse_row<float>");
  constexpr bool counted = check_dim<M>();
  if constexpr (named && has_example_type<M>()) {
    using reader = archetype::reader<typename M::scalar_type>;
    using emit = archetype::emit<typename M::scalar_type>;
    using example = typename M::example_type;
    constexpr bool rows = std::same_as<example, sparse_row<float>>;
    static_assert(rows,
                  "a model's example_type is hogwild::sparse_row<float>, whatever its scalar_type: rows are floats");
    if constexpr (rows) {
      constexpr bool loses = loses_rows<M> || loses_drawn_rows<M>;
      static_assert(loses,
                    "a model has double loss(const auto& w, const example_type& z) const: the parameters, "
                    "then the example");
      constexpr bool emits = requires(const M& m, const reader& w, const example& z, const emit& to) {
        m.gradient(w, z, to);
      }
      || requires(const M& m, const reader& w, const example& z, const emit& to) {
        m.gradient(w, z, counter_random(0, 0), to);
      };
      static_assert(emits,
                    "a model has void gradient(const auto& w, const example_type& z, const auto& emit) const, or where "
                    "it draws gradient(w, z, const hogwild::counter_random& random, emit)");
      constexpr bool predicts = requires(const M& m, const reader& w, const example& z) {
        { m.predict(w, z) } -> std::convertible_to<float>;
      };
      static_assert(predicts || !has_predict<M>(),
                    "a model's predict is float predict(const auto& w, const example_type& z) const: the parameters, "
                    "then the example");
      check_free_options<M>();
      if constexpr (loses && emits) {
        constexpr bool silent = emits_partials<M> || emits_drawn_partials<M>;
        static_assert(silent, "a model's gradient returns nothing: what it finds it emits");
        // Their bodies are compiled, too. Named, not compared with null: under -fsanitize=undefined gcc does not treat
        // that as a constant.
        constexpr double (*loss)(const M&, const reader&, const example&) = [](const auto& m, const auto& w,
                                                                               const auto& z) -> double {
          if constexpr (loses_drawn_rows<M>)
            return static_cast<double>(m.loss(w, z, counter_random(0, 0)));
          else
            return static_cast<double>(m.loss(w, z));
        };
        constexpr void (*gradient)(const M&, const reader&, const example&,
                                   const emit&) = [](const auto& m, const auto& w, const auto& z, const auto& to) {
          if constexpr (emits_drawn_partials<M>)
            m.gradient(w, z, counter_random(0, 0), to);
          else
            m.gradient(w, z, to);
        };
        static_cast<void>(loss), static_cast<void>(gradient);
        return counted && silent && general_model<M>;
      }
    }
  }
  return false;
}

template <class M>
constexpr bool check_workspace_model() {
  constexpr bool named = check_scalar<M>();
  constexpr bool counted = check_dim<M>();
  constexpr bool keeps = requires {
    typename M::workspace;
  };
  static_assert(keeps,
                "a model that takes several examples names its workspace: what one worker needs besides the "
                "parameters");
  if constexpr (named && keeps) {
    using reader = archetype::reader<typename M::scalar_type>;
    using emit = archetype::block_emit<typename M::scalar_type>;
    using workspace = typename M::workspace;
    constexpr bool makes = requires(const M& m, const sparse_view& data) {
      { m.make_workspace(data, isa::scalar, std::size_t{}) } -> std::same_as<workspace>;
    };
    static_assert(makes,
                  "a model with a workspace has workspace make_workspace(const hogwild::sparse_view& data, "
                  "hogwild::isa, std::size_t batch) const");
    constexpr bool takes = requires(const M& m, workspace& s, const sparse_row<float>& z, counter_random r) {
      m.take(s, std::size_t{}, z, r);
    };
    static_assert(takes,
                  "a model with a workspace has void take(workspace&, std::size_t k, const "
                  "hogwild::sparse_row<float>&, hogwild::counter_random) const");
    constexpr bool emits = requires(const M& m, const reader& w, workspace& s, const emit& to) {
      m.gradient(w, s, std::size_t{}, to);
    };
    static_assert(emits,
                  "a model with a workspace has void gradient(const auto& w, workspace&, std::size_t n, const "
                  "auto& emit) const");
    constexpr bool scores_rows = requires(const M& m, const reader& w, workspace& s, std::span<row_score> scores) {
      m.score(w, s, std::size_t{}, scores);
    };
    static_assert(scores_rows,
                  "a model with a workspace has void score(const auto& w, workspace&, std::size_t n, "
                  "std::span<hogwild::row_score>) const");
    static_assert(
        !has_emits_sums<M>() || requires { is_constant<bool, M::emits_sums>; },
        "a model's emits_sums is static constexpr bool");
    static_assert(
        !requires { is_constant<bool, M::emit_sums>; },
        "a model says that it emits sums by a member `emits_sums`, not `emit_sums`");
    check_free_options<M>();
    if constexpr (makes && takes && emits && scores_rows) {
      static_assert(workspace_model<M>, "take, gradient and score of a model with a workspace return nothing");
      constexpr void (*gradient)(const M&, const reader&, workspace&, const emit&) =
          [](const M& m, const reader& w, workspace& s, const emit& to) { m.gradient(w, s, 1, to); };
      constexpr void (*score)(const M&, const reader&, workspace&, std::span<row_score>) =
          [](const M& m, const reader& w, workspace& s, std::span<row_score> scores) {
            m.score(w, s, scores.size(), scores);
          };
      static_cast<void>(gradient), static_cast<void>(score);
      if constexpr (takes_lists<M>()) check_lists<M>();
      return counted && workspace_model<M>;
    }
  }
  return false;
}

/// The kind of model that a type is meant to be, judging by its members.
template <class M>
inline constexpr bool meant_linear =
    margin_model<M> || !(has_scalar_type<M>() || has_example_type<M>() || has_dim<M>() || has_gradient<M>());
template <class M>
inline constexpr bool meant_with_workspace = has_workspace<M>() || has_make_workspace<M>();

}  // namespace hogwild::detail

namespace hogwild {

/// True for a model that an engine can train. For anything else the compiler reports which member is wrong and why;
/// this includes optional members. A concept never looks into a body, so models are also instantiated here with a
/// reader that can only read and an emit that can only be called: a model that writes by itself does not compile. Use:
/// static_assert(hogwild::conforms<my_model>());
template <class M>
constexpr bool conforms() {
  static_assert(std::is_class_v<M>, "a model is a struct or a class");
  if constexpr (!std::is_class_v<M>)
    return false;
  else if constexpr (detail::meant_linear<M>)
    return detail::check_margin_model<M>();
  else if constexpr (detail::meant_with_workspace<M>)
    return detail::check_workspace_model<M>();
  else
    return detail::check_general_model<M>();
}

/// The same, and that engines whose workers are processes can train it: worker_main() and register_model() require it.
template <class M>
constexpr bool conforms_for_processes() {
  static_assert(segment_storable<M>,
                "worker processes get a model as its bytes, so it is trivially copyable: keep numbers in it, and no "
                "std::string, std::vector or pointer");
  return segment_storable<M> && conforms<M>();
}

}  // namespace hogwild
