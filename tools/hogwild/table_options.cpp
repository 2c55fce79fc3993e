// SPDX-License-Identifier: Apache-2.0
#include "table_options.hpp"

#include <algorithm>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "data_files.hpp"

namespace hogwild::cli {
namespace {

/// The columns of a table, for messages.
std::string columns_of(const std::string& path, const table_request& how) {
  std::string all;
  for (const table_column& column : look_at_table(path, how).schema.columns)
    all += (all.empty() ? "" : ", ") + column.name;
  return all;
}

}  // namespace

void table_options::declare(command_line& line) {
  line.option("--label", "COLUMN", "", "tables (CSV): the column of the label; a saved model knows it",
              [this](const std::string& text) {
                asked = true, request.label = text;
                return std::string(text.empty() ? "a column needs a name" : "");
              });
  const auto names = [&](const char* option, std::vector<std::string>& to, const char* help) {
    line.option(option, "COLUMN,...", "", help, [this, &to](const std::string& text) {
      asked = true;
      for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (end == at) return std::string("a column needs a name");
        to.push_back(text.substr(at, end - at));
        at = end + 1;
      }
      return std::string();
    });
  };
  names("--numeric", request.numeric,
        "tables: columns of numbers; a missing one has a column of its own; '*' stands for any part of a name");
  names("--categorical", request.categorical, "tables: columns of values, each of which has a weight of its own");
  names("--ignore", request.ignored, "tables: columns that are left out");
  line.option("--hash-bits", "N", "", "tables: values have 2^N columns by hash instead of one each by name",
              [this](const std::string& text) {
                const auto bits = to_count(text);
                asked = true;
                if (!bits || *bits < least_hash_bits || *bits > most_hash_bits)
                  return "it should be " + std::to_string(least_hash_bits) + " to " + std::to_string(most_hash_bits);
                request.hash_bits = static_cast<unsigned>(*bits);
                return std::string();
              });
  const auto word = [&](const char* option, const char* words, const char* help, auto set) {
    line.option(option, words, "", help, [this, set, words](const std::string& text) {
      asked = true;
      return set(text) ? std::string() : quote(text) + " is none of " + words;
    });
  };
  word("--separator", "comma|semicolon|tab|bar", "tables: what separates fields (default: found out)",
       [this](const std::string& text) {
         for (const auto& [name, c] : {std::pair{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"bar", '|'}})
           if (text == name) request.separator = c;
         return request.separator.has_value();
       });
  word("--header", "yes|no", "tables: whether the first line has the names of the columns (default: found out)",
       [this](const std::string& text) {
         if (text == "yes" || text == "no") request.header = text == "yes";
         return request.header.has_value();
       });
  word("--numbers", "scaled|as_given",
       "tables: whether numbers are divided by a power of two near their typical size (default: scaled)",
       [this](const std::string& text) {
         request.scaled = text == "scaled";
         return request.scaled || text == "as_given";
       });
  word("--quotes", "yes|no", "tables: whether quotation marks enclose fields (default: yes)",
       [this](const std::string& text) {
         request.quotes = text == "yes";
         return text == "yes" || text == "no";
       });
}

void table_options::take_schema(const saved_model& model, const std::string& path) {
  if (asked)
    throw config_error("the model " + path +
                       " knows how its tables are read: leave out --label and the other options for tables");
  *schema = *schema_of(model, path);
}

sparse_dataset table_options::open(const std::string& path, const open_options& opening, bool quiet) const {
  const bool begins = schema->columns.empty();
  if (begins && opening.numbering != nullptr)
    throw config_error(path +
                       ": the model does not know the columns of a table, because it was trained on numbered ones");
  if (opening.numbering != nullptr) return open_table(path, *schema, opening);
  if (begins && request.label.empty())
    throw config_error(path + ": this is a table; name the column of its label: --label COLUMN" +
                       (path == "-" ? "" : ", one of " + columns_of(path, request)));
  table opened = begins ? open_table(path, request, opening) : open_more_of_table(path, *schema, opening);
  *schema = *opened.schema;
  if (!quiet) say((path == "-" ? "standard input" : path) + " is read as a table; " + describe(*schema));
  return std::move(opened.rows);
}

}  // namespace hogwild::cli
