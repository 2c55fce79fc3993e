// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/formats/named_lines.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/live_parameters.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "predict_documents.hpp"
#include "predict_lines.hpp"
#include "predict_triples.hpp"
#include "prediction_text.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

struct predict_request {
  std::string model, data, output;
  std::string live{};  ///< a run's segment, in place of a model
  std::string id{};    ///< the column of a table whose values are the rows' ids
  prediction_format format = prediction_format::plain;
  prediction_parts parts{};
  bool skip_bad = false;
  data_options files{};
  row_files rows{};
};

/// Receives the lines of the answer.
class answer_sink {
 public:
  explicit answer_sink(const std::string& output) {
    if (!output.empty()) file_.emplace(output);
  }
  void write(std::string_view text) {
    if (text.empty()) return;
    if (file_)
      file_->write(std::as_bytes(std::span(text)));
    else
      print(text);
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<atomic_file> file_{};
};

/// With --live: the model of a run at this moment, with its age on standard error.
saved_model model_of(const predict_request& request) {
  if (request.live.empty()) return load_model(request.model, say);
  const auto run = live_parameters::attach(request.live);
  const live_age age = run.age();
  if (!request.files.quiet)
    say("parameters of " + request.live + " in epoch " + std::to_string(age.epoch) + ", read while " +
        std::to_string(age.rows_before) + " to " + std::to_string(age.rows_after) + " rows were done; the run " +
        (run.state() == run_state::training
             ? "trains"
             : "has " + std::string(run.state() == run_state::ended ? "ended" : "been killed")));
  return run.model();
}

void require_ids(const predict_request& request, const sparse_dataset& data, const std::string& name) {
  if (!request.id.empty() && data.view().group.empty())
    throw input_error(name + ": there is no column " + quote(request.id) + ", which --id names");
}

/// Data that are read as they come: a file, a pipe or standard input.
class opened_input {
 public:
  explicit opened_input(const std::string& path)
      : descriptor_(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw input_error(path + ": cannot be read: " + std::strerror(errno));
  }
  ~opened_input() { ::close(descriptor_); }
  opened_input(const opened_input&) = delete;
  opened_input& operator=(const opened_input&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// The rule for records of the data; nothing if rows are not told apart by lines.
std::optional<record_rule> rule_of(const data_options& files) {
  const table_schema& schema = *files.table.schema;
  if (!schema.columns.empty())
    return record_rule{.quoted = schema.text == named_text::table && schema.quotes, .separator = schema.separator};
  if (files.format == "auto" || files.format == "libsvm" || files.format == "ffm") return record_rule{};
  return std::nullopt;
}

/// The parser of rows in memory, for line_request::check; null for formats that have none.
std::function<void(std::string_view head, std::string_view records)> checker_of(const data_options& files,
                                                                                const column_numbering& columns,
                                                                                const std::string& name) {
  const table_schema& schema = *files.table.schema;
  if (schema.columns.empty()) {
    // Columns that count from 0 are read by files alone.
    if (files.format == "ffm" || columns.position(0) != column_numbering::unknown) return nullptr;
    return [name, words = known_label_words(*files.label_words)](std::string_view, std::string_view records) {
      parse_libsvm(records, name, true, words.get());
    };
  }
  return [name, lines = std::make_shared<named_lines>(schema, true), begun = false](std::string_view head,
                                                                                    std::string_view records) mutable {
    try {
      if (!std::exchange(begun, true)) lines->begin(std::string(head).append(records), name);
    } catch (const format_error&) {
      lines.reset();  // the head is at fault, which opening says
    }
    if (lines) lines->parse(records, name);
  };
}

/// Predicts rows as they come; returns how many were skipped.
std::size_t predict_lines(const predict_request& request, const predictor& model, const column_numbering& columns,
                          data_options files, const prediction_text& words, answer_sink& sink) {
  std::size_t rows_before = 0, unknown = 0;
  const bool quiet = std::exchange(files.quiet, true);
  files.no_cache = true;
  const table_schema& schema = *files.table.schema;
  line_request lines{.name = request.data == "-" ? "standard input" : request.data,
                     .rule = *rule_of(files),
                     .table = schema.text == named_text::table && !schema.columns.empty(),
                     .header = schema.text == named_text::table && !schema.columns.empty() && schema.header,
                     .one_column = schema.text == named_text::table && !schema.header && schema.columns.size() == 1,
                     .comments = schema.columns.empty(),
                     .skip_bad = request.skip_bad};
  if (request.skip_bad) lines.check = checker_of(files, columns, lines.name);
  lines.open = [&](const std::string& path) {
    sparse_dataset data = open_through(path, columns, files, row_labels::optional);
    require_ids(request, data, lines.name);
    model.require_data(data.view(), lines.name);
    return data;
  };
  lines.answer = [&](const sparse_dataset& data) {
    std::string text;
    words.append(text, data, rows_before);
    sink.write(text);
    rows_before += data.rows();
    unknown += data.unknown_entries();
  };
  const opened_input input(request.data);
  lines.descriptor = input.descriptor();
  sink.write(words.header());
  const std::size_t skipped = answer_lines(lines);
  if (!quiet) say_unknown(lines.name, unknown, files);
  if (skipped > 0) say(lines.name + ": " + std::to_string(skipped) + " faulty rows were skipped");
  return skipped;
}

/// Predicts all rows at once.
void predict_whole(const predict_request& request, const predictor& model, const column_numbering& columns,
                   const data_options& files, const prediction_text& words, answer_sink& sink) {
  std::string text = words.header();
  const auto predict = [&] {
    sparse_dataset data = open_through(request.data, columns, files, row_labels::optional);
    require_ids(request, data, request.data);
    request.rows.read_for(data);
    model.require_data(data.view(), request.data);
    data.view().ensure(0, data.rows());
    std::string lines;
    words.append(lines, data);
    return lines;
  };
  text += retry_damaged_cache(predict);
  sink.write(text);
}

/// Whether more is asked for than models of other things than rows have.
bool asks_for_rows(const predict_request& request) {
  return request.parts.probabilities || !request.id.empty() || request.skip_bad || request.rows.any() ||
         request.format == prediction_format::csv;
}

/// Gives vectors to documents.
void predict_documents(const predict_request& request, const saved_model& saved) {
  if (asks_for_rows(request) || request.parts.top > 0 || request.parts.threshold > 0.0)
    throw config_error("a " + saved.model +
                       " model answers with vectors: leave out --top, --threshold, --probabilities, --id, --skip-bad, "
                       "--offsets and --output-format csv");
  data_options files = request.files;
  files.choose_format(saved.model);
  const bool as_vectors = std::filesystem::path(request.output).extension() == ".vec";
  if (as_vectors && request.format == prediction_format::jsonl)
    throw config_error("--output " + request.output +
                       " has a form of its own: leave out --json and --output-format jsonl, or give another extension");
  answer_sink sink(request.output);
  const word_vectors vectors = vectors_of_lines(saved, request.data, files);
  sink.write(as_vectors ? word_vector_bytes(vectors, vector_format::text)
                        : text_of_vectors(vectors, request.format == prediction_format::jsonl));
  sink.commit();
}

/// Answers the questions of a knowledge graph.
void predict_triples(const predict_request& request, const saved_model& saved, const predictor& model) {
  constexpr std::size_t usual = 10;
  if (asks_for_rows(request))
    throw config_error("a " + saved.model +
                       " model answers with entities or a score: leave out --probabilities, --id, --skip-bad, "
                       "--offsets and --output-format csv");
  data_options files = request.files;
  files.choose_format(saved, request.model);
  answer_sink sink(request.output);
  const std::size_t top = request.parts.top > 0 ? request.parts.top : usual;
  sink.write(
      text_of_answers(answers_to_triples(model, request.data, files, top), request.format == prediction_format::jsonl));
  sink.commit();
}

/// Returns the number of rows that were skipped.
std::size_t predict(const predict_request& request) {
  const std::string source = request.live.empty() ? request.model : request.live;
  const saved_model saved = model_of(request);
  const model_descriptor* const known = find_model(saved.model);
  if (known != nullptr && known->facts().documents) {
    predict_documents(request, saved);
    return 0;
  }
  const predictor model = predictor_of(saved, source);
  if (input_of(saved.model) == model_input::triples) {
    predict_triples(request, saved, model);
    return 0;
  }
  prediction_parts parts = request.parts;
  parts.ids = !request.id.empty();
  const prediction_text words(saved, model, request.format, parts);
  const column_numbering columns(saved.columns);
  data_options files = request.files;
  files.choose_format(saved, source);
  table_schema& schema = *files.table.schema;
  if (!request.id.empty()) {
    if (schema.columns.empty() || schema.text != named_text::table)
      throw config_error("--id names a column of a table, and the model " + source + " reads none: leave it out");
    schema.group = request.id;
  }
  std::error_code unknown;
  const bool comes = request.data == "-" || !std::filesystem::is_regular_file(request.data, unknown);
  const bool by_lines = rule_of(files).has_value() && !request.rows.any();
  if (request.skip_bad && !by_lines)
    throw config_error("--skip-bad is for lines of rows" +
                       std::string(request.rows.any() ? " without --offsets" : ", not for --format " + files.format) +
                       ": leave it out");
  answer_sink sink(request.output);
  std::size_t skipped = 0;
  if (by_lines && (comes || request.skip_bad))
    skipped = predict_lines(request, model, columns, files, words, sink);
  else
    predict_whole(request, model, columns, files, words, sink);
  sink.commit();
  return skipped;
}

/// Then the command line names no model.
bool asks_for_live(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](std::string_view word) { return word == "--live" || word.starts_with("--live="); });
}

}  // namespace

