// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/side_features.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "data/dataset_mapping.hpp"
#include "name_numbers.hpp"
#include "ratings_parser.hpp"
#include "text/decimal.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"
#include "text/text_fields.hpp"

namespace hogwild {
namespace {

using detail::text_field;

/// "user", or "users".
std::string member_word(bool of_users, std::size_t count = 1) {
  return std::string(of_users ? "user" : "item") + (count == 1 ? "" : "s");
}

class features_reading {
 public:
  features_reading(const std::string& path, bool of_users, rating_names* ids, side_features& into)
      : source_(path == "-" ? "standard input" : path),
        text_(detail::read_unpacked(path, detail::text_look(source_))),
        of_users_(of_users),
        into_(into),
        names_(of_users ? into.names.users : into.names.items),
        by_(text_.find('\t') != text_.npos ? detail::separator::tab : detail::separator::blanks) {
    if (ids != nullptr)
      id_names_ = of_users ? &ids->users : &ids->items,
      id_numbers_.emplace(*id_names_, largest_rating_id, detail::most_rating_names());
    for (std::uint32_t k = 0; k < names_.size(); ++k) numbers_.emplace(names_[k], k);
  }

  void read() {
    const std::size_t first = into_.columns.size(), before = into_.feature.size();
    std::string_view left = detail::without_mark(text_);
    while (!left.empty()) {
      std::string_view line = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(line.size() + 1, left.size()));
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      const std::size_t begin = line.find_first_not_of(" \t");
      if (begin != line.npos && line[begin] != '#') read(line);
    }
    if (into_.feature.size() == before)
      throw input_error(source_ + ": there is no feature in it; a line is " + (of_users_ ? "a user" : "an item") +
                        " and its features, 'NAME feature feature:weight ...'");
    settle(first);
    into_.source = first == 0 ? source_ : into_.source + " and " + source_;
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& why) const {
    throw format_error(source_, line_, at + 1, why);
  }

  void read(std::string_view line) {
    if (const detail::field_fault fault = detail::cut_fields(line, by_, fields_); fault.what != nullptr)
      refuse(fault.at, fault.what);
    while (fields_.size() > 1 && fields_.back().text.empty() && !fields_.back().quoted) fields_.pop_back();
    const std::uint32_t id = id_of(fields_.front());
    if (const auto [known, added] = line_of_.emplace(id, line_); !added)
      refuse(fields_.front().at, "the " + member_word(of_users_) + " " + quote(content_of(fields_.front())) +
                                     " has a line already, line " + std::to_string(known->second) +
                                     "; give all features of one in one line");
    into_.columns.push_back(of_users_ ? user_column(id) : item_column(id));
    for (const text_field& field : std::span(fields_).subspan(1)) read_feature(field);
    into_.start.push_back(into_.feature.size());
  }

  /// A provisional number where they have names.
  std::uint32_t id_of(const text_field& field) {
    const std::string name = content_of(field);
    if (name.empty()) refuse(field.at, "the " + member_word(of_users_) + " is missing: the field is empty");
    require_name(member_word(of_users_), field, name);
    if (id_numbers_) return id_numbers_->number_of(name);
    std::uint64_t id = 0;
    for (const char c : name) {
      if (c < '0' || c > '9')
        refuse(field.at, "the " + member_word(of_users_) + " " + quote(name) +
                             " is not a whole number; have ids read as names, as in the pairs (--named-ids)");
      id = std::min<std::uint64_t>(10 * id + static_cast<std::uint64_t>(c - '0'), std::uint64_t{largest_rating_id} + 1);
    }
    if (id > largest_rating_id)
      refuse(field.at, "the " + member_word(of_users_) + " " + quote(name) + " is too large; the largest is " +
                           std::to_string(largest_rating_id));
    return static_cast<std::uint32_t>(id);
  }

