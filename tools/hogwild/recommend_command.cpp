// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/embeddings/side_vectors.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/models/recommend.hpp>
#include <hogwild/saved_model.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "feature_files.hpp"
#include "fold_in.hpp"
#include "member_names.hpp"
#include "name_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

struct recommend_request {
  std::string model, seen, user, users, only, without, fold_in;
  std::uint64_t top = 10;
  bool json = false;
  data_options files{};
};

/// The items that users have in files of ratings or pairs, by their numbers.
class seen_items {
 public:
  void add(const std::string& path, const saved_model& model, const data_options& files) {
    const column_numbering columns(model.columns);
    const sparse_dataset data = open_through(path, columns, files, row_labels::optional);
    const sparse_view rows = data.view();
    rows.ensure(0, rows.rows());
    row_cursor cursor(rows);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      std::optional<std::uint32_t> user, item;
      for (const std::uint32_t position : cursor.row(r).index) {
        const std::uint32_t column = model.columns[position];
        (is_user_column(column) ? user : item) = rating_id(column);
      }
      if (user && item) pairs_.emplace_back(*user, *item);
    }
    std::ranges::sort(pairs_);
    items_.clear();
    for (const auto& [user, item] : pairs_) items_.push_back(item);
  }

  /// Those of one user, ascending.
  std::span<const std::uint32_t> of(std::uint32_t user) const {
    const auto first = std::ranges::lower_bound(pairs_, user, {}, &pair::first),
               last = std::ranges::upper_bound(pairs_, user, {}, &pair::first);
    return std::span(items_).subspan(static_cast<std::size_t>(first - pairs_.begin()),
                                     static_cast<std::size_t>(last - first));
  }
  /// The users that have any, ascending.
  std::vector<std::uint32_t> users() const {
    std::vector<std::uint32_t> all;
    for (const auto& [user, item] : pairs_)
      if (all.empty() || all.back() != user) all.push_back(user);
    return all;
  }

 private:
  using pair = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<pair> pairs_{};           ///< user and item
  std::vector<std::uint32_t> items_{};  ///< of the pairs
};

/// A model without the items that are not to be recommended.
saved_model of_allowed_items(const recommend_request& request, const member_names& items, saved_model model) {
  const auto read = [&](const std::string& path) {
    std::vector<std::uint32_t> ids;
    if (!path.empty())
      ids = read_names(
          path, "item", request.model, [&](const std::string& name) { return items.find(name); }, request.files.quiet);
    std::ranges::sort(ids);
    return ids;
  };
  const std::vector<std::uint32_t> only = read(request.only), without = read(request.without);
  saved_model allowed{
      .model = model.model, .model_options = model.model_options, .labels = model.labels, .width = model.width};
  bool any = false;
  for (std::size_t k = 0; k < model.columns.size(); ++k) {
    const std::uint32_t column = model.columns[k], id = rating_id(column);
    if (!is_user_column(column)) {
      if (!only.empty() && !std::ranges::binary_search(only, id)) continue;
      if (std::ranges::binary_search(without, id)) continue;
      any = true;
    }
    allowed.columns.push_back(column);
    allowed.weights.insert(allowed.weights.end(), model.row(k).begin(), model.row(k).end());
  }
  if (!any) throw input_error("--only and --without leave no item to recommend");
  return allowed;
}

/// A request, with the contents of the files that it names.
struct recommendation_task {
  recommender of;
  member_names users, items;
  std::vector<std::uint32_t> asked;
  seen_items seen;
};

std::vector<std::uint32_t> asked_users(const recommend_request& request, const member_names& names,
                                       const recommender& of, const std::vector<std::uint32_t>& folded) {
  if (!request.user.empty()) {
    if (const auto one = names.find(request.user)) return {*one};
    const bool number = request.user.find_first_not_of("0123456789") == std::string::npos;
    throw input_error("the model does not know user " + (number ? request.user : quote(request.user)) +
                      ": there was nothing of that user to learn from" +
                      (request.fold_in.empty() ? "; --fold-in FILE reads what there is now" : ""));
  }
  if (!request.users.empty() && request.users != "all")
    return read_names(
        request.users, "user", request.model, [&](const std::string& name) { return names.find(name); },
        request.files.quiet);
  if (!request.fold_in.empty()) return folded;
  return {of.users().begin(), of.users().end()};
}