int predict_command(int argc, const char* const* argv) {
  predict_request request;
  command_line line("predict",
                    "Predicts the label of each row, one line a row, in the order of the file: a class as it is "
                    "written in the training data. Labels in DATA are ignored and may be missing. Lines of standard "
                    "input are answered as they come. For a graph: the side of each node, in the order of their "
                    "numbers; the source's side is 0, the sink's 1. For triples with ? in the place of the head or "
                    "the tail: the best entities there. For texts and a model of documents: a vector for each line, or "
                    "NAME.vec by --output.",
                    "hogwild predict model.txt test.svm --probabilities --output predictions.txt");
  if (asks_for_live(argc, argv))
    line.option("--live", "NAME", request.live, "read the parameters of a run in progress instead of MODEL");
  else
    line.positional(
        "MODEL", request.model,
        "a model that 'hogwild train --save' wrote; or --live NAME: a run in progress ('hogwild segments')");
  line.positional("DATA", request.data, "rows; '-' is standard input");
  line.option("--output", request.output, "write here instead of to standard output");
  line.flag("--probabilities", request.parts.probabilities,
            "print the probability of the larger label, or of each class in ascending order, if the model has them");
  line.option(
      "--top", request.parts.top,
      "the N best labels of each row, best first, for models that score classes; of triples with a ? the N best "
      "entities (default: 10)");
  line.option("--threshold", request.parts.threshold, "with --top: leave out labels whose probability is below T");
  line.choice<prediction_format>(
      "--output-format", request.format,
      {{"plain", prediction_format::plain}, {"csv", prediction_format::csv}, {"jsonl", prediction_format::jsonl}},
      "words between blanks; a table with a header; or a JSON object a line, in which "
      "labels are numbers, with their text beside them where the training data spell one "
      "otherwise, as in +1");
  bool json = false;
  line.flag("--json", json, "the same as --output-format jsonl");
  line.excludes("--json", "--output-format");
  line.option("--id", "COLUMN", request.id, "tables: begin each line with the row's value in this column");
  line.flag("--skip-bad", request.skip_bad,
            "go on after a faulty row, which has no prediction then; they are counted, and the exit code is 3");
  line.flag("--quiet", request.files.quiet, "say nothing about unknown columns");
  line.option("--offsets", request.rows.offsets,
              "numbers that are added to the margins of the rows, one a line in their order (linear models)");
  request.files.declare(line);
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});
  if (request.data == "-" && request.rows.offsets == "-")
    throw config_error("standard input can be read once only, but '-' is given twice");
  refuse_overwrite("--output", request.output, {request.model, request.data, request.rows.offsets});
  if (!request.output.empty()) atomic_file::look(request.output);

  if (json) request.format = prediction_format::jsonl;
  return predict(request) > 0 ? static_cast<int>(exit_code::input) : 0;
}

}  // namespace hogwild::cli
