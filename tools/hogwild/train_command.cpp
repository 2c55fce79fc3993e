// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/core/atomic_file.hpp>
#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/libffm.hpp>
#include <hogwild/core/formats/ratings.hpp>
#include <hogwild/core/saved_model.hpp>
#include <hogwild/core/word_vectors.hpp>
#include <hogwild/models/warm_start.hpp>
#include <hogwild/names.hpp>
#include <hogwild/prepare.hpp>

#include "commands.hpp"
#include "damaged_cache.hpp"
#include "data_files.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "summary.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

/// Opens the training data and, where that is asked for, trains the first epoch meanwhile.
sparse_dataset open_data(const train_request& request, train_options& options) {
  if (!request.overlap) return open_training(request.data, request.files);
  const named_model m = make_model(request.model, {.huber_delta = request.huber_delta});
  const auto pass = first_pass_of(m, options);
  sparse_dataset data = open_training(request.data, request.files, pass->listener());
  options.first_pass = pass->finish(data.numbering());
  if (!options.first_pass && !request.files.quiet)
    say("--overlap trained on nothing: the rows came from a cache, or their labels were known too late");
  return data;
}

/// Whether the data are a graph.
bool is_of_graph(const train_request& request) {
  return request.model == graph_cut::name;
}

/// Whether the data are a corpus.
bool is_of_words(const train_request& request) {
  return request.model == skip_gram::name || request.model == cbow::name;
}

/// Over the rows of all ranks, which all call it.
template <class F>
double mean_of(const label_column& labels, const agreement& ranks, const F& f) {
  std::array<double, 2> sums{0.0, static_cast<double>(labels.size())};
  for (const double label : labels) sums[0] += f(label);
  ranks.sum(sums);
  return sums[0] / sums[1];
}

double mean_of(const label_column& labels, const agreement& ranks) {
  return mean_of(labels, ranks, [](double label) { return label; });
}

/// 1 where all labels are alike.
double deviation_of(const label_column& labels, double mean, const agreement& ranks) {
  const double variance = mean_of(labels, ranks, [&](double label) { return (label - mean) * (label - mean); });
  return variance > 0.0 ? std::sqrt(variance) : 1.0;
}

/// What is part of a saved model, though no parameter.
void take_constants(const std::string& saved, model_choice& choice) {
  const predictor known(load_model(saved));
  const auto take = [&](const auto& m) {
    choice.mean = static_cast<double>(m.mean);
    if constexpr (requires { m.scale; }) choice.scale_of_labels = static_cast<double>(m.scale);
  };
  if (const auto* const f = std::get_if<matrix_factorization>(&known.model())) take(*f);
  if (const auto* const machine = std::get_if<factorization_machine>(&known.model())) take(*machine);
  if (const auto* const machine = std::get_if<ffm>(&known.model())) take(*machine);
}

named_model model_of(train_request& request, const sparse_view& rows, const agreement& ranks) {
  if (is_of_graph(request)) return graph_cut_of(rows);
  const word_request& words = request.words;
  model_choice choice{.huber_delta = request.huber_delta,
                      .features = rows.columns,
                      .windows = {.dimension = words.dimension,
                                  .window = static_cast<std::uint32_t>(words.window),
                                  .negative = static_cast<std::uint32_t>(words.negative),
                                  .sample = words.sample}};
  if (request.model == softmax::name) {
    choice.classes = learn_labels(label_kind::classes, rows.label, request.data, ranks).classes();
    // A margin model's bias is the engine's work; softmax has one for each class in itself.
    choice.bias = std::exchange(request.options.bias, false);
  }
  if (request.model == mlp::name) {
    choice.classes = learn_labels(label_kind::classes, rows.label, request.data, ranks).classes();
    choice.hidden = request.hidden;
    choice.dropout = request.dropout;
    if (rows.image.known()) choice.scale = 1.0 / 255.0;
  }
  if (request.model == convnet::name) choice.net = request.net;
  if (request.model == factorization_machine::name) choice.rank = factorization_machine{}.rank;
  if (request.model == ffm::name) {
    choice.rank = ffm{}.rank;
    choice.fields = std::max<std::size_t>(count_fields(rows.original), 1);
    choice.unit_rows = request.unit_rows;
  }
  if (request.squared_loss) {
    choice.labels = label_kind::real;
    choice.mean = mean_of(rows.label, ranks);
    choice.scale_of_labels = deviation_of(rows.label, choice.mean, ranks);
  }
  if (request.rank > 0) choice.rank = request.rank;
  if (request.model == matrix_factorization::name) {
    // Where each rank has ratings of its own, columns are ranked anew, without regard to whose they are.
    if (!std::ranges::is_partitioned(rows.original, is_user_column))
      throw config_error("factors need one file of ratings for all ranks, not one for each");
    choice.users = count_users(rows.original);
    choice.bias = request.own_bias.value_or(true);
    request.options.bias = false;
    choice.mean = mean_of(rows.label, ranks);
  }
  const bool may_have_constants = request.model == matrix_factorization::name || request.squared_loss;
  if (may_have_constants && !request.init.empty() && request.init_groups.empty()) take_constants(request.init, choice);
  return make_model(request.model, choice);
}

