// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/results/forecasts.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/result.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

/// The answers of a model for labelled rows, row by row.
struct scored_rows {
  std::vector<double> losses{};         ///< of each row, without its weight
  std::vector<float> scores{};          ///< as predictor::score()
  std::vector<float> labels{};          ///< as label_map::encode() makes them
  std::vector<float> weights{};         ///< empty: each row counts once
  std::optional<forecasts> forecast{};  ///< of a model that has probabilities
};

/// The rows of one group.
struct measured_group {
  std::string name;
  std::size_t rows = 0;
  measurement measures{};
};

/// A model as it was measured on rows.
struct evaluation {
  std::string model;
  label_kind kind = label_kind::real;
  std::size_t rows = 0, unknown_entries = 0;
  measurement measures{};
  /// Absent for graphs, words and rows with lists of labels.
  std::optional<scored_rows> scored{};
  std::vector<measured_group> groups{};  ///< in the order of their first rows
};

/// The rows whose labels were the more likely to be given the more rows they have: those that a model was trained on.
struct labelled_before {
  std::string path{};  ///< empty: unknown
  propensity_curve curve{};
};

/// The measures and files that a user asks an evaluation for; an empty field asks for nothing.
struct evaluation_wishes {
  std::string by{};          ///< a column of a table, or "qid" for rows with query numbers: measure each of its groups
  std::string seen{};        ///< a file of pairs that are not recommended again, as those of training rows are not
  std::string known{};       ///< a file of triples that are true, as those of training rows are
  labelled_before before{};  ///< measure precision with rare labels counting more
};

/// Measures a saved model, whose name is `model_path`, on the rows, or the text, of a file; groups are measured as far
/// as they weigh anything. Throws config_error if there are no such groups, or for a wish that does not suit the model
/// or its rows, what reading them throws, and input_error for labels that the model does not know, and for a loss that
/// is not finite.
evaluation evaluate(const saved_model& saved, const std::string& model_path, const std::string& data_path,
                    data_options files, const row_files& numbers, const evaluation_wishes& wishes);

/// Measures a model of pairs or of triples by those of a file, as training does; `seen`: a file of those that are
/// known, or empty.
evaluation evaluate_candidates(const predictor& model, const std::string& name, const std::string& data_path,
                               const std::string& seen, const data_options& files);

}  // namespace hogwild::cli
