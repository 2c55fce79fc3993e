// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/recommend.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include <hogwild/detail/embeddings/nearest_rows.hpp>
#include <hogwild/detail/embeddings/target_finder.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/registry.hpp>

namespace hogwild {
namespace {

/// The users or the items of a model, ordered by their numbers, so that of equal scores the smaller number comes first.
struct members {
  std::string_view name;  ///< "user" or "item"
  std::vector<std::uint32_t> ids{};
  std::vector<float> rows{}, added{};

  members(std::string_view called, std::span<const std::uint32_t> columns, std::span<const float> vectors,
          std::size_t width, std::span<const float> biases)
      : name(called) {
    std::vector<std::uint32_t> place(columns.size());
    std::iota(place.begin(), place.end(), 0u);
    std::ranges::sort(place, {}, [&](std::uint32_t p) { return rating_id(columns[p]); });
    for (const std::uint32_t p : place) {
      ids.push_back(rating_id(columns[p]));
      const auto row = vectors.subspan(p * width, width);
      rows.insert(rows.end(), row.begin(), row.end());
      added.push_back(biases.empty() ? 0.0f : biases[p]);
    }
  }

  std::optional<std::size_t> find(std::uint32_t id) const {
    const auto at = std::ranges::lower_bound(ids, id);
    if (at == ids.end() || *at != id) return std::nullopt;
    return static_cast<std::size_t>(at - ids.begin());
  }
  std::size_t at(std::uint32_t id) const {
    if (const auto place = find(id)) return *place;
    throw input_error("the model does not know " + std::string(name) + " " + std::to_string(id) +
                      ": there was nothing of that " + std::string(name) + " to learn from");
  }
};

std::vector<recommendation> alike(const members& of, const nearest_rows& rows, std::uint32_t id, std::size_t top) {
  const std::array asked{static_cast<std::uint32_t>(of.at(id))};
  std::vector<recommendation> found;
  const auto lists = rows.of(asked, top);  // named, because a range of a temporary's part would outlive it
  for (const scored_target& near : lists.front()) found.push_back({of.ids[near.target], near.score});
  return found;
}

item_vectors vectors_of(const predictor& of, const saved_model& model) {
  if (const auto vectors = of.vectors()) return *vectors;
  throw input_error("a " + model.model + " model recommends nothing; models of ratings and of pairs do");
}

}  // namespace

struct recommender::tables {
  item_vectors form;  ///< its spans are not used after construction
  members users, items;
  target_table by_score;
  nearest_rows like_items, like_users;

  tables(const predictor& of, const item_vectors& v)
      : form(v),
        users("user", of.columns().first(v.users.size() / v.width), v.users, v.width, v.user_added),
        items("item", of.columns().subspan(v.users.size() / v.width), v.items, v.width, v.item_added),
        by_score(items.rows, v.width, items.added, v.by_length, isa::automatic),
        like_items(items.rows, v.width),
        like_users(users.rows, v.width) {}

  std::span<const float> user_row(std::size_t place) const {
    return std::span(users.rows).subspan(place * form.width, form.width);
  }
};

recommender::recommender(const saved_model& model) {
  const predictor scores(model);
  tables_ = std::make_shared<const tables>(scores, vectors_of(scores, model));
}

bool recommender::knows_user(std::uint32_t user) const {
  return tables_->users.find(user).has_value();
}
bool recommender::knows_item(std::uint32_t item) const {
  return tables_->items.find(item).has_value();
}

std::span<const std::uint32_t> recommender::users() const {
  return tables_->users.ids;
}

std::vector<std::vector<recommendation>> recommender::items_for(std::span<const std::uint32_t> users, std::size_t top,
                                                                const items_of_user& left_out) const {
  const tables& t = *tables_;
  std::vector<std::size_t> places;
  std::vector<std::vector<std::uint32_t>> not_these(users.size());
  for (std::size_t k = 0; k < users.size(); ++k) {
    places.push_back(t.users.at(users[k]));
    if (!left_out) continue;
    for (const std::uint32_t item : left_out(users[k]))
      if (const auto at = t.items.find(item)) not_these[k].push_back(static_cast<std::uint32_t>(*at));
  }
  const auto write = [&](std::size_t k, std::span<float> to) {
    const std::span<const float> row = t.user_row(places[k]);
    const float divisor = t.form.temperature * (t.form.by_length ? length_of(row) : 1.0f);
    std::ranges::transform(row, to.begin(), [&](float x) { return x / divisor; });
  };
  std::vector<std::vector<recommendation>> lists(users.size());
  const auto found = [&](std::size_t k, std::span<const scored_target> best) {
    const float plus = t.form.constant + t.users.added[places[k]];
    for (const scored_target& b : best) lists[k].push_back({t.items.ids[b.target], b.score + plus});
  };
  find_for_all(t.by_score, top,
               {.count = users.size(),
                .write = write,
                .left_out = [&](std::size_t k) { return std::span<const std::uint32_t>(not_these[k]); },
                .found = found});
  return lists;
}

std::vector<recommendation> recommender::items_for(std::uint32_t user, std::size_t top,
                                                   std::span<const std::uint32_t> left_out) const {
  return items_for(std::span(&user, 1), top, [&](std::uint32_t) { return left_out; }).front();
}

std::vector<recommendation> recommender::similar_items(std::uint32_t item, std::size_t top) const {
  return alike(tables_->items, tables_->like_items, item, top);
}
std::vector<recommendation> recommender::similar_users(std::uint32_t user, std::size_t top) const {
  return alike(tables_->users, tables_->like_users, user, top);
}

std::vector<recommendation> recommend(const saved_model& model, std::uint32_t user, std::size_t top,
                                      std::span<const std::uint32_t> seen) {
  return recommender(model).items_for(user, top, seen);
}

}  // namespace hogwild
