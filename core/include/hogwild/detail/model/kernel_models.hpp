// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/model.hpp>

// The members that a free model needs for the engine to train it by kernels.

namespace hogwild {

/// A free model of floats whose loss kernels know. It declares this by a member type `kernel_model`, which is the model
/// itself, so that derived models, whose loss may be another one, do not inherit it. Kernels train it if it satisfies
/// one of the following concepts.
template <class M>
concept trained_by_kernels =
    free_model<M> && std::same_as<typename M::scalar_type, float> && std::same_as<typename M::kernel_model, M>;

/// Its rows are ratings, which factor kernels train (detail/kernels/factor_kernels.hpp). It has the counts `users` and
/// `items`, the width() of their rows of factors, a flag `bias`, a `mean`, and loss_of(score, rating), of which
/// the member full_weight_from is part if there is one (factor_arrays). Its groups are the rows of users and of items
/// and their biases, in this order and without gaps; user u is column u of the data, item i column users + i.
template <class M>
concept factor_model = trained_by_kernels<M> && general_model<M> && requires(const M& m) {
  requires M::of_ratings;
  { m.width() } -> std::convertible_to<std::size_t>;
  { m.users } -> std::convertible_to<std::size_t>;
  { m.items } -> std::convertible_to<std::size_t>;
  { m.bias } -> std::convertible_to<bool>;
  { m.mean } -> std::convertible_to<float>;
  { m.loss_of(0.0f, 0.0f) } -> std::convertible_to<double>;
};

/// Its rows are pairs of a user and an item, which pairwise kernels train (detail/kernels/pairwise_kernels.hpp): each
/// against other_item(side data, user, random), an item that the user is not known to have, or nothing. A pair's weight
/// is its label times `per_weight` of the side data. User u is column u of the data, item i column users + i;
/// item_row() and item_bias() tell where an item's parameters lie, and users' rows lie first.
template <class M>
concept pairwise_model = trained_by_kernels<M> && workspace_model<M> && has_side_data<M> &&
    requires(const M& m, const side_data_t<M>& side, const counter_random& random) {
  { m.users } -> std::convertible_to<std::size_t>;
  { m.items } -> std::convertible_to<std::size_t>;
  { m.bias } -> std::convertible_to<bool>;
  { m.width() } -> std::convertible_to<std::size_t>;
  { m.item_row(std::size_t{}) } -> std::convertible_to<std::size_t>;
  { m.item_bias(std::size_t{}) } -> std::convertible_to<std::size_t>;
  { side->per_weight } -> std::convertible_to<float>;
  { m.other_item(*side, std::uint32_t{}, random) } -> std::same_as<std::optional<std::uint32_t>>;
};

/// A model that row kernels train (detail/kernels/row_kernels.hpp). arrays_in(w) tells where its parameters lie, given
/// that they begin at w. kernel_room() is the number of a column's factors, or of classes: a worker needs as many
/// floats for a row. derive(scores, label) replaces a row's scores by the derivatives of its loss and returns whether
/// any is not 0; derive<Models>() does this for `Models` models side by side, each with the same bits as alone, where
/// score k of model i is scores[k * Models + i]. measured(scores, label) is the loss and score of the row. A model that
/// takes lists also has both functions with the classes of a row in place of the label, and decision(scores), the
/// threshold above which a class is predicted for the row.
template <class M>
concept row_kernel_model = trained_by_kernels<M> && general_model<M> && requires(const M& m, float* s, float label) {
  m.arrays_in(s);
  { m.kernel_room() } -> std::convertible_to<std::size_t>;
  { m.derive(s, label) } -> std::convertible_to<bool>;
  { m.template derive<8>(s, label) } -> std::convertible_to<bool>;
  { m.measured(s, label) } -> std::same_as<row_score>;
};

/// Where the parameters of a row kernel model lie.
template <row_kernel_model M>
using kernel_arrays_of = decltype(std::declval<const M&>().arrays_in(nullptr));

/// A row kernel model with a score for each of `classes` classes, linear in the columns, of which there are `features`.
/// A column's weights for all classes are adjacent, and if it has a `bias`, a constant for each class follows all
/// columns: these are its two groups. It takes lists. With `one_vs_rest` its loss is the sum over the classes of the
/// loss of `loss_of_each`, a margin model, with the label +1 for the row's classes and -1 for the others; else it is
/// the cross entropy of the softmax of the scores.
template <class M>
concept linear_class_model = row_kernel_model<M> &&
    requires(const M& m, float* scores, std::span<const std::uint32_t> given) {
  requires M::linear;
  { m.features } -> std::convertible_to<std::size_t>;
  { m.classes } -> std::convertible_to<std::size_t>;
  { m.bias } -> std::convertible_to<bool>;
  { m.one_vs_rest } -> std::convertible_to<bool>;
  requires margin_model<std::remove_cvref_t<decltype(M::loss_of_each)>>;
  { m.derive(scores, given) } -> std::convertible_to<bool>;
  { m.measured(scores, given) } -> std::same_as<row_score>;
};

/// A workspace model with factors of columns for fields, which field kernels train (detail/kernels/field_kernels.hpp).
/// It has arrays_in(), derive() and measured() as above, and a workspace whose examples have a row() for kernels, and
/// room for it.
template <class M>
concept field_model = trained_by_kernels<M> && workspace_model<M> &&
    requires(const M& m, typename M::workspace& space, float* score, float label) {
  { m.arrays_in(score).stride } -> std::convertible_to<std::size_t>;
  { m.derive(score, label) } -> std::convertible_to<bool>;
  { m.measured(score, label) } -> std::same_as<row_score>;
  { space.room(space.example(std::size_t{})) } -> std::same_as<float*>;
  space.example(std::size_t{}).row();
};

/// A row kernel model or field model whose replicas may store factors as halves. half_arrays_in(w) tells where its
/// parameters lie from w on if its first group consists of halves; kernels train them.
template <class M>
concept half_factor_model = (row_kernel_model<M> || field_model<M>)&&requires(const M& m, float* w) {
  m.half_arrays_in(w);
};

/// A cut of a graph that kernels train if it has two sides (detail/kernels/cut_kernels.hpp). It has the counts `nodes`,
/// whose points are its parameters, and `sides`, the `unit` of its capacities, and terminals_of(data), the sides of the
/// columns that follow those of the nodes.
template <class M>
concept cut_model = trained_by_kernels<M> && workspace_model<M> && requires(const M& m, const sparse_view& data) {
  requires M::cuts;
  { m.nodes } -> std::convertible_to<std::size_t>;
  { m.sides } -> std::convertible_to<std::size_t>;
  { m.unit } -> std::convertible_to<float>;
  { m.terminals_of(data) } -> std::same_as<std::vector<std::uint32_t>>;
};

}  // namespace hogwild
