// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/search/trials_side_by_side.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/result.hpp>
#include <hogwild/saved_model.hpp>

#include "ranks.hpp"
#include "train_request.hpp"

// The model that a request asks for, the saved one from which it begins, and the one that it saves.

namespace hogwild::cli {

class rows_to_calibrate;

/// Whether the data are a graph.
bool trains_on_graph(const train_request& request);
/// Whether the data are a corpus.
bool trains_on_words(const train_request& request);
/// The rows of a corpus on which the model is trained: its sentences, or pairs of words with their counts.
sparse_dataset rows_of_words(const train_request& request, const sparse_dataset& text);

/// The saved model from which the run begins; null if there is none. Word vectors are not such a model. Throws what
/// reading it throws.
std::shared_ptr<const saved_model> saved_to_begin_with(const train_request& request);

/// The model for these training rows. What it learns from the labels holds for all ranks, which all call it. Throws
/// config_error for a choice that does not suit the rows.
named_model model_of(train_request& request, const sparse_view& rows, const agreement& ranks,
                     const std::shared_ptr<const saved_model>& initial);

/// What the labels of these rows mean to the model: declared labels, or those that occur.
label_map known_labels(const train_request& request, const sparse_view& rows);

/// Users and items that the saved model knows keep their numbers if they have names; called before the rows are opened.
void adopt_name_format(train_request& request, const std::shared_ptr<const saved_model>& initial);

/// Makes the run begin with the parameters of --init, if it is given. Word vectors are read now, so that errors are
/// found before anybody trains.
void begin_with_saved(const train_request& request, const named_model& m, const rank_rows& rows,
                      const vocabulary& words, const std::shared_ptr<const saved_model>& initial,
                      train_options& options);

/// Makes the optimiser go on with the state that a saved model holds, if it suits the run. `name`: the saved model's;
/// `change` as in optimizer_start. Returns a sentence about it; empty if there is no state. Throws input_error for a
/// state that this program does not know.
std::string go_on_with_state(const train_request& request, const saved_model& initial, const std::string& name,
                             std::function<void(std::size_t k, std::span<float> values)> change,
                             train_options& options);

/// Gives a saved model the state of the optimiser that trained it, if the run has kept it and all of it is finite;
/// tells if it is not.
void keep_state(const optimizer_state& state, const named_model& m, std::span<const std::uint32_t> original,
                saved_model& saved);

/// Writes the model trained on these data to the file of --save, in the numbering of the input, calibrated to
/// `held_back` unless that is null. Not for word vectors. If it cannot be calibrated, writes it as it is, and throws
/// config_error.
void save_trained(const train_request& request, const named_model& m, const train_result& result, const rank_rows& rows,
                  const rows_to_calibrate* held_back);

/// The traits of its model, if such a trial equals a separate run of the request; nothing if a separate run has to
/// train it, or to report what is wrong with it.
std::optional<model_traits> traits_of_lane(const train_request& request, const sparse_view& rows);

/// The trial; the caller sets its `alike`, and what it is measured on. `traits`: as above, for rows with the same
/// labels.
side_by_side_trial lane_of(std::shared_ptr<const train_request> request, const model_traits& traits,
                           const sparse_view& rows);

}  // namespace hogwild::cli
