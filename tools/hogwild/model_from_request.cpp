// SPDX-License-Identifier: Apache-2.0
#include "model_from_request.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/embeddings/side_vectors.hpp>
#include <hogwild/detail/models/text_vectors.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/results/saved_state.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/task/lane_loops.hpp>
#include <hogwild/detail/words/cooccurrences.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/file_kind.hpp>
#include <hogwild/models/glove.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

#include "calibrate.hpp"
#include "training.hpp"

namespace hogwild::cli {

bool trains_on_graph(const train_request& request) {
  return input_of(request.model) == model_input::graph;
}

bool trains_on_words(const train_request& request) {
  const model_input input = input_of(request.model);
  return input == model_input::corpus || input == model_input::edges;
}

sparse_dataset rows_of_words(const train_request& request, const sparse_dataset& text) {
  if (!model_named(request.model).facts().cooccurrences) return text;
  const corpus_options opening = corpus_opening(request.files);
  return count_cooccurrences(text.view(), {.window = request.of_model.count("window", glove::usual_window),
                                           .scratch = opening.scratch,
                                           .memory = opening.memory});
}

namespace {

/// Whether --init names word vectors, not a saved model.
bool begins_with_vectors(const train_request& request) {
  if (request.init.empty() || trains_on_words(request)) return !request.init.empty();
  if (request.model != text_classifier::name) return false;
  const file_kind kind = look_at_file(request.init).kind;
  return kind != file_kind::binary_model && kind != file_kind::text_model;
}

}  // namespace

std::shared_ptr<const saved_model> saved_to_begin_with(const train_request& request) {
  if (request.init.empty() || begins_with_vectors(request)) return nullptr;
  return std::make_shared<const saved_model>(load_model(request.init, say));
}

named_model model_of(train_request& request, const sparse_view& rows, const agreement& ranks,
                     const std::shared_ptr<const saved_model>& initial) {
  const model_data data{.rows = rows,
                        .source = request.data,
                        .bias = request.own_bias,
                        .learn =
                            [&](label_kind kind) {
                              const std::vector<double>& declared = request.options.labels;
                              return declared.empty() ? learn_labels(kind, rows.label, request.data, ranks)
                                                      : declared_labels(kind, declared, rows, request.data);
                            },
                        .sum_of_all = [&](std::span<double> x) { ranks.sum(x); },
                        .initial = initial.get(),
                        .initial_source = request.init,
                        .initial_groups = request.init_groups};
  // The engine adds the constant term of a margin model.
  if (model_named(request.model).facts().bias_of_its_own) request.options.bias = false;
  named_model made = make_model(request.model, data, request.of_model);
  const std::span<const std::string> words = rows.label.words();
  if (!words.empty() && labels_of(made) == label_kind::real)
    throw config_error(request.data + ": the labels are words, " + quote(words.front()) + " for one, and a " +
                       request.model + " model predicts numbers: train a model of classes");
  return made;
}

label_map known_labels(const train_request& request, const sparse_view& rows) {
  train_request asked = request;
  const label_kind kind =
      request.several.one_vs_rest ? label_kind::classes : labels_of(model_of(asked, rows, agreement(nullptr), nullptr));
  if (kind == label_kind::real || asked.options.labels.empty()) return label_map::learn(kind, rows.label, request.data);
  return declared_labels(kind, asked.options.labels, rows, request.data);
}

std::string go_on_with_state(const train_request& request, const saved_model& initial, const std::string& name,
                             std::function<void(std::size_t k, std::span<float> values)> change,
                             train_options& options) {
  if (!initial.state) return {};
  const optimizer_kind by = options.optimizer.value_or(model_named(request.model).defaults().optimizer);
  const std::string of = "the state of " + printable(initial.state.optimizer) + " in " + name;
  try {
    const state_numbers numbers = detail::numbers_of(initial.state);
    const std::string why = request.scale != column_scaling::none ? "--scale divides the columns anew"
                            : request.several.any()
                                ? "several models have one each"
                                : detail::why_unsuited(numbers, by, options.constants, options.step.initial);
    if (!why.empty()) return of + " is not used: " + why;
    options.initial_state = {numbers, std::move(change)};
    return "goes on with " + of;
  } catch (const input_error& fault) {
    throw input_error(name + ": " + fault.what());
  }
}

void keep_state(const optimizer_state& state, const named_model& m, std::span<const std::uint32_t> original,
                saved_model& saved) {
  const auto finite = [](const std::vector<float>& array) {
    return std::ranges::all_of(array, [](float x) { return std::isfinite(x); });
  };
  if (std::ranges::all_of(state.arrays, finite)) return put_state(state, m, original, saved);
  say("the state of the optimizer holds a number that is not finite: the model is saved without it");
}

void begin_with_saved(const train_request& request, const named_model& m, const rank_rows& rows,
                      const vocabulary& words, const std::shared_ptr<const saved_model>& initial,
                      train_options& options) {
  if (request.init.empty()) return;
  // Trials of a step search begin with it, too; it is noted once.
  const auto tell = [from = request.init, told = std::make_shared<bool>(request.files.quiet)](std::size_t taken,
                                                                                              std::size_t all) {
    if (!std::exchange(*told, true))
      say("begins with " + std::to_string(taken) + " of " + std::to_string(all) + " parameters from " + from);
  };
  const auto columns = rows.numbering().original();
  const std::vector<std::uint32_t> original(columns.begin(), columns.end());
  if (!initial) {
    if (!request.init_groups.empty()) throw config_error("--init-groups: word vectors are one group");
    const auto saved = std::make_shared<const word_vectors>(load_words(request.init, say).vectors);
    if (trains_on_words(request)) {
      options.initial = [=](std::span<float> parameters) {
        tell(warm_start(*saved, m, words, parameters), parameters.size());
      };
      return;
    }
    const auto classifier = std::get<text_classifier>(m);
    options.initial = [=, schema = request.files.table.schema](std::span<float> parameters) {
      const std::size_t taken = begin_with_vectors(*saved, classifier, *schema, original, parameters);
      tell(taken * classifier.dimension, parameters.size());
    };
    return;
  }
  const auto begin = [=, groups = request.init_groups, part = rows.part,
                      names = request.files.features->names](std::span<float> parameters) {
    return has_features(m) ? begin_with_features(*initial, m, part, names, groups, parameters)
                           : warm_start(*initial, m, original, groups, parameters);
  };
  const auto begin_state = [=, groups = request.init_groups, part = rows.part, names = request.files.features->names](
                               std::size_t k, std::span<float> values) {
    if (has_features(m))
      begin_with_features(*initial, m, part, names, groups, values, &initial->state.arrays[k]);
    else
      warm_start_state(*initial, k, m, original, groups, values);
  };
  options.initial = [=](std::span<float> parameters) { tell(begin(parameters), parameters.size()); };
  const std::string told = go_on_with_state(request, *initial, request.init, begin_state, options);
  if (!told.empty() && !request.files.quiet) say(told);
}

void adopt_name_format(train_request& request, const std::shared_ptr<const saved_model>& initial) {
  if (!initial) return;
  // Class k is the same class in both. Of two labels that are numbers the larger one is, whatever it is.
  const bool named = initial->labels.kind() == label_kind::classes ||
                     (initial->labels.kind() == label_kind::binary && initial->names_classes());
  if (named && request.init_groups.empty() && request.options.labels.empty()) {
    const auto values = initial->labels.values();
    request.options.labels.assign(values.begin(), values.end());
  }
  if (const auto features = side_features_of(*initial)) {
    request.files.features->names = *features;
    if (request.files.user_features.empty() && request.files.item_features.empty() && !request.files.quiet)
      say("the model " + request.init +
          " has features of users or items, and this run has none: it goes on with the vectors alone; to keep the "
          "features, give --user-features or --item-features");
  }
  if (!initial->schema.empty() && !names_side_features(*initial))
    return request.files.choose_schema(*initial, request.init);
  request.files.words_of_model = *request.files.label_words = initial->label_words();
  if (request.files.format == "csv")
    throw config_error("the model " + request.init +
                       " does not know the columns of a table: it was trained on numbered "
                       "ones; train it on the table");
  const model_input input = input_of(request.model);
  if (input != model_input::ratings && input != model_input::pairs && input != model_input::triples) return;
  if (initial->model != request.model) return;  // refused later, because of its groups
  if (input != model_input::triples && initial->names.empty() != !request.files.named_ids)
    throw config_error("the model " + request.init + " knows users and items by " +
                       (initial->names.empty() ? "number: leave out --named-ids" : "name: give --named-ids"));
  request.files.choose_format(*initial, request.init);
}

void save_trained(const train_request& request, const named_model& m, const train_result& result, const rank_rows& rows,
                  const rows_to_calibrate* held_back) {
  const column_numbering& columns = rows.numbering();
  saved_model saved = request.several.keeps_several()
                          ? saved_of_several(request, m, result, columns.original())
                          : to_saved(m, result.parameters, result.labels, columns.original());
  keep_state(result.state, m, columns.original(), saved);
  if (has_features(m)) compose_features(saved, rows.part, request.files.features->names);
  saved.spell_labels(detail::spelling_of(rows.data));
  // Of a graph another one has no nodes.
  const bool goes_on = !request.init.empty() && request.init_groups.empty() && !trains_on_graph(request) &&
                       !begins_with_vectors(request);
  if (goes_on) {
    const std::size_t own = saved.columns.size();
    const std::shared_ptr<const saved_model> before = saved_to_begin_with(request);
    const std::size_t kept = keep_columns(*before, saved);
    const std::size_t added = saved.columns.size() - before->columns.size();
    if (kept + added > 0 && saved.width == before->width && !request.files.quiet)
      say("of the columns, " + std::to_string(own - added) + " are in " + request.init + ", too; " +
          std::to_string(added) + " are new; " + std::to_string(kept) + " do not occur in " + request.data +
          ", and are kept");
  }
  request.files.name_columns(saved);
  detail::say_first_column(saved, first_column_of(request.files));
  detail::say_scaling(saved, result.scale);
  const auto save = [&] { save_model(request.save, saved, model_format_for(request.save)); };
  if (held_back == nullptr) return save();
  try {
    const std::string note = held_back->calibrate(saved);
    if (!note.empty() && !request.files.quiet) say(note);
  } catch (const config_error&) {
    save();  // the training is not lost
    throw;
  }
  save();
}

std::optional<model_traits> traits_of_lane(const train_request& request, const sparse_view& rows) {
  const bool one = request.engine != engine_name::cuda && request.devices.empty() && request.init.empty() &&
                   !request.several.any() && request.segment.empty() && request.storage == storage_kind::single;
  // The sharing of workers may depend on the steps of the trials that are trained together.
  const train_options& o = request.options;
  const bool by_others = o.reproducible && request.engine != engine_name::serial && !o.step.initial;
  if (!one || by_others || request.folds.any() || request.options.l2_by_folds) return std::nullopt;
  std::optional<model_traits> traits;
  try {
    train_request asked = request;
    std::visit(
        [&]<class M>(const M& m) {
          if constexpr (margin_model<M> || row_kernel_model<M>) {
            const optimizer_kind by = o.optimizer.value_or(defaults_of<M>().optimizer);
            const bool sums = request.engine == engine_name::all_reduce;
            if (sums && (o.l1 != 0.0 || by != optimizer_kind::sgd)) return;
            if (lanes_pay(m, rows.columns, by)) traits = traits_of(m);
          }
        },
        model_of(asked, rows, agreement(nullptr), nullptr));
  } catch (const config_error&) {
    return std::nullopt;
  }
  return traits && trials_side_by_side::suits(request.options, *traits, rows) ? traits : std::nullopt;
}

side_by_side_trial lane_of(std::shared_ptr<const train_request> request, const model_traits& traits,
                           const sparse_view& rows) {
  side_by_side_trial one{.traits = traits, .options = request->options, .rows = rows};
  one.options.data_name = request->data;
  if (!traits.margin) one.options.bias = false;  // the model has its own, as model_of() has made it
  if (request->engine != engine_name::serial)
    one.engine = [request] { return std::shared_ptr<any_engine>(make_engine(*request, nullptr)); };
  one.make = [request = std::move(request)](const sparse_view& of, const train_options& options) {
    train_request asked = *request;
    return prepare_named(model_of(asked, of, agreement(nullptr), nullptr), of, options, nullptr);
  };
  return one;
}

}  // namespace hogwild::cli