  /// Quotation marks enclose a name, whatever stands in it.
  void read_feature(const text_field& field) {
    std::string name = content_of(field);
    double weight = 1.0;
    if (const std::size_t colon = name.rfind(':'); colon != name.npos && !field.quoted) {
      const char* const last = name.data() + name.size();
      const detail::number_fault fault = detail::read_decimal(name.data() + colon + 1, last, weight);
      if (fault == detail::number_fault::not_finite ||
          (fault == detail::number_fault::none && !std::isfinite(static_cast<float>(weight))))
        refuse(field.at, "the weight of the feature " + quote(name) + " is not finite in single precision");
      if (fault == detail::number_fault::none)
        name.resize(colon);
      else
        weight = 1.0;
    }
    if (name.empty()) refuse(field.at, "the feature has no name: a feature is 'name' or 'name:weight'");
    require_name("feature", field, name);
    const auto [found, added] = numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (added) names_.push_back(name);
    line_with_.resize(names_.size());
    if (std::exchange(line_with_[found->second], line_) == line_)
      refuse(field.at, "the feature " + quote(name) + " is there twice; give it once, with its weight");
    into_.feature.push_back(found->second);
    into_.weight.push_back(static_cast<float>(weight));
  }

  void require_name(const std::string& what, const text_field& field, const std::string& name) const {
    constexpr std::size_t longest = 255;
    if (name.size() > longest)
      refuse(field.at,
             "the name of the " + what + " has " + std::to_string(name.size()) + " bytes; at most 255 are read");
    if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
      refuse(field.at, "there is a control character in the name of the " + what + " " + quote(name));
  }

  /// Gives new names of users and items their numbers.
  void settle(std::size_t first) {
    if (!id_numbers_) return;
    const std::vector<std::uint32_t> settled = id_numbers_->settle(*id_names_);
    for (std::uint32_t& column : std::span(into_.columns).subspan(first))
      column = of_users_ ? user_column(settled[rating_id(column)]) : item_column(settled[rating_id(column)]);
  }

  std::string source_, text_;
  bool of_users_;
  side_features& into_;
  std::vector<std::string>& names_;
  detail::separator by_;
  std::vector<std::string>* id_names_ = nullptr;
  std::optional<detail::name_numbers> id_numbers_{};
  std::unordered_map<std::string, std::uint32_t> numbers_{};  ///< of features
  std::unordered_map<std::uint32_t, std::size_t> line_of_{};  ///< of users or items
  std::vector<std::size_t> line_with_{};                      ///< the last line that has a feature
  std::vector<text_field> fields_{};
  std::size_t line_ = 0;
};

/// Tells how many users or items have features. Throws input_error if none of the pairs has.
void tell(const side_features& features, bool of_users, const column_numbering& known,
          const std::function<void(std::string_view)>& note) {
  std::size_t listed = 0, both = 0;
  std::vector<float> weights;
  for (std::size_t k = 0; k < features.columns.size(); ++k) {
    const std::size_t first = features.start[k], end = features.start[k + 1];
    if (is_user_column(features.columns[k]) != of_users || first == end) continue;
    ++listed;
    both += known.position(features.columns[k]) != column_numbering::unknown;
    weights.insert(weights.end(), features.weight.data() + first, features.weight.data() + end);
  }
  if (listed == 0) return;
  if (both == 0)
    throw input_error(features.source + ": there are features of " + std::to_string(listed) + " " +
                      member_word(of_users, listed) +
                      ", none of which is in the pairs; give the names or numbers that stand there");
  const std::size_t all = static_cast<std::size_t>(
      std::ranges::count_if(known.original(), [&](std::uint32_t c) { return is_user_column(c) == of_users; }));
  std::string told =
      std::to_string(both) + " of " + std::to_string(all) + " " + member_word(of_users, all) + " have features, " +
      std::to_string((of_users ? features.names.users : features.names.items).size()) + " different ones";
  const auto [least, most] = std::ranges::minmax(weights);
  if (least != 1.0f || most != 1.0f)
    told += ", with weights from " + detail::to_short_text(static_cast<double>(least)) + " to " +
            detail::to_short_text(static_cast<double>(most));
  if (both < all) told += "; the others have a vector of their own alone";
  if (listed > both)
    told += "; " + std::to_string(listed - both) + " more " + member_word(of_users, listed - both) +
            (listed - both == 1 ? " is in no pair, and has those of its features alone"
                                : " are in no pair, and have those of their features alone");
  if (note) note(told);
}

}  // namespace

