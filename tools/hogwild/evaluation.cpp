// SPDX-License-Identifier: Apache-2.0
#include "evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/models/class_sampler.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/detail/run/row_weights.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>

#include "standard_streams.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

/// For nets, which take several rows at once.
constexpr std::size_t rows_at_once = 64;

/// Vectors of documents are those of the lines of one text.
void require_trained_text(const saved_model& saved, const sparse_view& rows, const vocabulary& words,
                          const std::string& path) {
  if (rows.rows() != documents_in(saved))
    throw input_error(path + ": has " + std::to_string(rows.rows()) + " lines, and the model was trained on " +
                      std::to_string(documents_in(saved)) + " documents: give the text that it was trained on");
  std::vector<std::uint64_t> occurs(words.size());
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (const std::uint32_t word : cursor.row(r).index) ++occurs[word];
  for (std::size_t w = 0; w < words.size(); ++w)
    if (static_cast<float>(occurs[w]) != static_cast<float>(words.count(w)))  // as saved
      throw input_error(path + ": is not the text that the model was trained on: there " + quote(words.word(w)) +
                        " occurs " + std::to_string(words.count(w)) + " times, and here " + std::to_string(occurs[w]));
}

/// Uses both vectors of each word, as measurements in training do.
evaluation evaluate_words(const saved_model& saved, const std::string& data_path, data_options files) {
  files.documents = model_named(saved.model).facts().documents;
  const corpus text = open_words(data_path, min_count_of(saved), files, words_of(saved));
  if (files.documents) require_trained_text(saved, text.rows.view(), text.words, data_path);
  const named_model m = model_of_words(saved, text.words.size());
  const measured_loss told =
      loss_in_training(m, text.rows.view(), parameters_of_words(saved, m, text.words, data_path));
  return {saved.model, label_kind::real, told.rows, text.rows.unknown_entries(), {.loss = told.loss}};
}

/// See inverse_propensities(); empty if there are no rows to count.
std::vector<double> inverse_propensities_of(const labelled_before& before, const predictor& model,
                                            const data_options& files) {
  if (before.path.empty()) return {};
  data_options quietly = files;
  quietly.quiet = true;
  const sparse_dataset data =
      open_through(before.path, column_numbering(model.columns()), quietly, row_labels::of_lists);
  const sparse_view rows = data.view();
  model.labels().require_known(rows.label, before.path);
  return inverse_propensities(class_counts(rows, model.labels(), model.labels().classes()), rows.rows(), before.curve);
}

/// For rows with lists of labels.
measurement measure_lists(const predictor& model, const sparse_view& rows, std::vector<double> inverse,
                          thread_team& threads, const std::string& data_path) {
  if (!model.scores_classes()) label_map::refuse_lists(rows.label, data_path);
  shared_list_counts counts(model.labels().classes(), std::move(inverse));
  const auto make = [&] {
    return [&, &part = counts.of_thread(), cursor = row_cursor(rows)](const chunk& work, auto, auto) mutable {
      double sum = 0.0;
      for (std::size_t r = work.first; r < work.last; ++r) {
        const sparse_row<float> z = labelled_row(cursor, r, model.labels());
        const class_scores said = model.scores_of(z, list_counts::most_best);
        part.add(said.scores, said.decision, z.classes, z.weight);
        sum += static_cast<double>(z.weight) * said.loss;
      }
      return sum;
    };
  };
  const measurement found = evaluate_chunks(rows, model.labels(), threads, chunk_plan(rows.rows(), 1024), false, make);
  return counts.measure(found.loss);
}

/// A scorer of `most` rows at once that also keeps what it says of each row.
auto keeping_scorer(const predictor& model, std::size_t most, scored_rows& kept) {
  return [&, score = model.scorer(most), row_of = std::vector<std::size_t>(most)](
             std::size_t k, const sparse_row<float>* z, std::size_t row, std::span<row_score> said) mutable {
    score(k, z, row, said);
    if (z != nullptr) {
      row_of[k] = row;
      kept.labels[row] = z->label;
      if (kept.forecast) kept.forecast->set(row, model.probabilities(*z), z->label);
    }
    for (std::size_t i = 0; i < said.size(); ++i)
      kept.scores[row_of[i]] = said[i].score, kept.losses[row_of[i]] = said[i].loss;
  };
}

