// SPDX-License-Identifier: Apache-2.0
#include "table_options.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <type_traits>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "data_files.hpp"
#include "text_values.hpp"

namespace hogwild::cli {
namespace {

/// The columns of a table, for messages.
std::string columns_of(const std::string& path, const table_request& how) {
  std::string all;
  for (const table_column& column : look_at_table(path, how).schema.columns)
    all += (all.empty() ? "" : ", ") + column.name;
  return all;
}

using request_setter = std::string (*)(table_request& request, const std::string& text);

template <std::vector<std::string> table_request::*member>
constexpr request_setter column_names = [](table_request& request, const std::string& text) {
  std::vector<std::string> added;
  if (std::string fault = add_names(text, added); !fault.empty()) return fault;
  for (std::string& name : added) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.empty()) return quote(text) + " is not NAME,NAME,...";
    (request.*member).push_back(std::move(name));
  }
  return std::string();
};

/// A whole number of this range.
template <auto member, std::uint32_t least, std::uint32_t most>
constexpr request_setter whole_number = [](table_request& request, const std::string& text) {
  const auto value = to_count(text);
  if (!value || *value < least || *value > most)
    return "it should be " + std::to_string(least) + (most == 0xffffffffu ? " or more" : " to " + std::to_string(most));
  request.*member = static_cast<std::remove_reference_t<decltype(request.*member)>>(*value);
  return std::string();
};

/// One of two words.
template <auto member, const char* yes, const char* no>
constexpr request_setter one_of_two = [](table_request& request, const std::string& text) {
  if (text != yes && text != no) return quote(text) + " is none of " + yes + "|" + no;
  request.*member = text == yes;
  return std::string();
};
constexpr char word_yes[] = "yes", word_no[] = "no", word_scaled[] = "scaled", word_as_given[] = "as_given";

constexpr unsigned of_tables = 1u << static_cast<unsigned>(named_text::table),
                   of_labelled = 1u << static_cast<unsigned>(named_text::labelled_text),
                   of_vw = 1u << static_cast<unsigned>(named_text::vowpal_wabbit);

constexpr table_word known_words[] = {
    {"--label", "COLUMN", of_tables, "tables (CSV): the column of the label; a saved model knows it",
     [](table_request& request, const std::string& text) {
       request.label = text;
       return std::string(text.empty() ? "a column needs a name" : "");
     }},
    {"--weight", "COLUMN", of_tables, "tables: the column of the rows' weights",
     [](table_request& request, const std::string& text) {
       request.weight = text;
       return std::string(text.empty() ? "a column needs a name" : "");
     }},
    {"--group", "COLUMN", of_tables,
     "tables: rows with the same value in this column stay together when rows are split, and are ranked by themselves",
     [](table_request& request, const std::string& text) {
       request.group = text;
       return std::string(text.empty() ? "a column needs a name" : "");
     }},
    {"--numeric", "COLUMN,...", of_tables,
     "tables: columns of numbers; a missing one has a column of its own; '*' stands for any part of a name",
     column_names<&table_request::numeric>},
    {"--categorical", "COLUMN,...", of_tables, "tables: columns of values, each of which has a weight of its own",
     column_names<&table_request::categorical>},
    {"--list", "COLUMN,...", of_tables, "tables: columns of several values between bars, such as tags",
     column_names<&table_request::lists>},
    {"--text", "COLUMN,...", of_tables, "tables: columns of text, whose words have weights",
     column_names<&table_request::texts>},
    {"--date", "COLUMN,...", of_tables, "tables: columns of dates, whose year, month, weekday and hour have weights",
     column_names<&table_request::dates>},
    {"--ignore", "COLUMN,...", of_tables | of_vw, "tables, VW: columns (namespaces) that are left out",
     column_names<&table_request::ignored>},
    {"--interactions", "COLUMN*COLUMN,...", of_tables | of_vw,
     "tables, VW: combinations of two to four columns, each with weights by hash",
     column_names<&table_request::interactions>},
    {"--hash-bits", "N", of_tables | of_labelled | of_vw,
     "tables: values have 2^N columns by hash instead of one each by name; VW: 2^N columns in all (default: 18)",
     whole_number<&table_request::hash_bits, 1u, most_vw_hash_bits>},
    {"--min-rows", "N", of_tables | of_labelled,
     "values and words in fewer than N rows share a weight, with those of later files (default: 1)",
     whole_number<&table_request::min_rows, 1u, 0xffffffffu>},
    {"--word-ngrams", "N", of_tables | of_labelled | of_vw,
     "runs of up to N words of a text, or features of VW, have weights, too (default: 1)",
     whole_number<&table_request::word_ngrams, 1u, most_word_ngrams>},
    {"--word-skips", "N", of_vw, "VW: such runs pass over up to N features (default: 0)",
     whole_number<&table_request::word_skips, 0u, most_word_skips>},
    {"--char-ngrams", "MIN-MAX", of_labelled, "labelled text: parts of words of so many characters have weights, too",
     [](table_request& request, const std::string& text) {
       const std::size_t dash = text.find('-');
       const auto least = to_count(text.substr(0, dash)),
                  most = to_count(dash == text.npos ? text : text.substr(dash + 1));
       if (!least || !most || *least < 1 || *least > *most || *most > longest_subword)
         return "it should be MIN-MAX, such as 3-6, with at most " + std::to_string(longest_subword);
       request.least_characters = static_cast<unsigned>(*least), request.most_characters = static_cast<unsigned>(*most);
       return std::string();
     }},
    {"--separator", "comma|semicolon|tab|bar", of_tables, "tables: what separates fields (default: found out)",
     [](table_request& request, const std::string& text) {
       request.separator = separator_named(text);
       return request.separator ? std::string() : quote(text) + " is none of comma|semicolon|tab|bar";
     }},
    {"--header", "yes|no", of_tables,
     "tables: whether the first line has the names of the columns (default: found out)",
     one_of_two<&table_request::header, word_yes, word_no>},
    {"--numbers", "scaled|as_given", of_tables,
     "tables: whether numbers are divided by a power of two near their typical size (default: scaled)",
     one_of_two<&table_request::scaled, word_scaled, word_as_given>},
    {"--quotes", "yes|no", of_tables, "tables: whether quotation marks enclose fields (default: yes)",
     one_of_two<&table_request::quotes, word_yes, word_no>},
};

