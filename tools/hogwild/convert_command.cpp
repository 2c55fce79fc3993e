// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <hogwild/detail/models/text_vectors.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model_exports.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "convert_rows.hpp"
#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

constexpr std::string_view as_text = "text", as_binary = "binary";

/// The words of --to: the formats of saved models, and the forms of other programs.
command_line::words_for<std::string_view> words_of_forms() {
  command_line::words_for<std::string_view> words{
      {as_text, as_text}, {as_binary, as_binary}, {fasttext_form, fasttext_form}};
  for (const export_form& form : export_forms()) words.emplace_back(form.name, form.name);
  return words;
}

/// The extensions and what they stand for, for the help.
std::string list_of_extensions() {
  std::string all = ".txt is text";
  for (const export_form& form : export_forms())
    all.append(", ").append(form.extensions).append(" is ").append(form.summary);
  return all + "; any other is binary";
}

}  // namespace

int convert_command(int argc, const char* const* argv) {
  std::string in, out;
  std::optional<std::string_view> to;
  row_conversion rows;
  command_line line(
      "convert",
      "Writes a model in another form. Text and binary hold all of a model, and converting there and "
      "back loses nothing. The other forms are for other programs, and are not read again, but for "
      "fasttext's vectors of words; a model that a form cannot hold is refused. OUT's extension says the form: " +
          list_of_extensions() +
          ". Or writes the rows of a data file as text: LIBSVM where OUT ends in .svm or .libsvm, libffm "
          "in .ffm, a table in .csv or .tsv. Or the vectors of words of a text_classifier or of a "
          "model of words, where OUT ends in .vec; with --to fasttext all of such a model, as NAME.bin "
          "of fastText.",
      "hogwild convert model.bin model.json");
  line.positional("IN", in, "a saved model, text or binary; or a data file, '-' is standard input");
  line.positional("OUT", out, "the file to write");
  line.choice<std::string_view>("--to", to, words_of_forms(), "the form of a model, whatever the extension");
  rows.declare(line);
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});
  if (rows.applies_to(in, out)) {
    if (to) throw config_error("--to is for models, and " + in + " has rows: leave it out");
    rows.write(in, out);
    return 0;
  }
  row_conversion::refuse_options(line);
  atomic_file::look(out);
  const bool is_own = to == as_text || to == as_binary, of_fasttext = to == fasttext_form;
  const export_form* const form = is_own || of_fasttext ? nullptr : to ? &export_form_named(*to) : export_form_for(out);
  const std::string extension = std::filesystem::path(out).extension().string();
  if (!to && extension == ".onnx")
    throw config_error(out + ": ONNX is written from Python: hogwild.load(\"" + in + "\").to_onnx(\"" + out + "\")");
  for (const std::string_view rows_end : {".svm", ".libsvm", ".ffm", ".tsv"})
    if (!to && extension == rows_end)
      throw config_error(out + " is a name for rows, and " + in + " is a model: give another name, or --to");
  const bool of_words = !to && extension == ".vec";
  if (form != nullptr || of_words || of_fasttext)
    refuse_overwrite("OUT", out, {in});  // which could not be made of it again
  const saved_model model = load_model(in, say);
  if (of_words) {
    save_word_vectors(
        out, input_of(model.model) == model_input::corpus ? words_in(model, in).vectors : vectors_in(model, in),
        vector_format::text);
    return 0;
  }
  if (of_fasttext) {
    export_to_fasttext(out, model, in, say);
    return 0;
  }
  if (form != nullptr) {
    export_model(out, model, *form, in);
    return 0;
  }
  const model_format format = to == as_text     ? model_format::text
                              : to == as_binary ? model_format::binary
                                                : model_format_for(out);
  save_model(out, model, format);
  return 0;
}

}  // namespace hogwild::cli
