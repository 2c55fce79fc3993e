// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/run/row_weights.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/words/analogies.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "standard_streams.hpp"
#include "summary.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

struct evaluation {
  std::string model;
  std::size_t rows = 0, unknown_entries = 0;
  measurement measures{};
};

/// For nets, which take several rows at once.
constexpr std::size_t rows_at_once = 64;

/// Uses both vectors of each word, as measurements in training do.
evaluation evaluate_words(const saved_model& saved, const std::string& data_path, const data_options& files) {
  const corpus text = open_words(data_path, min_count_of(saved), files, words_of(saved));
  const named_model m = model_of_words(saved, text.words.size());
  const measured_loss told =
      loss_in_training(m, text.rows.view(), parameters_of_words(saved, m, text.words, data_path));
  return {saved.model, told.rows, text.rows.unknown_entries(), {.loss = told.loss}};
}

/// For rows with lists of labels.
measurement measure_lists(const predictor& model, const sparse_view& rows, thread_team& threads,
                          const std::string& data_path) {
  if (!model.scores_classes()) label_map::refuse_lists(rows.label, data_path);
  shared_list_counts counts(model.labels().classes());
  const auto make = [&] {
    return [&, &part = counts.of_thread(), cursor = row_cursor(rows)](const chunk& work, auto, auto) mutable {
      double sum = 0.0;
      for (std::size_t r = work.first; r < work.last; ++r) {
        const sparse_row<float> z = labelled_row(cursor, r, model.labels());
        const class_scores said = model.scores_of(z);
        part.add(said.scores, said.decision, z.classes, z.weight);
        sum += static_cast<double>(z.weight) * said.loss;
      }
      return sum;
    };
  };
  const measurement found = evaluate_chunks(rows, model.labels(), threads, chunk_plan(rows.rows(), 1024), false, make);
  return counts.measure(found.loss);
}

evaluation evaluate(const std::string& model_path, const std::string& data_path, data_options files,
                    const row_files& numbers) {
  const saved_model saved = load_model(model_path, say);
  const model_input input = input_of(saved.model);
  if (numbers.any() && (input == model_input::corpus || input == model_input::graph))
    throw config_error("--weights and --offsets are for rows, and a " + saved.model + " model reads none");
  if (input == model_input::corpus) return evaluate_words(saved, data_path, files);
  files.choose_format(saved, model_path);
  const predictor model = predictor_of(saved, model_path);
  const column_numbering columns(saved.columns);
  // Then a row may belong to none of the classes.
  const bool each_class_alone =
      std::ranges::any_of(saved.model_options, [](const auto& option) { return option.first == "one_vs_rest"; });
  sparse_dataset data =
      open_through(data_path, columns, files, each_class_alone ? row_labels::of_lists : row_labels::required);
  numbers.read_for(data);
  sparse_view rows = data.view();
  model.require_data(rows, data_path);
  model.labels().require_known(rows.label, data_path);
  const std::vector<float> weights = row_weights(rows, {}, model.labels(), data_path, nullptr);
  rows.weight = weights;
  const auto threads = thread_team::make(thread_team_kind::openmp, worker_count(), false);
  const auto score = [&](std::size_t most) { return model.scorer(most); };
  const measurement measures =
      rows.label.lists()
          ? measure_lists(model, rows, *threads, data_path)
          : evaluate_examples(rows, model.labels(), *threads, rows_at_once, score, true,
                              input_of(saved.model) == model_input::graph ? measure_cut : measure_scores);
  if (!std::isfinite(measures.loss))
    throw input_error("the loss of " + model_path + " on " + data_path +
                      " is not finite: one of them has numbers that are too large for single precision");
  return {saved.model, data.rows(), data.unknown_entries(), measures};
}

double fraction(const analogy_count& c) {
  return c.answerable == 0 ? 0.0 : static_cast<double>(c.right) / static_cast<double>(c.answerable);
}