/// The score whose sign says the label, where the model's own score does not: of a calibrated model.
std::vector<float> decided(const predictor& model, std::span<const float> scores) {
  std::vector<float> signs;
  for (const float score : scores)
    signs.push_back(model.label_of(score) == model.labels().values().back() ? 1.0f : -1.0f);
  return signs;
}

/// The measures of rows whose mean loss is `loss`.
measurement measure_answers(const predictor& model, measure_function measure, double loss, const scored_rows& of) {
  const label_kind kind = model.labels().kind();
  measurement found = measure(kind, loss, of.scores, of.labels, of.weights);
  if (of.forecast) measure_forecasts(kind, *of.forecast, of.weights, found);
  if (model.calibrated()) measure_decisions(decided(model, of.scores), of.labels, of.weights, found);
  return found;
}

/// Measures rows with one label each.
measurement measure_rows(const predictor& model, model_input input, const sparse_view& rows, thread_team& threads,
                         scored_rows& kept) {
  kept.scores.resize(rows.rows()), kept.labels.resize(rows.rows()), kept.losses.resize(rows.rows());
  kept.weights.assign(rows.weight.begin(), rows.weight.end());
  if (model.has_probabilities()) kept.forecast.emplace(rows.rows());
  const auto make = [&](std::size_t most) { return keeping_scorer(model, most, kept); };
  const double loss = evaluate_examples(rows, model.labels(), threads, rows_at_once, make, false).loss;
  if (!std::isfinite(loss)) return {.loss = loss};
  measurement found = measure_answers(model, input == model_input::graph ? measure_cut : measure_scores, loss, kept);
  measure_groups(model.labels().kind(), kept.scores, kept.labels, kept.weights, rows.group, found);
  return found;
}

scored_rows part_of(const scored_rows& all, std::span<const std::size_t> rows) {
  scored_rows part;
  const auto take = [&](const auto& from, auto& into) {
    for (const std::size_t r : rows) into.push_back(from[r]);
  };
  take(all.losses, part.losses), take(all.scores, part.scores), take(all.labels, part.labels);
  if (!all.weights.empty()) take(all.weights, part.weights);
  if (all.forecast) part.forecast = all.forecast->of(rows);
  return part;
}

/// Measures the rows of each group by itself. Groups that weigh nothing have no measures, and are left out.
std::vector<measured_group> measure_groups(const predictor& model, const sparse_dataset& data, const scored_rows& all) {
  std::vector<std::vector<std::size_t>> rows_of(data.group_names().size());
  const sparse_view view = data.view();
  for (std::size_t r = 0; r < view.rows(); ++r) rows_of[view.group[r]].push_back(r);
  std::vector<measured_group> groups;
  for (std::size_t g = 0; g < rows_of.size(); ++g) {
    const scored_rows part = part_of(all, rows_of[g]);
    double sum = 0.0, weight = 0.0;
    for (std::size_t k = 0; k < part.losses.size(); ++k) {
      sum += weight_of(part.weights, k) * part.losses[k];
      weight += weight_of(part.weights, k);
    }
    if (weight > 0.0)
      groups.push_back(
          {data.group_names()[g], part.losses.size(), measure_answers(model, measure_scores, sum / weight, part)});
  }
  return groups;
}

/// Makes the column that --by names that of the rows' groups.
void group_by(const std::string& by, data_options& files, const std::string& model_path) {
  table_schema& schema = *files.table.schema;
  const bool table = !schema.columns.empty() && schema.text == named_text::table;
  if (table)
    schema.group = by;
  else if (by != "qid")
    throw config_error("--by names a column of a table, and the model " + model_path +
                       " reads none: leave it out, or give --by qid for rows with qid:NUMBER");
}

/// Of pairs or triples that hold none that the model knows nothing is measured, and their loss is that of no row.
evaluation require_measured(evaluation found, const std::string& data_path, const std::string& besides) {
  bool measured = false;
  for_each_measure(found.measures, [&](auto&...) { measured = true; });
  if (!measured)
    throw input_error(data_path + ": none of its " + std::to_string(found.rows) +
                      " rows can be measured: each has a name that the model does not know" + besides);
  return found;
}

