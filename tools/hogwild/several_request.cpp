// SPDX-License-Identifier: Apache-2.0
#include "several_request.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <type_traits>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>

#include "command_line.hpp"
#include "train_request.hpp"

namespace hogwild::cli {
namespace {

constexpr std::string_view averaging = "mean-weights";

/// The text as a number of models; nothing if it is not one.
std::optional<std::size_t> to_models(std::string_view text) {
  const auto n = to_number(text);
  if (!n || *n < 2.0 || *n > 65'536.0 || *n != static_cast<double>(static_cast<std::size_t>(*n))) return std::nullopt;
  return static_cast<std::size_t>(*n);
}

std::string set_ensemble(const std::string& text, several_request& r) {
  std::string_view count = text;
  r.ensemble = true;
  if (count.starts_with(averaging)) {
    r.averages = true;
    count.remove_prefix(averaging.size());
    if (count.empty()) return {};
    count.remove_prefix(count.front() == ':' ? 1 : count.size());
  }
  const auto models = to_models(count);
  if (models) r.of_ensemble.models = *models;
  return models ? "" : quote(text) + " is neither a number of models, 2 to 65536, nor mean-weights or mean-weights:N";
}

void check_model_of_several(const train_request& r) {
  // Margin models know their kind of labels without data, so no other model has to be made.
  std::optional<label_kind> labels;
  std::string binary, all;
  const auto add = [](std::string& list, std::string_view name) {
    list += (list.empty() ? "" : ", ") + std::string(name);
  };
  with_named_models([&]<class... M>() {
    const auto look = [&]<class One>(std::type_identity<One>) {
      if constexpr (margin_model<One>) {
        const std::string_view name = model_name<One>();
        if (name == r.model) labels = labels_of(One{});
        add(all, name);
        if (labels_of(One{}) == label_kind::binary) add(binary, name);
      }
    };
    (look(std::type_identity<M>{}), ...);
  });
  if (r.several.one_vs_rest && r.model == "softmax")
    throw config_error(
        "softmax learns all classes in one model: use --class-loss one_vs_rest, or --multiclass ovr with one of " +
        binary);
  if (r.several.one_vs_rest && labels != label_kind::binary)
    throw config_error("--multiclass ovr is for models of two labels: " + binary);
  if (r.several.ensemble && !labels) throw config_error("--ensemble is for linear models: " + all);
  if (r.several.of_ensemble.answer == ensemble_answer::vote && labels != label_kind::binary)
    throw config_error("--combine vote is for labels, and " + r.model +
                       " predicts numbers: leave it out, or use --combine mean");
}

}  // namespace

void declare_several(command_line& line, several_request& r) {
  line.group("Model");
  line.option("--multiclass", "ovr", "",
              "ovr: for rows of three classes and more, one model for each class against the rest",
              [&r](const std::string& text) {
                r.one_vs_rest = text == "ovr";
                return r.one_vs_rest ? "" : quote(text) + " is not ovr; the model softmax has all classes in one";
              });
  line.option("--ensemble", "N|mean-weights[:N]", "",
              "train N models and combine their predictions (--combine); mean-weights: train a model on each of N "
              "shards of the rows (default: one for each worker), and save one with the mean of their weights",
              [&r](const std::string& text) { return set_ensemble(text, r); });
  line.excludes("--ensemble", "--multiclass");
  line.choice<ensemble_rows>("--ensemble-by", r.of_ensemble.rows,
                             {{"bootstrap", ensemble_rows::bootstrap}, {"shards", ensemble_rows::shards}},
                             "rows of each model of an ensemble: a bootstrap sample of all rows, or a shard of them");
  line.choice<ensemble_answer>(
      "--combine", r.of_ensemble.answer, {{"mean", ensemble_answer::mean}, {"vote", ensemble_answer::vote}},
      "what an ensemble predicts: the mean of probabilities or numbers, or the label of most models");
  line.needs("--ensemble-by", "--ensemble");
  line.needs("--combine", "--ensemble");
}

void complete_several(train_request& r) {
  if (!r.several.any()) return;
  ensemble_options& o = r.several.of_ensemble;
  if (r.several.averages) o.rows = ensemble_rows::shards, o.answer = ensemble_answer::mean_weights;
  check_model_of_several(r);
}

std::size_t workers_for_shards(const train_request& r) {
  return r.engine == engine_name::serial ? 1 : worker_count(unless_zero(r.workers));
}

void count_models(train_request& r, std::size_t workers_of_all) {
  ensemble_options& o = r.several.of_ensemble;
  if (!r.several.ensemble || o.models > 0) return;
  o.models = workers_of_all;
  if (o.models < 2)
    throw config_error("one worker makes one shard: give the number of shards, --ensemble mean-weights:N");
}

saved_model saved_of_several(const train_request& request, const named_model& m, const train_result& result,
                             std::span<const std::uint32_t> original) {
  const several_request& several = request.several;
  const bool of_classes = several.one_vs_rest;
  return to_saved(m, of_classes ? answer_kind::one_vs_rest : detail::plan_of(several.of_ensemble).by,
                  of_classes ? result.labels.classes() : several.of_ensemble.models, result.parameters, result.labels,
                  original);
}

namespace {

std::string_view word_of(const several_request& several) {
  if (several.of_ensemble.answer == ensemble_answer::mean_weights) return averaging;
  return several.of_ensemble.answer == ensemble_answer::vote ? "vote" : "mean";
}

std::string_view rows_of(const several_request& several) {
  return several.of_ensemble.rows == ensemble_rows::shards ? "shards" : "bootstrap";
}

}  // namespace

std::string several_text(const train_request& request, const train_result& result) {
  const several_request& several = request.several;
  const std::string among_ranks =
      request.ranks > 1 ? ", divided among " + std::to_string(request.ranks) + " ranks" : std::string();
  if (several.one_vs_rest)
    return ", each of " + std::to_string(result.labels.classes()) + " classes against the rest" + among_ranks;
  if (!several.ensemble) return {};
  return ", " + std::to_string(several.of_ensemble.models) + " of them by " + std::string(rows_of(several)) +
         ", combined by " + std::string(word_of(several)) + among_ranks;
}

void put_several(nlohmann::ordered_json& into, const train_request& request, const train_result& result) {
  const several_request& several = request.several;
  if (several.one_vs_rest) into["multiclass"] = "ovr", into["models"] = result.labels.classes();
  if (!several.ensemble) return;
  into["models"] = several.of_ensemble.models;
  into["ensemble_by"] = rows_of(several);
  into["combine"] = word_of(several);
}

}  // namespace hogwild::cli
