// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/agreement.hpp>
#include <hogwild/core/dataset.hpp>
#include <hogwild/core/vocabulary.hpp>
#include <hogwild/models/registry.hpp>

#include "ranks.hpp"
#include "train_request.hpp"

// The model that a request asks for, and the saved one that it begins with.

namespace hogwild::cli {

/// Whether the data are a graph.
bool is_of_graph(const train_request& request);
/// Whether the data are a corpus.
bool is_of_words(const train_request& request);

/// The model for these training rows. What it learns of the labels holds for all ranks, which all call it. Throws
/// config_error for a choice that does not suit the rows, and for a saved model (--init) what reading it throws.
named_model model_of(train_request& request, const sparse_view& rows, const agreement& ranks);

/// Users and items that --init knows keep their numbers where they have names; before the rows are opened.
void share_names(train_request& request);

/// Lets the run begin with the parameters of --init, where there is one. The model is read now, so that what does not
/// suit is found before anybody trains.
void begin_with_saved(const train_request& request, const named_model& m, const rank_rows& rows,
                      const vocabulary& words, train_options& options);

}  // namespace hogwild::cli
