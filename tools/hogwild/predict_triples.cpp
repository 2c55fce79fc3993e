// SPDX-License-Identifier: Apache-2.0
#include "predict_triples.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/embeddings/target_finder.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>

#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

/// A row of the file: a triple, or an entity and a relation in the direction in which it asks.
struct asked_triple {
  std::vector<std::uint32_t> columns;
  std::uint32_t entity = 0;
  std::size_t relation = 0;
};

asked_triple asked_by(std::span<const std::uint32_t> columns, const triple_shape& m, const std::string& path,
                      std::size_t row) {
  asked_triple asked{.columns = {columns.begin(), columns.end()}};
  if (columns.size() == 3) return asked;
  if (columns.size() == 2 && (columns[0] < m.entities) != (columns[1] < m.entities)) {
    const bool forwards = columns[0] < m.entities;
    asked.entity = columns[forwards ? 0 : 1];
    asked.relation = columns[forwards ? 1 : 0] - m.entities + (forwards ? 0 : m.relations);
    return asked;
  }
  throw input_error(path + ": triple " + std::to_string(row + 1) +
                    " asks for more than one name: put ? in the place of the head or of the tail alone");
}

/// The triples of the file, which may have no name but ? that the model does not know.
std::vector<asked_triple> asked_in(const std::string& path, const predictor& model, const triple_shape& m,
                                   data_options files) {
  const auto names = std::make_shared<rating_names>(*files.names);
  const std::size_t entities = names->users.size(), relations = names->items.size();
  files.names = names;
  files.quiet = true;
  files.note = [](std::string_view) {};  // of ? a note would say that it is unknown
  const column_numbering columns(model.columns());
  const sparse_dataset data = open_through(path, columns, files, row_labels::optional);
  const auto refuse_new = [&](const std::vector<std::string>& all, std::size_t known, const char* what) {
    for (std::size_t k = known; k < all.size(); ++k)
      if (all[k] != "?") throw input_error(path + ": the model does not know the " + what + " " + quote(all[k]));
  };
  refuse_new(names->users, entities, "entity");
  refuse_new(names->items, relations, "relation");
  const sparse_view rows = data.view();
  rows.ensure(0, rows.rows());
  row_cursor cursor(rows);
  std::vector<asked_triple> all;
  for (std::size_t r = 0; r < rows.rows(); ++r) all.push_back(asked_by(cursor.row(r).index, m, path, r));
  return all;
}

class triple_questions {
 public:
  triple_questions(const predictor& model, const triple_shape& m, const rating_names& names, std::size_t top)
      : model_(model),
        shape_(m),
        names_(names),
        table_(m.entity_table(model.parameters(), isa::automatic)),
        finder_(table_, top) {}

  triple_answer answer(const asked_triple& asked) {
    if (asked.columns.size() == 3)
      return {.score = static_cast<double>(shape_.score_of_triple(model_.parameters(), asked.columns))};
    triple_answer said{.asks = true};
    shape_.ask(model_.parameters(), asked.entity, asked.relation, finder_.source(0));
    const std::span<const std::uint32_t> none[1] = {};
    finder_.find(none);
    for (const scored_target& best : finder_.best(0))
      said.entities.emplace_back(names_.users[rating_id(model_.columns()[best.target])],
                                 static_cast<double>(shape_.score_of(finder_.source(0), best.score)));
    return said;
  }

 private:
  const predictor& model_;
  const triple_shape& shape_;
  const rating_names& names_;
  target_table table_;
  target_finder finder_;
};

/// The model's shape; null if it is no model of triples.
const triple_shape* shape_of(const named_model& m) {
  return std::visit(
      []<class M>(const M& concrete) -> const triple_shape* {
        if constexpr (std::is_base_of_v<triple_shape, M>) return &concrete;
        return nullptr;
      },
      m);
}

}  // namespace

std::vector<triple_answer> answers_to_triples(const predictor& model, const std::string& path,
                                              const data_options& files, std::size_t top) {
  const triple_shape* const m = shape_of(model.model());
  if (m == nullptr || files.names == nullptr) throw input_error("the model has no names of entities and relations");
  triple_questions questions(model, *m, *files.names, top);
  std::vector<triple_answer> answers;
  for (const asked_triple& asked : asked_in(path, model, *m, files)) answers.push_back(questions.answer(asked));
  return answers;
}

std::string text_of_answers(const std::vector<triple_answer>& answers, bool json) {
  const bool shown = prints_to_a_terminal();
  std::string text;
  for (const triple_answer& said : answers) {
    if (!said.asks) {
      text += json ? json_text({{"score", said.score}}) + "\n" : formatted("%.9g\n", said.score);
      continue;
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    const char* before = "";
    for (const auto& [name, score] : said.entities) {
      if (json) list.push_back({{"entity", name}, {"score", score}});
      if (!json) text += before + (shown ? printable(name) : name);
      before = "\t";
    }
    text += json ? json_text({{"answers", list}}) + "\n" : "\n";
  }
  return text;
}

}  // namespace hogwild::cli