recommendation_task read_task(recommend_request request) {
  saved_model model = load_model(request.model, say);
  request.files.choose_format(model, request.model);
  if (request.files.has_features()) {
    model = with_members_of_features(model, read_feature_files(request.files, {}));
    request.files.name_columns(model);
    request.files.user_features.clear(), request.files.item_features.clear();  // no later file is read with them
  }
  seen_items seen;
  std::vector<std::uint32_t> folded;
  if (!request.fold_in.empty()) {
    model = fold_in(model, request.fold_in, request.files);
    data_options quietly = request.files;  // fold_in() has told what is not known
    quietly.quiet = true;
    seen.add(request.fold_in, model, quietly);
    folded = seen.users();
  }
  if (!request.seen.empty()) seen.add(request.seen, model, request.files);
  member_names users(model, true), items(model, false);
  const bool all_items = request.only.empty() && request.without.empty();
  recommender of(all_items ? model : of_allowed_items(request, items, model));
  std::vector<std::uint32_t> asked = asked_users(request, users, of, folded);
  return {std::move(of), std::move(users), std::move(items), std::move(asked), std::move(seen)};
}

/// A line for each item that is recommended to a user; `told`: the user's name stands before them.
std::string lines_of(const recommendation_task& task, std::uint32_t user, const std::vector<recommendation>& list,
                     bool told, bool json) {
  const bool shown = prints_to_a_terminal();
  const auto text_of = [&](const std::string& name) { return shown ? printable(name) : name; };
  std::string text;
  for (const recommendation& r : list) {
    if (json) {
      nlohmann::ordered_json line;
      if (told) line["user"] = task.users.json_of(user);
      line["item"] = task.items.json_of(r.item);
      line["score"] = r.score;
      text += json_text(line) + '\n';
    } else {
      text += (told ? text_of(task.users.of(user)) + '\t' : "") + text_of(task.items.of(r.item)) +
              formatted("\t%.4f\n", static_cast<double>(r.score));
    }
  }
  return text;
}

}  // namespace

int recommend_command(int argc, const char* const* argv) {
  recommend_request request;
  command_line line("recommend",
                    "Recommends the items that a user would like best, best first: one line an item, with its score, "
                    "which for matrix_factorization is the rating that the model expects. With several users each line "
                    "begins with the user.",
                    "hogwild recommend model.bin --user 196 --top 10 --seen ratings.tsv");
  line.positional("MODEL", request.model, "a model of ratings or of pairs that 'hogwild train --save' wrote");
  line.option("--user", "USER", request.user, "the user, by the number or the name in the ratings");
  line.option("--users", "FILE|all", request.users,
              "several users: those of a file, one a line, or all; without --user that is the default of --fold-in");
  line.option("--top", request.top, "number of items");
  line.option("--seen", request.seen, "ratings or pairs; items that the user has here are left out");
  line.option("--only", request.only, "a file of items, one a line: others are not recommended");
  line.option("--without", request.without, "a file of items, one a line, that are not recommended");
  line.option("--fold-in", request.fold_in,
              "ratings or pairs of users whom the model need not know: they are learned from these, with the items as "
              "they are; what they have here is left out. 'all' are then the users of this file");
  line.option(
      "--user-features", request.files.user_features,
      "features of users whom the model need not know, as 'hogwild train' reads them: they get vectors from these");
  line.option("--item-features", request.files.item_features, "the same of items, which are then recommended, too");
  line.flag("--json", request.json, "one JSON object a line");
  line.flag("--quiet", request.files.quiet, "say nothing about unknown users and items");
  line.excludes("--user", "--users");
  request.files.declare(line);
  if (const auto code = line.parse(argc, argv)) return *code;
  if (request.user.empty() && request.users.empty() && request.fold_in.empty())
    throw config_error("name the user by --user USER, or several by --users FILE, or --users all");
  const interrupt signals({.ended = ended_at_once});

  const recommendation_task task = retry_damaged_cache([&] { return read_task(request); });
  constexpr std::size_t at_once = 4096;  // users whose items are held before they are printed
  for (std::size_t first = 0; first < task.asked.size(); first += at_once) {
    const auto some = std::span(task.asked).subspan(first, std::min(at_once, task.asked.size() - first));
    const auto lists = task.of.items_for(some, request.top, [&](std::uint32_t user) { return task.seen.of(user); });
    std::string text;
    for (std::size_t k = 0; k < some.size(); ++k)
      text += lines_of(task, some[k], lists[k], request.user.empty(), request.json);
    print(text);
  }
  return 0;
}

}  // namespace hogwild::cli
