// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

#include "formats/table_layout.hpp"
#include "formats/table_schema.hpp"

namespace hogwild::detail {

table_schema schema_of_text(const table_request& how) {
  table_schema schema;
  schema.text = how.text;
  schema.hash_bits = how.hash_bits;
  schema.value_bits = most_vw_hash_bits;
  for (const schema_number& each : schema_numbers) schema.*each.member = how.*each.requested;
  if (how.text == named_text::labelled_text) {
    schema.columns = {{.name = "word", .kind = table_kind::text},
                      {.name = "ngram", .kind = table_kind::interaction},
                      {.name = "subword", .kind = table_kind::interaction}};
  } else {
    if (schema.hash_bits == 0) schema.hash_bits = vw_hash_bits;
    schema.columns = {{.name = "feature", .kind = table_kind::categorical}};
    for (const std::string& name : how.ignored) schema.columns.push_back({.name = name, .kind = table_kind::ignored});
    for (const std::string& name : how.interactions)
      schema.columns.push_back({.name = name, .kind = table_kind::interaction});
  }
  schema.values.resize(schema.columns.size());
  return schema;
}

void require_request(const table_request& how) {
  const bool hashes_all = how.text == named_text::vowpal_wabbit;
  const unsigned least = hashes_all ? 1 : least_hash_bits, most = hashes_all ? most_vw_hash_bits : most_hash_bits;
  const auto require_range = [](const char* option, unsigned value, unsigned least_value, unsigned most_value) {
    if (value < least_value || value > most_value)
      throw config_error(std::string(option) + " " + std::to_string(value) + ": it should be " +
                         std::to_string(least_value) + " to " + std::to_string(most_value));
  };
  if (how.hash_bits != 0) require_range("--hash-bits", how.hash_bits, least, most);
  if (how.min_rows == 0) throw config_error("--min-rows 0: a value is in one row at least");
  if (how.min_rows > 1 && (how.hash_bits > 0 || hashes_all))
    throw config_error("--min-rows is for values by name, and these have columns by hash: leave it out");
  require_range("--word-ngrams", how.word_ngrams, 1, most_word_ngrams);
  require_range("--word-skips", how.word_skips, 0, most_word_skips);
  if (how.most_characters > 0) {
    require_range("--char-ngrams", how.most_characters, 1, longest_subword);
    require_range("--char-ngrams", how.least_characters, 1, how.most_characters);
  }
  std::set<std::set<std::string>> interactions;
  for (const std::string& name : how.interactions) {
    const auto fail = [&](const char* why) { throw config_error("the interaction " + quote(name) + ": " + why); };
    if (!combines_some(name, hashes_all))
      fail(hashes_all ? "it combines two to four namespaces, as in 'a*b', whose names begin with different letters"
                      : "it combines two to four different columns, as in 'a*b'");
    std::vector<std::string> factors = factors_of(name);
    if (hashes_all)
      for (std::string& factor : factors) factor.resize(1);
    if (!interactions.insert({factors.begin(), factors.end()}).second) fail("the same columns are combined twice");
  }
  if (how.separator && std::string_view(",;\t|").find(*how.separator) == std::string_view::npos)
    throw config_error("the separator of a table is a comma, a semicolon, a tab or a bar");
}

}  // namespace hogwild::detail
