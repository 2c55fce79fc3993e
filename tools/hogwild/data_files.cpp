// SPDX-License-Identifier: Apache-2.0
#include "data_files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/edges.hpp>
#include <hogwild/formats/file_kind.hpp>
#include <hogwild/formats/images.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/matrix_market.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/formats/triples.hpp>
#include <hogwild/registry.hpp>

#include "feature_files.hpp"

namespace hogwild::cli {
namespace {

open_options base_options(const data_options& options) {
  open_options opening;
  opening.cache = options.no_cache ? open_options::cache_use::none : open_options::cache_use::automatic;
  opening.cache_folder =
      options.cache_folder.empty() ? default_cache_folder() : std::filesystem::path(options.cache_folder);
  opening.label_words = *options.label_words;
  opening.values = options.values;
  opening.memory = options.memory;
  opening.isa = options.isa;
  if (options.note || !options.quiet) opening.note = note_of(options);
  return opening;
}

/// The format that holds such input; empty if several do.
std::string format_for(model_input input) {
  switch (input) {
    case model_input::fields:
      return "ffm";
    case model_input::ratings:
      return "ratings";
    case model_input::corpus:
      return "corpus";
    case model_input::graph:
      return "graph";
    case model_input::edges:
      return "edges";
    case model_input::pairs:
      return "pairs";
    case model_input::triples:
      return "triples";
    case model_input::rows:
      break;
  }
  return "";
}

/// The formats of named columns, in the order of named_text.
constexpr std::string_view format_names[] = {"csv", "labelled_text", "vw"};

/// The text that a format of named columns reads; nothing for other formats.
std::optional<named_text> text_of(const std::string& format) {
  const auto found = std::ranges::find(format_names, format);
  if (found == std::end(format_names)) return std::nullopt;
  return static_cast<named_text>(found - std::begin(format_names));
}

/// Images and matrices are recognised by their first bytes, which standard input and other pipes deliver only once.
/// Tables and texts are recognised where they can be read: as training data.
std::string format_of(const std::string& format, const std::string& path, bool training) {
  std::error_code unknown;
  if (format != "auto") return format;
  if (path == "-" || !std::filesystem::is_regular_file(path, unknown)) return "libsvm";
  const file_look look = look_at_file(path);
  constexpr file_kind always[] = {file_kind::idx_images, file_kind::idx_labels, file_kind::cifar,
                                  file_kind::matrix_market};
  if (std::ranges::find(always, look.kind) != std::end(always)) return std::string(look.format);
  if (training && look.kind == file_kind::table) return "csv";
  return training && text_of(std::string(look.format)) ? std::string(look.format) : "libsvm";
}

/// The options with the first index of LIBSVM text: as asked, or as the first lines of training data show.
open_options with_index_base(const data_options& options, const std::string& path, open_options opening) {
  if (options.index_from_0) opening.index_from_0 = *options.index_from_0;
  std::error_code unknown;
  if (!options.index_from_0 && opening.numbering == nullptr && std::filesystem::is_regular_file(path, unknown) &&
      look_at_file(path).kind == file_kind::libsvm_from_0) {
    opening.index_from_0 = true;
    if (opening.note) opening.note(path + ": indices count from 0, because there is an index 0");
  }
  if (opening.numbering == nullptr) *options.found_from_0 = opening.index_from_0;
  return opening;
}

sparse_dataset open_named_triples(const std::string& path, const open_options& opening, rating_names& names) {
  triple_names known{.entities = std::move(names.users), .relations = std::move(names.items)};
  sparse_dataset data = open_triples(path, known, opening);
  names = {.users = std::move(known.entities), .items = std::move(known.relations)};
  return data;
}

sparse_dataset open_as(const data_options& options, const std::string& path, const std::string& labels,
                       rating_names* names, const open_options& opening) {
  if (options.index_from_0 && options.format != "auto" && options.format != "libsvm")
    throw config_error("--index-base is for LIBSVM text, not for --format " + options.format + ": leave it out");
  if (options.format == "graph" || options.format == "dimacs") {
    graph_options graph = options.graph;
    if (options.format == "dimacs") graph.format = graph_format::dimacs;
    return open_graph(path, graph, opening);
  }
  const table_schema& known = *options.table.schema;
  const std::string format = known.columns.empty() ? format_of(options.format, path, opening.numbering == nullptr)
                                                   : std::string(format_names[static_cast<std::size_t>(known.text)]);
  if (options.index_from_0 && format != "libsvm")
    throw config_error("--index-base is for LIBSVM text, and " + path + " is read as " + format + ": leave it out");
  if (!labels.empty() && format != "idx" && format != "mtx")
    throw config_error("--labels is for IDX images and Matrix Market files, and " + path +
                       " is not read as one: leave it out, or give --format idx or mtx");
  if (const auto text = text_of(format)) {
    table_options table = options.table;
    table.request.text = *text;
    table.require_suitable(format);
    return table.open(path, opening, options.quiet);
  }
  if (opening.numbering == nullptr) options.table.refuse(format);
  if (format == "ratings") return names != nullptr ? open_ratings(path, opening, *names) : open_ratings(path, opening);
  if (format == "pairs") {
    pair_options pairs = options.pairs;
    if (options.first_pairs->empty())
      *options.first_pairs = path;
    else
      pairs.like = *options.first_pairs;
    return names != nullptr ? open_pairs(path, pairs, opening, *names) : open_pairs(path, pairs, opening);
  }
  if (format == "triples") return open_named_triples(path, opening, *names);
  if (format == "edges")
    throw config_error(path + ": edges are read by 'hogwild train', for models of a graph's nodes, and nowhere else");
  if (format == "ffm") return open_libffm(path, opening);
  if (format == "idx") return open_idx(path, labels, opening);
  if (format == "cifar") return open_cifar(path, opening);
  if (format == "mtx") return open_matrix_market(path, labels, opening);
  return open_libsvm(path, with_index_base(options, path, opening));
}

}  // namespace

std::uint32_t first_column_of(const data_options& options) {
  if (!options.table.schema->columns.empty()) return 0;
  if (*options.found_from_0) return 0;
  const std::string& format = options.format;  // auto is one of these four
  return format == "auto" || format == "libsvm" || format == "mtx" || format == "idx" || format == "cifar" ? 1 : 0;
}

std::filesystem::path default_cache_folder() {
  const char* const caches = std::getenv("XDG_CACHE_HOME");
  // The standard for these folders says that relative paths are ignored.
  if (caches != nullptr && std::filesystem::path(caches).is_absolute())
    return std::filesystem::path(caches) / "hogwild";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return std::filesystem::path(home) / ".cache" / "hogwild";
  return {};
}

void data_options::declare(command_line& line) {
  command_line::words_for<std::string> formats;
  for (const char* const each :
       {"auto",    "libsvm",         "ffm",         "csv",         "tsv",     "labelled_text", "vw",    "mtx",
        "ratings", "pairs",          "pairs:lines", "pairs:lists", "triples", "idx",           "cifar", "corpus",
        "edges",   "edges:directed", "graph",       "dimacs"})
    formats.emplace_back(each, each);
  line.choice(
      "--format", format, formats,
      "format of the data files; auto: what the model reads; images, labelled text, VW and Matrix Market by their "
      "content, and a table if --label is given");
  line.option(
      "--positive-from", "RATING", "", "ratings of at least this are pairs of a user and an item, others are not",
      [this](const std::string& text) {
        pairs.positive_from = to_number(text);
        return pairs.positive_from && std::isfinite(*pairs.positive_from) ? std::string()
                                                                          : quote(text) + " is not a finite number";
      });
  line.option("--index-base", "0|1|auto", "auto",
              "number of the first column in LIBSVM text; auto: 0 if the first lines have an index 0, else 1",
              [this](const std::string& text) {
                index_from_0.reset();
                if (text == "auto") return std::string();
                index_from_0 = text == "0";
                return text == "0" || text == "1" ? std::string() : quote(text) + " is none of 0|1|auto";
              });
  line.option("--cache-dir", "FOLDER", cache_folder,
              "folder for caches if the folder of the data cannot be written (default: $XDG_CACHE_HOME/hogwild, else "
              "~/.cache/hogwild)");
  line.option("--memory", memory, "",
              "memory that parsing may take, such as 512M: further rows go to temporary files beside the cache, and "
              "larger caches are streamed (default: a quarter of the memory for parsing, three quarters for caches)");
  line.flag("--no-cache", no_cache, "neither read nor write caches");
  line.excludes("--no-cache", "--cache-dir");
}

void data_options::declare_values(command_line& line) {
  line.choice<value_precision>(
      "--values", values, {{"float", value_precision::single}, {"half", value_precision::half}},
      "precision of the values in memory; half takes half the memory, and holds at most 65504");
  line.flag("--named-ids", named_ids,
            "users and items of ratings and pairs are names instead of numbers; a saved model keeps them");
  table.declare(line);
}

void data_options::choose_format(std::string_view model) {
  if (format == "pairs:lines") pairs.form = pair_form::lines;
  if (format == "pairs:lists") pairs.form = pair_form::lists;
  if (format.starts_with("pairs:")) format = "pairs";
  if (format == "edges:directed") directed = true, format = "edges";
  const std::string needed = model.empty() ? format : format_for(input_of(model));
  documents = !model.empty() && model_named(model).facts().documents;
  if (needed == "pairs" && format == "ratings" && pairs.positive_from) format = needed;
  if (format == "tsv") table.request.separator = table.request.separator.value_or('\t'), format = "csv";
  const auto names_label = [](const table_word* word) { return word->word == "--label"; };
  if (format == "auto" && std::ranges::any_of(table.given, names_label)) format = "csv";
  if (format == "auto" && !needed.empty()) format = needed;
  const std::optional<named_text> text = text_of(format);
  if (text) table.request.text = *text;
  if (!text && format != "auto") table.refuse(format);
  if (text) table.require_suitable(format);
  table.request.as_fields = needed == "ffm";
  const std::string kind = format == "dimacs" ? "graph" : format == "csv" && table.request.as_fields ? needed : format;
  // Every other model reads rows of libffm text as rows of features.
  const bool special = kind == "ratings" || kind == "corpus" || kind == "edges" || kind == "graph" || kind == "pairs" ||
                       kind == "triples";
  if (needed.empty() ? special : kind != needed) {
    throw config_error(
        "a " + std::string(model) + " model reads " + (needed.empty() ? "rows of features" : needed) +
        ", not --format " + format +
        (needed == "pairs" && format == "ratings" ? "; --positive-from RATING makes pairs of them" : ""));
  }
  const auto leave_out = [&](const char* option, const char* what) {
    throw config_error(std::string(option) + " is for " + what + ", and " +
                       (model.empty() ? "--format " + format : std::string(model)) + " reads none: leave it out");
  };
  if (pairs.positive_from && format != "pairs") leave_out("--positive-from", "ratings that become pairs");
  if (has_features() && format != "pairs")
    leave_out(user_features.empty() ? "--item-features" : "--user-features", "pairs");
  if (format == "triples") names = std::make_shared<rating_names>();
  if (!named_ids) return;
  if (format != "ratings" && format != "pairs") leave_out("--named-ids", "ratings and pairs");
  names = std::make_shared<rating_names>();
}

void data_options::choose_format(const saved_model& model, const std::string& path) {
  if (!model.schema.empty() && !names_side_features(model)) return choose_schema(model, path);
  words_of_model = *label_words = model.label_words();
  choose_format(model.model);
  if (model.names.empty()) return;
  names = std::make_shared<rating_names>();
  // Ids number the names; those that occur only in rows held back have left gaps.
  const std::size_t most = 2 * model.columns.size() + (std::size_t{1} << 20);
  std::set<std::pair<bool, std::string_view>> known;
  for (std::size_t k = 0; k < model.columns.size(); ++k) {
    if (rating_id(model.columns[k]) > most || !known.emplace(is_user_column(model.columns[k]), model.names[k]).second)
      throw input_error("the saved model's names do not suit its columns: " + quote(model.names[k]) + " of column " +
                        std::to_string(model.columns[k]) + " is there twice, or its column is out of range");
    auto& kind = is_user_column(model.columns[k]) ? names->users : names->items;
    const std::uint32_t id = rating_id(model.columns[k]);
    // A user or an item that was in no training row has left a gap.
    if (id >= kind.size()) kind.resize(id + std::size_t{1});
    kind[id] = model.names[k];
  }
}

void data_options::choose_schema(const saved_model& model, const std::string& path) {
  table.take_schema(model, path);
  *label_words = table.schema->labels;
  const std::string known(format_names[static_cast<std::size_t>(table.schema->text)]);
  // A model of fields has chosen their format before its parameters were looked at.
  if (format != "auto" && format != known && !(format == "tsv" && known == "csv") &&
      format != format_for(input_of(model.model)))
    throw config_error("the model " + path + " was trained on " + (known == "csv" ? "a table" : "--format " + known) +
                       ", not on --format " + format);
  if (format == "tsv" && table.schema->separator != '\t')
    throw config_error("the tables that the model " + path + " reads are not separated by tabs: leave out --format");
  format = known;
}

void data_options::name_columns(saved_model& saved) const {
  if (!table.schema->columns.empty()) return keep_schema(*table.schema, saved);
  if (names) keep_names(*names, saved);
}

void keep_names(const rating_names& names, saved_model& saved) {
  for (const std::uint32_t column : saved.columns) {
    const std::vector<std::string>& known = is_user_column(column) ? names.users : names.items;
    if (rating_id(column) >= known.size())
      throw input_error("a column of the model has no name: it began with a model that knows no names");
    saved.names.push_back(known[rating_id(column)]);
  }
}

void row_files::declare(command_line& line, const std::string& of, const std::string& which_rows) {
  line.option("--" + of + "weights", weights,
              "weights of " + which_rows + ": a number for each row, one a line, in their order");
  line.option("--" + of + "offsets", offsets,
              "numbers that are added to the margins of " + which_rows + ", one a line (linear models)");
}

void row_files::read_for(sparse_dataset& data) const {
  const auto named = [](const std::string& path, const auto& set) {
    try {
      set();
    } catch (const format_error&) {
      throw;
    } catch (const input_error& fault) {
      throw input_error(printable(path) + ": " + fault.what());
    }
  };
  if (!weights.empty()) {
    if (!data.view().weight.empty())
      throw config_error("--weights: the rows have weights already, which their file states; leave the option out");
    const std::vector<float> numbers = read_row_numbers(weights, data.rows());
    named(weights, [&] { data.set_weights(numbers); });
  }
  if (!offsets.empty() && !data.view().offset.empty())
    throw config_error("--offsets: the rows have offsets already, which their file states; leave the option out");
  if (!offsets.empty()) data.set_offsets(read_row_numbers(offsets, data.rows()));
}

std::function<void(std::string_view sentence)> note_of(const data_options& options) {
  if (options.note) return options.note;
  return [quiet = options.quiet](std::string_view sentence) {
    if (!quiet) say(sentence);
  };
}

model_input input_of(std::string_view model) {
  const model_descriptor* const known = find_model(model);
  return known == nullptr ? model_input::rows : known->facts().input;
}

sparse_dataset open_training(const std::string& path, const data_options& options) {
  open_options opening = base_options(options);
  opening.label_words = options.words_of_model;
  const sparse_dataset data =
      with_feature_files(open_as(options, path, options.labels, options.names.get(), opening), options);
  const std::span<const std::string> words = data.label_words();
  options.label_words->assign(words.begin(), words.end());
  return data;
}

corpus_options corpus_opening(const data_options& options) {
  corpus_options opening;
  if (options.memory) opening.memory = *options.memory;
  if (!options.no_cache) opening.scratch = base_options(options).cache_folder;
  std::error_code refused;
  if (!opening.scratch.empty()) std::filesystem::create_directories(opening.scratch, refused);
  if (refused) opening.scratch.clear();
  return opening;
}

corpus open_words(const std::string& path, std::uint64_t min_count, const data_options& options,
                  std::optional<vocabulary> words, const subword_shape& subwords) {
  if (options.format == "edges")
    return open_edges(path, {.directed = options.directed, .note = base_options(options).note});
  corpus_options opening = corpus_opening(options);
  opening.min_count = min_count, opening.words = std::move(words), opening.subwords = subwords;
  opening.documents = options.documents;
  corpus text = open_corpus(path, opening);
  if (const std::size_t unknown = text.rows.unknown_entries(); unknown > 0 && !options.quiet)
    say(path + ": " + std::to_string(unknown) + " words are not in the model, and are left out");
  return text;
}

sparse_dataset open_through(const std::string& path, const column_numbering& columns, const data_options& options,
                            row_labels labels) {
  open_options opening = base_options(options);
  opening.numbering = &columns;
  opening.labels_optional = labels == row_labels::optional;
  opening.empty_lists = labels == row_labels::of_lists;
  sparse_dataset data = open_as(options, path, {}, options.names.get(), opening);
  if (!options.quiet) say_unknown(path, data.unknown_entries(), options);
  return data;
}

void say_unknown(const std::string& path, std::size_t entries, const data_options& options) {
  if (entries == 0 || options.format == "triples") return;  // whose reader has told how many triples have such names
  say(path + ": " + std::to_string(entries) +
      (options.format == "ratings" || options.format == "pairs"
           ? " mentions of a user or an item that the training data do not have"
           : " entries in columns that the training data never had are left out"));
}

void require_regular_file(const std::string& path) {
  std::error_code fault;
  const std::filesystem::file_status state = std::filesystem::status(path, fault);
  if (fault) throw input_error(path + ": cannot be read: " + fault.message());
  if (!std::filesystem::is_regular_file(state)) throw input_error(path + ": cannot be read: it is not a regular file");
}

void refuse_overwrite(const std::string& name, const std::string& output, std::initializer_list<std::string> inputs) {
  for (const std::string& input : inputs) {
    // Only files count: a terminal may be both read and written.
    std::error_code missing;
    if (output.empty() || input.empty() || !std::filesystem::is_regular_file(output, missing)) continue;
    if (!std::filesystem::equivalent(output, input, missing)) continue;
    throw config_error(name + " would overwrite " + input + ", which is read; give it another name");
  }
}

void say(std::string_view sentence) {
  std::fprintf(stderr, "hogwild: %s\n", printable(sentence).c_str());
}

}  // namespace hogwild::cli