/// Reads lines "WORD VALUE", where --WORD is an option for tables. Returns a message about the first fault.
std::string read_columns(table_options& options, const std::string& path) {
  std::ifstream file(path);
  std::error_code unknown;
  if (!file || std::filesystem::is_directory(path, unknown)) return "the file " + quote(path) + " cannot be read";
  options.from_file = true;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line[begin] == '#') continue;
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    const std::string option = "--" + line.substr(begin, end - begin);
    const std::string place = path + ":" + std::to_string(number) + ": ";
    const auto word = std::ranges::find(known_words, option, &table_word::word);
    if (word == std::end(known_words))
      return place + quote(option.substr(2)) + " is none of the options for tables; a line is 'numeric age,price'";
    const std::size_t value = std::min(line.find_first_not_of(" \t", end), line.size());
    const std::size_t last = line.find_last_not_of(" \t");
    const std::string text = value < line.size() ? line.substr(value, last + 1 - value) : "";
    if (std::string fault = options.take(*word, text); !fault.empty()) return place + fault;
  }
  return file.bad() ? "the file " + quote(path) + " cannot be read to its end" : "";
}

}  // namespace

std::span<const table_word> table_words() {
  return known_words;
}

void table_options::declare(command_line& line) {
  for (const table_word& each : known_words)
    line.option(std::string(each.word), std::string(each.placeholder), "", std::string(each.help),
                [this, &each](const std::string& text) { return take(each, text); });
  line.option(std::string(columns_option), "FILE", "",
              "a file with options for tables, labelled text or VW, one a line without the dashes: 'categorical "
              "site,device_*'",
              [this](const std::string& path) { return read_columns(*this, path); });
}

std::string table_options::take(const table_word& word, const std::string& text) {
  const bool names_several = word.placeholder.ends_with("...");
  if (!names_several && std::ranges::find(given, &word) != given.end())
    return std::string(word.word) + " is given twice";
  given.push_back(&word);
  return word.set(request, text);
}

std::string table_options::first_given() const {
  if (from_file) return std::string(columns_option);
  return given.empty() ? "" : std::string(given.front()->word);
}

void table_options::require_suitable(const std::string& format) const {
  const unsigned bit = 1u << static_cast<unsigned>(request.text);
  for (const table_word* const word : given)
    if ((word->texts & bit) == 0)
      throw config_error(std::string(word->word) + " is not for --format " + format + ": leave it out");
}

void table_options::refuse(const std::string& format) const {
  if (!asked()) return;
  throw config_error(first_given() + " is for data with named columns (--format csv), not " + format);
}

void table_options::take_schema(const saved_model& model, const std::string& path) {
  if (asked()) throw config_error("the model " + path + " knows how its data are read: leave out " + first_given());
  *schema = *schema_of(model, path);
}

sparse_dataset table_options::open(const std::string& path, const open_options& opening, bool quiet) const {
  const bool begins = schema->columns.empty();
  const bool is_table = (begins ? request.text : schema->text) == named_text::table;
  if (begins && opening.numbering != nullptr)
    throw config_error(path + ": the model does not know the columns of a " + (is_table ? "table" : "text") +
                       ", because it was trained on numbered ones");
  if (opening.numbering != nullptr) return open_table(path, *schema, opening);
  if (begins && is_table && request.label.empty())
    throw config_error(path + ": this is a table; name the column of its label: --label COLUMN" +
                       (path == "-" ? "" : ", one of " + columns_of(path, request)));
  table opened = begins ? open_table(path, request, opening) : open_more_of_table(path, *schema, opening);
  *schema = *opened.schema;
  if (!quiet && is_table) say((path == "-" ? "standard input" : path) + " is read as a table; " + describe(*schema));
  return std::move(opened.rows);
}

}  // namespace hogwild::cli