void read_side_features(const std::string& path, bool of_users, rating_names* ids, side_features& into) {
  features_reading(path, of_users, ids, into).read();
}

sparse_dataset with_side_features(const sparse_dataset& pairs, const side_features& features,
                                  const std::function<void(std::string_view sentence)>& note) {
  const column_numbering& known = pairs.numbering();
  for (const bool of_users : {true, false}) tell(features, of_users, known, note);

  // Known columns keep their order, in which users come first; new ones follow those of their kind.
  const auto has_some = [&](std::size_t k) { return features.start[k] < features.start[k + 1]; };
  std::vector<std::uint32_t> columns(known.original().begin(), known.original().end());
  for (std::size_t k = 0; k < features.columns.size(); ++k)
    if (has_some(k) && known.position(features.columns[k]) == column_numbering::unknown)
      columns.push_back(features.columns[k]);
  std::stable_partition(columns.begin(), columns.end(), is_user_column);
  const column_numbering numbering(columns);

  std::vector<std::size_t> list_of(columns.size(), features.columns.size());
  for (std::size_t k = 0; k < features.columns.size(); ++k)
    if (has_some(k)) list_of[numbering.position(features.columns[k])] = k;
  const auto of_users = static_cast<std::uint32_t>(features.names.users.size());
  std::vector<std::uint32_t> start{0}, number;
  std::vector<float> weight;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (const std::size_t k = list_of[c]; k < features.columns.size()) {
      for (std::size_t e = features.start[k]; e < features.start[k + 1]; ++e) {
        number.push_back(features.feature[e] + (is_user_column(columns[c]) ? 0 : of_users));
        weight.push_back(features.weight[e]);
      }
    }
    start.push_back(static_cast<std::uint32_t>(number.size()));
  }

  sparse_view rows = pairs.view();
  rows.ensure(0, rows.rows());
  std::vector<std::uint32_t> index;
  index.reserve(rows.nonzeros());
  std::vector<std::uint32_t> place;
  for (const std::uint32_t column : rows.original) place.push_back(numbering.position(column));
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (const std::uint32_t position : cursor.row(r).index) index.push_back(place[position]);
  rows.index = index, rows.index16 = {};
  rows.columns = columns.size(), rows.original = columns, rows.first_singleton = columns.size();
  return dataset_access::with_parts(rows, {of_users + features.names.items.size(), start, number, weight},
                                    dataset_access::times_of(pairs));
}

namespace {

constexpr std::string_view schema_of_features = "side features\n", of_user = "user ", of_item = "item ";

}  // namespace

bool names_side_features(const saved_model& model) {
  return model.schema.starts_with(schema_of_features);
}

void keep_side_features(const rating_names& names, saved_model& model) {
  model.schema = schema_of_features;
  const auto add = [&](std::string_view of, const std::vector<std::string>& all) {
    for (const std::string& name : all) model.schema.append(of).append(name).append("\n");
  };
  add(of_user, names.users), add(of_item, names.items);
}

std::optional<rating_names> side_features_of(const saved_model& model) {
  if (!names_side_features(model)) return std::nullopt;
  rating_names names;
  for (std::string_view left = std::string_view(model.schema).substr(schema_of_features.size()); !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (!line.starts_with(of_user) && !line.starts_with(of_item))
      throw input_error("the saved model " + model.model + " names no feature by the line " + quote(line));
    (line.starts_with(of_user) ? names.users : names.items).emplace_back(line.substr(of_user.size()));
  }
  if ((names.users.size() + names.items.size()) * model.width != model.bias.size())
    throw input_error("the saved model " + model.model + " has names of " +
                      std::to_string(names.users.size() + names.items.size()) + " features, and not as many rows");
  return names;
}

}  // namespace hogwild
