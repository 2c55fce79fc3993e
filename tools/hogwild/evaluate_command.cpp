// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/error.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "evaluation.hpp"
#include "evaluation_plots.hpp"
#include "standard_streams.hpp"
#include "summary.hpp"
#include "word_reports.hpp"

namespace hogwild::cli {
namespace {

std::string set_curve(const std::string& text, propensity_curve& curve) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto a = to_number(text.substr(0, comma)), b = to_number(text.substr(std::min(comma + 1, text.size())));
  if (!a || !b || !(*a >= 0.0) || !(*b > 0.0)) return quote(text) + " is not A,B: a number from 0 on, and one above 0";
  curve = {*a, *b};
  return {};
}

}  // namespace

int evaluate_command(int argc, const char* const* argv) {
  std::string model, questions, pairs, plots;
  evaluation_wishes wishes;
  std::vector<std::string> rows;
  data_options files;
  row_files numbers;
  bool json = false;
  command_line line(
      "evaluate",
      "Measures a model on labelled rows: the mean loss, and what suits the labels, such as accuracy for\n"
      "classes, the root of the mean squared error for numbers, or the cut of a graph. Word vectors are\n"
      "measured by the analogies that they get right or by how well they order pairs of words, or on text\n"
      "where they were saved as NAME.model.",
      "hogwild evaluate model.txt test.svm");
  line.positional("MODEL", model, "a model or word vectors that 'hogwild train --save' wrote");
  line.positional(
      "DATA", rows,
      "labelled rows, or text; for word vectors analogies, or pairs of words with scores; '-' is standard input");
  line.option("--analogies", questions, "questions of four words a line, under lines ': SECTION', for word vectors");
  line.option(
      "--similarities", pairs,
      "pairs of words with scores, for word vectors, also as NAME.model, where words have vectors of their parts");
  line.option(
      "--by", "COLUMN", wishes.by,
      "also measure the rows of each group: of each value of this column of a table, or with 'qid' of each query");
  line.option("--seen", "FILE", wishes.seen,
              "pairs, as those of training: what a user has here is not recommended again");
  line.option("--known", "FILE", wishes.known,
              "triples that are true, as those of training: their entities do not stand in the way of the answers");
  line.option("--propensities", "TRAIN", wishes.before.path,
              "rows with lists of labels: also measure precision with rare labels counting more, by the rows that each "
              "label has in this file, the training data");
  line.option("--propensity", "A,B", "0.55,1.5",
              "with --propensities: the constants of the curve; 0.5,0.4 suits Wikipedia, 0.6,2.6 Amazon",
              [&](const std::string& text) { return set_curve(text, wishes.before.curve); });
  line.needs("--propensity", "--propensities");
  line.option("--plot", "DIR", plots,
              "draw ROC, precision and recall, gains and reliability as SVG files in this folder (two labels; several "
              "classes: reliability)");
  line.flag("--json", json, "one JSON object");
  line.flag("--quiet", files.quiet, "say nothing about unknown columns");
  numbers.declare(line, "", "the rows");
  files.declare(line);
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});

  if (!questions.empty() || !pairs.empty()) {
    const std::string asked = questions.empty() ? "--similarities" : "--analogies";
    if (!questions.empty() && !pairs.empty())
      throw config_error("--analogies and --similarities ask one after the other: leave out one of them");
    if (numbers.any())
      throw config_error("--weights and --offsets are for rows, and " + asked + " reads none: leave them out");
    if (!wishes.by.empty())
      throw config_error("--by is for groups of rows, and " + asked + " reads none: leave it out");
    if (!wishes.before.path.empty())
      throw config_error("--propensities is for rows with lists of labels, and " + asked + " reads none: leave it out");
    if (!plots.empty()) throw config_error("--plot draws scores of rows, and " + asked + " has none: leave it out");
    if (!rows.empty()) throw config_error(asked + " measures word vectors by its questions alone; leave out the rows");
    print(questions.empty() ? words_report(model, pairs, json)
                            : analogies_report(model, load_analogies(questions), questions, json));
    return 0;
  }
  if (rows.size() == 1 && (rows.front() == "-") + (numbers.weights == "-") + (numbers.offsets == "-") > 1)
    throw config_error("standard input can be read once only, but '-' is given twice");
  if (rows.size() != 1) throw config_error("name one file of labelled rows to measure the model on");
  if (wishes.before.path == "-") throw config_error("--propensities names a file: '-' is not read there");
  const std::string& data = rows.front();
  if (begins_as_word_vectors(model) || begins_as_fasttext(model)) {
    if (numbers.any() || !wishes.by.empty() || !plots.empty() || !wishes.seen.empty() || !wishes.known.empty() ||
        !wishes.before.path.empty())
      throw config_error(
          "--weights, --offsets, --by, --plot, --seen, --known and --propensities are for rows, and word vectors read "
          "none: "
          "leave them out");
    print(words_report(model, data, json));
    return 0;
  }
  const saved_model saved = load_model(model, say);
  const evaluation e = retry_damaged_cache([&] { return evaluate(saved, model, data, files, numbers, wishes); });
  const std::vector<std::string> drawn = plots.empty() ? std::vector<std::string>() : write_plots(plots, e, data);
  if (!json) {
    std::string text = std::to_string(e.rows) + " rows: " + measures_text(e.measures) + "\n";
    for (const measured_group& g : e.groups)
      text += printable(wishes.by + " " + g.name) + ", " + std::to_string(g.rows) +
              " rows: " + measures_text(g.measures) + "\n";
    for (const std::string& path : drawn) text += "drawn " + printable(path) + "\n";
    print(text);
    return 0;
  }
  nlohmann::ordered_json all = {{"model", e.model}, {"rows", e.rows}, {"unknown_entries", e.unknown_entries}};
  put_measures(all, "", e.measures);
  for (const measured_group& g : e.groups) {
    nlohmann::ordered_json one = {{"group", g.name}, {"rows", g.rows}};
    put_measures(one, "", g.measures);
    all["groups"].push_back(one);
  }
  if (!drawn.empty()) all["plots"] = drawn;
  print(json_text(all) + "\n");
  return 0;
}

}  // namespace hogwild::cli
