// SPDX-License-Identifier: Apache-2.0
#include "embeddings/pair_descriptor.hpp"

#include <array>
#include <span>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>

#include "embeddings/product_options.hpp"
#include "factors/factor_options.hpp"

namespace hogwild::detail {
namespace {

/// Calls copy(place among the parameters, place in the saved row, number) for the parameters of the model's column.
template <class Copy>
void for_saved_parts(const pair_shape& m, std::size_t column, const Copy& copy) {
  copy(column * m.width(), std::size_t{0}, m.factors);
  if (m.bias && column >= m.users) copy(m.item_bias(column - m.users), m.factors, std::size_t{1});
}

std::size_t saved_width(const pair_shape& m) {
  return m.factors + (m.bias ? 1 : 0);
}

bool is_temperature(double x) {
  return x >= 1e-6 && x <= 1e6;
}
bool is_power(double x) {
  return x >= 0.0 && x <= 1.0;
}

constexpr const char *part_numbers = "parts", *parts_apart = "apart", *features_alone = "features_alone";

constexpr const char* sampler_words[] = {"uniform", "popularity", "in_batch"};

}  // namespace

std::vector<model_option> pair_options(const pair_shape& usual, bool in_blocks) {
  std::vector<std::string> samplers{sampler_words[0], sampler_words[1]};
  if (in_blocks) samplers.emplace_back(sampler_words[2]);
  std::vector<model_option> options{
      factors_option(usual.factors, "of each user and item"),
      word_option(
          "sampler", samplers,
          "whether items are drawn alike, or by how many pairs they have; in_batch: they are those of a block's "
          "other pairs"),
      number_option("popularity", usual.popularity,
                    "--sampler popularity draws an item by its number of pairs to this power"),
      flag_option("features-alone",
                  "users and items with features have no vectors of their own beside those of the features")};
  if (!in_blocks) return options;
  options.push_back(
      count_option("negatives", usual.negatives, "items drawn at random against which a block of pairs is compared"));
  options.push_back(word_option(
      "similarity",
      usual.cosine ? std::vector<std::string>{"cosine", "product"} : std::vector<std::string>{"product", "cosine"},
      "what a score is made of: the product of two vectors, or their cosine"));
  options.push_back(number_option("temperature", usual.temperature, "divides products and cosines"));
  options.push_back(products_option());
  return options;
}

void take_pair_options(const model_options& options, pair_shape& m) {
  m.factors = factors_of(options, m.factors);
  m.negatives = options.count("negatives", m.negatives);
  const std::string sampler = options.text("sampler", sampler_words[static_cast<std::size_t>(m.sampler)]);
  m.sampler = static_cast<item_sampler>(std::ranges::find(sampler_words, sampler) - sampler_words);
  m.popularity = options.number("popularity", m.popularity);
  m.features_alone = options.flag("features-alone", m.features_alone);
  m.cosine = options.text("similarity", m.cosine ? "cosine" : "product") == "cosine";
  m.temperature = options.number("temperature", m.temperature);
  if (m.negatives < 1 || m.negatives > most_negatives) throw config_error("--negatives is 1 to 65536");
  if (!is_power(m.popularity)) throw config_error("--popularity is a power from 0 to 1");
  if (options.given("popularity") && m.sampler != item_sampler::popularity)
    throw config_error("--popularity is the power of --sampler popularity: add that, or leave it out");
  if (options.given("negatives") && m.sampler == item_sampler::in_batch)
    throw config_error(
        "--sampler in_batch draws no items, it takes those of the other pairs: leave out --negatives, "
        "and set their number by --batch");
  if (!is_temperature(m.temperature)) throw config_error("--temperature is a number from 1e-6 to 1e6");
}

void take_pair_sizes(const model_data& data, pair_shape& m) {
  if (!std::ranges::is_partitioned(data.rows.original, is_user_column))
    throw config_error("pairs need one file for all ranks, not one for each");
  m.users = count_users(data.rows.original);
  m.items = data.features() - m.users;
  const column_parts features = parts_of(data.rows);
  m.parts = features.parts;
  if (m.parts == 0) return;
  const std::array<std::uint64_t, 3> sums{checksum(features.start), checksum(features.number),
                                          checksum(features.weight)};
  m.parts_digest = static_cast<std::uint32_t>(checksum(std::span<const std::uint64_t>(sums)));
}

bool has_parts_apart(const saved_model& saved) {
  return std::ranges::find(saved.model_options, parts_apart, &std::pair<std::string, double>::first) !=
         saved.model_options.end();
}

void say_composed(saved_model& saved) {
  std::erase_if(saved.model_options, [](const auto& option) { return option.first == parts_apart; });
}

bool features_alone_in(const saved_model& saved) {
  return saved_flag(saved, features_alone);
}

void save_pair_rows(const pair_shape& m, const trained_parameters& trained, saved_model& to) {
  if (trained.values.size() != m.dim() || trained.original.size() != m.users + m.items)
    throw config_error("these parameters are not those of this model of pairs");
  to.model_options = {{"rank", static_cast<double>(m.factors)},
                      {"cosine", m.cosine ? 1.0 : 0.0},
                      {"temperature", m.temperature},
                      {"negatives", static_cast<double>(m.negatives)},
                      {"sampler", static_cast<double>(m.sampler)},
                      {"popularity", m.popularity}};
  to.width = saved_width(m);
  for (std::size_t part = 0; part < m.parts; ++part) {
    const auto row = trained.values.subspan(m.part_row(part), m.factors);
    to.bias.insert(to.bias.end(), row.begin(), row.end());
    if (m.bias) to.bias.push_back(trained.values[m.item_bias(m.items + part)]);
  }
  if (m.parts > 0)
    to.model_options.insert(to.model_options.end(), {{part_numbers, static_cast<double>(to.bias.size())},
                                                     {features_alone, m.features_alone ? 1.0 : 0.0},
                                                     {parts_apart, 1.0}});
  to.weights.resize(trained.original.size() * to.width);
  for (std::size_t k = 0; k < trained.saved_order.size(); ++k) {
    for_saved_parts(m, trained.saved_order[k], [&](std::size_t from, std::size_t at, std::size_t count) {
      std::ranges::copy(trained.values.subspan(from, count),
                        to.weights.begin() + static_cast<std::ptrdiff_t>(k * to.width + at));
    });
  }
}

void load_pair_shape(const saved_model& saved, pair_shape& m) {
  m.factors = saved_count(saved, "rank", most_factors);
  m.cosine = saved_number(saved, "cosine") != 0.0;
  m.temperature = saved_number(saved, "temperature");
  m.negatives = saved_count(saved, "negatives", most_negatives);
  m.sampler = static_cast<item_sampler>(saved_choice(saved, "sampler", std::size(sampler_words)));
  m.popularity = saved_number(saved, "popularity");
  m.users = static_cast<std::size_t>(std::ranges::count_if(saved.columns, is_user_column));
  m.items = saved.columns.size() - m.users;
  m.bias = saved.width == m.factors + 1;
  if (has_parts_apart(saved))
    throw input_error(
        "the saved model " + saved.model +
        " has the rows of features apart from those of users and items, which compose_features() adds up");
  if (saved.width != saved_width(m) || saved.bias.size() % saved.width != 0 || !is_temperature(m.temperature) ||
      !is_power(m.popularity) || saved.weights.size() != saved.columns.size() * saved.width)
    throw input_error("the number of parameters does not suit the model " + saved.model);
  if (m.users == 0 || m.items == 0)
    throw input_error("the saved model " + saved.model + " has no " + (m.users == 0 ? "users" : "items"));
}

loaded_pair_rows load_pair_rows(const pair_shape& m, const saved_model& saved) {
  loaded_pair_rows rows{std::vector<float>(m.dim()), std::vector<std::uint32_t>(saved.columns.size()), {}};
  auto user = std::uint32_t{0}, item = static_cast<std::uint32_t>(m.users);
  for (std::size_t k = 0; k < saved.columns.size(); ++k) {
    const std::uint32_t place = is_user_column(saved.columns[k]) ? user++ : item++;
    rows.places.push_back(place);
    rows.columns[place] = saved.columns[k];
    for_saved_parts(m, place, [&](std::size_t to, std::size_t from, std::size_t count) {
      std::ranges::copy(saved.row(k).subspan(from, count), rows.parameters.begin() + static_cast<std::ptrdiff_t>(to));
    });
  }
  return rows;
}

item_vectors vectors_of(const pair_shape& m, std::span<const float> parameters) {
  item_vectors v{.width = m.width(),
                 .users = parameters.first(m.item_row(0)),
                 .items = parameters.subspan(m.item_row(0), m.items * m.width()),
                 .by_length = m.cosine,
                 .temperature = static_cast<float>(m.temperature)};
  if (m.bias) v.item_added = parameters.subspan(m.item_bias(0), m.items);
  return v;
}

}  // namespace hogwild::detail