/// The last rows of a file are any: they were shuffled when it was read. They become the test rows.
sparse_view hold_back(sparse_view& rows, double share) {
  const auto held = static_cast<std::size_t>(std::round(share * static_cast<double>(rows.rows())));
  if (held == 0 || held >= rows.rows())
    throw config_error("the share for testing leaves no rows on one side: there are " + std::to_string(rows.rows()) +
                       " rows");
  const sparse_view test = rows.slice(rows.rows() - held, rows.rows());
  rows = rows.slice(0, rows.rows() - held);
  rows.degree = {};  // it counts what is held back too
  return test;
}

/// `words` is filled where the data are a corpus.
rank_rows open_rows(const train_request& request, train_options& options, launched_ranks* ranks, vocabulary& words) {
  const auto open = [&](const std::string& path) {
    if (!is_of_words(request)) return open_training(path, request.files);
    corpus text = open_words(path, request.words.min_count, request.files);
    words = text.words;
    return text.rows;
  };
  if (ranks != nullptr) {
    if (request.overlap) throw config_error("--overlap is for a process that trains alone");
    const bool several = request.data.find("%rank") != std::string::npos;
    if (is_of_words(request) && several)
      throw config_error("ranks that train word vectors share one vocabulary: give them one file, without %rank");
    if (request.model == matrix_factorization::name && several)
      throw config_error("ranks that train factors share users and items: give them one file, without %rank");
    return open_rank_rows(request.data, *ranks, open);
  }
  rank_rows rows{.data = request.overlap ? open_data(request, options) : open(request.data)};
  rows.part = rows.data.view();
  return rows;
}

/// The parameters of --init. The model is read now, so that what does not suit is found before anybody trains.
void begin_with_saved(const train_request& request, const named_model& m, const rank_rows& rows,
                      const vocabulary& words, train_options& options) {
  if (request.init.empty()) return;
  // Trials of a step begin so, too; that is told once.
  const auto tell = [from = request.init, told = std::make_shared<bool>(request.files.quiet)](std::size_t taken,
                                                                                              std::size_t all) {
    if (!std::exchange(*told, true))
      say("begins with " + std::to_string(taken) + " of " + std::to_string(all) + " parameters from " + from);
  };
  if (is_of_words(m)) {
    if (!request.init_groups.empty()) throw config_error("--init-groups: word vectors are one group");
    const auto saved = std::make_shared<const word_vectors>(load_word_vectors(request.init));
    options.initial = [=](std::span<float> parameters) {
      tell(warm_start(*saved, m, words, parameters), parameters.size());
    };
    return;
  }
  const auto saved = std::make_shared<const saved_model>(load_model(request.init));
  const auto columns = rows.numbering().original();
  const std::vector<std::uint32_t> original(columns.begin(), columns.end());
  options.initial = [=, groups = request.init_groups](std::span<float> parameters) {
    tell(warm_start(*saved, m, original, groups, parameters), parameters.size());
  };
}

/// Users and items of --init keep their numbers where they have names.
void share_names(train_request& request) {
  if (request.init.empty() || request.model != matrix_factorization::name) return;
  const saved_model saved = load_model(request.init);
  if (saved.model != request.model) return;  // refused later, for what its groups are
  if (saved.names.empty() != !request.files.named_ids)
    throw config_error("the model " + request.init + " knows users and items by " +
                       (saved.names.empty() ? "number: leave out --named-ids" : "name: give --named-ids"));
  request.files.choose_format(saved);
}