void require_groups(const std::string& by, const sparse_view& rows, const std::string& data_path) {
  if (rows.group.empty())
    throw input_error(data_path + ": the rows have no " + (by == "qid" ? "qid:NUMBER" : "column " + quote(by)) +
                      ", which --by names");
  if (rows.label.lists()) throw config_error("--by is for rows with one label each, and " + data_path + " has lists");
}

}  // namespace

evaluation evaluate_candidates(const predictor& model, const std::string& name, const std::string& data_path,
                               const std::string& seen, const data_options& files) {
  const column_numbering columns(model.columns());
  std::optional<sparse_dataset> known;
  sparse_view known_rows{.columns = columns.size(), .original = columns.original()};
  if (!seen.empty()) known_rows = known.emplace(open_through(seen, columns, files, row_labels::required)).view();
  const sparse_dataset data = open_through(data_path, columns, files, row_labels::required);
  return {name, label_kind::real, data.rows(), data.unknown_entries(),
          measured_in_training(model.model(), known_rows, data.view(), model.parameters())};
}

evaluation evaluate(const saved_model& saved, const std::string& model_path, const std::string& data_path,
                    data_options files, const row_files& numbers, const evaluation_wishes& wishes) {
  const auto& [by, seen, known, before] = wishes;
  const model_input input = input_of(saved.model);
  if (!before.path.empty() && input != model_input::rows)
    throw config_error("--propensities is for rows with lists of labels, and a " + saved.model + " model reads none");
  if (!seen.empty() && input != model_input::pairs)
    throw config_error("--seen is for models of pairs, and " + model_path + " is a " + saved.model + " model");
  if (!known.empty() && input != model_input::triples)
    throw config_error("--known is for models of triples, and " + model_path + " is a " + saved.model + " model");
  const bool orders = input == model_input::pairs || input == model_input::triples;
  if (numbers.any() && (input == model_input::corpus || input == model_input::graph || orders))
    throw config_error("--weights and --offsets are for rows, and a " + saved.model + " model reads none");
  if (!by.empty() && (input == model_input::corpus || input == model_input::graph || orders))
    throw config_error("--by is for rows, and a " + saved.model + " model reads none");
  if (input == model_input::corpus) return evaluate_words(saved, data_path, files);
  files.choose_format(saved, model_path);
  const std::string own_group = files.table.schema->group;
  if (!by.empty()) group_by(by, files, model_path);
  const predictor model = predictor_of(saved, model_path);
  if (input == model_input::pairs)
    return require_measured(evaluate_candidates(model, saved.model, data_path, seen, files), data_path,
                            seen.empty() ? "" : ", or is in " + seen);
  if (input == model_input::triples) {
    if (known.empty() && !files.quiet)
      say("no triples are known to be true but those of " + data_path + ": name those of the training by --known FILE");
    return require_measured(evaluate_candidates(model, saved.model, data_path, known, files), data_path, "");
  }
  const column_numbering columns(saved.columns);
  sparse_dataset data =
      open_through(data_path, columns, files, model.takes_empty_lists() ? row_labels::of_lists : row_labels::required);
  numbers.read_for(data);
  sparse_view rows = data.view();
  if (!by.empty()) require_groups(by, rows, data_path);
  model.require_data(rows, data_path);
  model.labels().require_known(rows.label, data_path);
  const std::vector<float> weights = row_weights(rows, {}, model.labels(), data_path, nullptr);
  rows.weight = weights;
  const auto threads = thread_team::make(thread_team_kind::openmp, worker_count(), false);
  scored_rows kept;
  const bool lists = rows.label.lists();
  if (!lists && !before.path.empty())
    throw config_error("--propensities is for rows with lists of labels, and " + data_path + " has none: leave it out");
  // Measures of all rows rank them within the model's own groups.
  if (!by.empty() && by != own_group && by != "qid") rows.group = {};
  const measurement measures =
      lists ? measure_lists(model, rows, inverse_propensities_of(before, model, files), *threads, data_path)
            : measure_rows(model, input, rows, *threads, kept);
  if (!std::isfinite(measures.loss))
    throw input_error("the loss of " + model_path + " on " + data_path +
                      " is not finite: one of them has numbers that are too large for single precision");
  evaluation found{saved.model, model.labels().kind(), data.rows(), data.unknown_entries(), measures};
  if (!by.empty()) found.groups = measure_groups(model, data, kept);
  if (!lists && input != model_input::graph) found.scored = std::move(kept);
  return found;
}

}  // namespace hogwild::cli
