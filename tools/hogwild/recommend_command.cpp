// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/models/recommend.hpp>
#include <hogwild/saved_model.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

struct recommend_request {
  std::string model, seen, user;
  std::uint64_t top = 10;
  bool json = false;
  data_options files{};
};

/// The user's number in the ratings, also for a user whom the model does not know.
std::uint32_t id_of(const std::string& user, const rating_names* names) {
  if (names != nullptr) {
    const auto found = std::ranges::find(names->users, user);
    if (found == names->users.end())
      throw input_error("the model does not know user " + quote(user) +
                        ": there was no rating of that user to learn from");
    return static_cast<std::uint32_t>(found - names->users.begin());
  }
  const char* const end = user.data() + user.size();
  std::uint32_t id = 0;
  const auto [stop, problem] = std::from_chars(user.data(), end, id);
  if (problem != std::errc{} || stop != end || id > largest_rating_id)
    throw config_error("--user: users are whole numbers up to " + std::to_string(largest_rating_id) + ", not " +
                       quote(user));
  return id;
}

/// The items that a user has rated, in ascending order.
std::vector<std::uint32_t> items_of(const recommend_request& request, std::uint32_t id, const saved_model& model) {
  if (request.seen.empty()) return {};
  const column_numbering columns(model.columns);
  const sparse_dataset data = open_through(request.seen, columns, request.files, row_labels::optional);
  const sparse_view rows = data.view();
  rows.ensure(0, rows.rows());
  row_cursor cursor(rows);
  const std::uint32_t user = columns.position(user_column(id));
  std::vector<std::uint32_t> items;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> row = cursor.row(r);
    if (std::ranges::find(row.index, user) == row.index.end()) continue;
    for (const std::uint32_t column : row.index)
      if (column != user) items.push_back(rating_id(model.columns[column]));
  }
  std::ranges::sort(items);
  return items;
}

std::string text_of(recommend_request request) {
  const saved_model model = load_model(request.model, say);
  const recommender of(model);
  request.files.choose_format(model, request.model);
  const rating_names* const names = request.files.names.get();
  const std::uint32_t user = id_of(request.user, names);
  const bool shown = prints_to_a_terminal();
  std::string text;
  for (const recommendation& r : of.items_for(user, request.top, items_of(request, user, model))) {
    if (request.json) {
      nlohmann::ordered_json line = {{"item", r.item}, {"score", r.score}};
      if (names != nullptr) line["item"] = names->items[r.item];
      text += json_text(line) + '\n';
    } else {
      const std::string item = names != nullptr ? names->items[r.item] : std::to_string(r.item);
      text += (shown ? printable(item) : item) + formatted("\t%.4f\n", static_cast<double>(r.score));
    }
  }
  return text;
}

}  // namespace

int recommend_command(int argc, const char* const* argv) {
  recommend_request request;
  command_line line("recommend",
                    "Recommends the items that a user would like best, best first: one line an item, with its score, "
                    "which for matrix_factorization is the rating that the model expects.",
                    "hogwild recommend model.bin --user 196 --top 10 --seen ratings.tsv");
  line.positional("MODEL", request.model, "a model of ratings or of pairs that 'hogwild train --save' wrote");
  line.option("--user", "USER", request.user, "the user, by the number or the name in the ratings");
  line.require("--user");
  line.option("--top", request.top, "number of items");
  line.option("--seen", request.seen, "ratings or pairs; items that the user has here are left out");
  line.flag("--json", request.json, "one JSON object a line");
  line.flag("--quiet", request.files.quiet, "say nothing about unknown users and items");
  request.files.declare(line);
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});
  print(retry_damaged_cache([&] { return text_of(request); }));
  return 0;
}

}  // namespace hogwild::cli