train_result train_once(train_request request, launched_ranks* ranks, interrupt& asked, observer* watcher) {
  vocabulary words;
  share_names(request);
  rank_rows rows = open_rows(request, request.options, ranks, words);
  std::optional<sparse_view> held_back;
  if (request.test_share > 0.0) {
    if (ranks != nullptr || request.overlap)
      throw config_error(
          "a share of the rows for testing is for a process that trains alone, without --overlap; give a "
          "file");
    held_back = hold_back(rows.part, request.test_share);
  }
  std::optional<sparse_dataset> test, validation;
  if (!request.test.empty()) test = open_through(request.test, rows.numbering(), request.files, false);
  if (!request.validation_file.empty()) {
    validation = open_through(request.validation_file, rows.numbering(), request.files, false);
  }
  // All ranks have the whole graph.
  const sparse_view& known = is_of_graph(request) ? rows.data.view() : rows.part;
  const named_model m = model_of(request, known, ranks != nullptr ? ranks->patiently() : agreement(nullptr));
  asked.begin_asking();
  train_options options = request.options;
  options.data_name = request.data;
  options.stop = asked.token();
  options.test = held_back;
  if (is_of_graph(request)) options.test = rows.data.view();
  if (test) options.test = test->view();
  if (validation) options.validation = validation->view();
  if (watcher != nullptr) options.observers.push_back(watcher);
  begin_with_saved(request, m, rows, words, options);

  train_result result = train_with_engine(m, rows.part, request, options, ranks);
  if (!request.save.empty() && result.status != run_status::diverged) {
    if (is_of_words(m))
      save_word_vectors(request.save, vectors_of(m, result.parameters, words), vector_format_for(request.save));
    else {
      saved_model saved = to_saved(m, result.parameters, result.labels, rows.numbering().original());
      saved.names = request.files.names_of(saved.columns);
      save_model(request.save, saved, model_format_for(request.save));
    }
  }
  return result;
}

exit_code exit_code_for(run_status status) {
  if (status == run_status::diverged) return exit_code::diverged;
  return status == run_status::stopped ? exit_code::interrupted : exit_code::done;
}

}  // namespace

namespace {

int train_as_asked(const train_request& request, launched_ranks* ranks, interrupt& asked) {
  // A place that cannot be written is refused now, not after hours of training.
  for (const auto& place : {request.save, std::string(request.options.checkpoint)}) {
    if (!place.empty()) atomic_file{place};
  }

  progress shown(::isatty(STDERR_FILENO) != 0);
  const auto once = [&] { return train_once(request, ranks, asked, request.files.quiet ? nullptr : &shown); };
  // One rank cannot begin again while the others are in the middle of it.
  const train_result result = ranks != nullptr ? once() : with_sound_cache(once);
  if (request.json) {
    std::fputs(summary_json(request, result).c_str(), stdout);
  } else if (!request.files.quiet) {
    std::fputs(summary_text(request, result).c_str(), stdout);
    if (!request.save.empty() && result.status != run_status::diverged)
      std::printf("saved       %s\n", request.save.c_str());
  }
  if (result.status == run_status::diverged && !request.files.quiet) say(divergence_advice(result));
  return static_cast<int>(exit_code_for(result.status));
}

/// What one rank cannot do ends them all: the others would wait for it.
[[noreturn]] void end_all(launched_ranks& ranks, exit_code code, const char* sentence) {
  say("rank " + std::to_string(ranks.rank()) + " of " + std::to_string(ranks.size()) + ": " + sentence);
  std::fflush(nullptr);
  ranks.abort(code);
  std::abort();  // g++ 12 does not take a virtual function's word for it
}

}  // namespace

int train_command(int argc, const char* const* argv) {
  train_request request;
  if (const auto code = parse_train(argc, argv, request)) return *code;
  interrupt asked;
  const auto ranks = join_ranks(request);
  if (!ranks) return train_as_asked(request, nullptr, asked);
  try {
    return train_as_asked(request_of_rank(request, *ranks), ranks.get(), asked);
  } catch (const error& e) {
    end_all(*ranks, e.code(), e.what());
  } catch (const std::exception& e) {
    end_all(*ranks, exit_code::internal, e.what());
  }
}

}  // namespace hogwild::cli