std::string line_of(const analogy_count& c, int width) {
  std::string name = printable(c.section);
  name.resize(std::max(name.size(), static_cast<std::size_t>(width)), ' ');
  return name + formatted("  %.4f  %zu of %zu; %zu asked\n", fraction(c), c.right, c.answerable, c.asked);
}

nlohmann::ordered_json json_of(const analogy_count& c) {
  return {{"accuracy", fraction(c)}, {"right", c.right}, {"answerable", c.answerable}, {"asked", c.asked}};
}

/// Answers the questions of a file with the word vectors of another one; returns what to print: a line for each section
/// and one for all, or one JSON object. Throws input_error if a file is not valid, or no question can be answered.
std::string analogies_report(const std::string& vectors, const std::string& questions, isa set, bool json) {
  const analogy_questions asked = load_analogies(questions);
  const std::vector<analogy_count> counts = answer_analogies(load_word_vectors(vectors), asked, {}, set);
  analogy_count all{.section = "all"};
  std::size_t width = all.section.size();
  for (const analogy_count& c : counts) {
    all.right += c.right, all.answerable += c.answerable, all.asked += c.asked;
    width = std::max(width, printable(c.section).size());
  }
  if (all.answerable == 0)
    throw input_error(questions + ": none of the " + std::to_string(all.asked) + " questions has all its words in " +
                      vectors);
  if (json) {
    nlohmann::ordered_json sections = nlohmann::ordered_json::array();
    for (const analogy_count& c : counts) {
      nlohmann::ordered_json one = {{"section", c.section}};
      one.update(json_of(c));
      sections.push_back(one);
    }
    nlohmann::ordered_json report = json_of(all);
    report["sections"] = sections;
    return json_text(report) + "\n";
  }
  std::string text;
  for (const analogy_count& c : counts) text += line_of(c, static_cast<int>(width));
  return text + line_of(all, static_cast<int>(width));
}

}  // namespace

int evaluate_command(int argc, const char* const* argv) {
  std::string model, questions;
  std::vector<std::string> rows;
  data_options files;
  row_files numbers;
  bool json = false;
  command_line line(
      "evaluate",
      "Measures a model on labelled rows: the mean loss, and what suits the labels, such as accuracy for\n"
      "classes, the root of the mean squared error for numbers, or the cut of a graph. Word vectors are\n"
      "measured by the analogies that they get right, or on text where they were saved as NAME.model.",
      "hogwild evaluate model.txt test.svm");
  line.positional("MODEL", model, "a model or word vectors that 'hogwild train --save' wrote");
  line.positional("DATA", rows, "labelled rows, or text; '-' is standard input");
  line.option("--analogies", questions, "questions of four words a line, under lines ': SECTION', for word vectors");
  line.flag("--json", json, "one JSON object");
  line.flag("--quiet", files.quiet, "say nothing about unknown columns");
  numbers.declare(line, "", "the rows");
  files.declare(line);
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});

  if (!questions.empty()) {
    if (numbers.any()) throw config_error("--weights and --offsets are for rows, and --analogies reads none");
    if (!rows.empty())
      throw config_error("--analogies measures word vectors by its questions alone; leave out the rows");
    print(analogies_report(model, questions, isa::automatic, json));
    return 0;
  }
  if (rows.size() == 1 && (rows.front() == "-") + (numbers.weights == "-") + (numbers.offsets == "-") > 1)
    throw config_error("standard input can be read once only, but '-' is given twice");
  if (rows.size() != 1) throw config_error("name one file of labelled rows to measure the model on");
  const std::string& data = rows.front();
  const evaluation e = retry_damaged_cache([&] { return evaluate(model, data, files, numbers); });
  if (!json) {
    print(std::to_string(e.rows) + " rows: " + measures_text(e.measures) + "\n");
    return 0;
  }
  nlohmann::ordered_json all = {{"model", e.model}, {"rows", e.rows}, {"unknown_entries", e.unknown_entries}};
  put_measures(all, "", e.measures);
  print(json_text(all) + "\n");
  return 0;
}

}  // namespace hogwild::cli
