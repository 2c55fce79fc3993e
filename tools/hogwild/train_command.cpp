// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/rank_paths.hpp>
#include <hogwild/detail/run/validation_split.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/names.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/segments.hpp>
#include <hogwild/word_vectors.hpp>
#include <interrupt/interrupt.hpp>

#include "calibrate.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "known_rows.hpp"
#include "model_from_request.hpp"
#include "progress.hpp"
#include "standard_streams.hpp"
#include "summary.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

/// Rows that were split off the training rows.
struct held_part {
  sparse_view rows{};
  std::unique_ptr<const validation_split> split{};  ///< null if they are a slice
};

/// Copies the rows on both sides.
held_part split_off(sparse_view& rows, const std::vector<bool>& held) {
  held_part part;
  part.split = std::make_unique<const validation_split>(split_rows(rows, held));
  part.rows = part.split->validation.view();
  rows = part.split->training.view();
  return part;
}

/// Which pairs are for the test.
std::vector<bool> held_pairs(const train_request& request, const sparse_dataset& data, const sparse_view& rows,
                             std::uint64_t seed) {
  if (request.test_last == 0) return draw_of_users(rows, request.test_fraction, seed);
  const std::vector<double> times = pair_times(data);
  if (times.empty())
    throw config_error("--test last:N goes by time, and the pairs of " + request.data +
                       " have none: the fourth field of a line is its time");
  return last_of_users(rows, times, request.test_last);
}

/// Holds rows back as --validation does, so that training keeps a row of each class; the labels are those of all rows,
/// because rows with lists may take the last occurrence of a label with them. The same rows in each run, whatever its
/// seed. Numbers have no classes that could be missing: then the last rows are held back, since rows were shuffled when
/// the file was read, and a slice needs no copy. Groups are held back whole; of pairs a part of each user's.
held_part hold_back(train_request& request, const sparse_dataset& data, sparse_view& rows) {
  constexpr std::uint64_t seed = 0x74657374;
  if (input_of(request.model) == model_input::pairs) return split_off(rows, held_pairs(request, data, rows, seed));
  const auto held = static_cast<std::size_t>(std::round(request.test_fraction * static_cast<double>(rows.rows())));
  if (held == 0 || held >= rows.rows())
    throw config_error("the fraction for testing leaves no rows to train on, or holds back none: there are " +
                       std::to_string(rows.rows()) + " rows");
  const label_map labels = known_labels(request, rows);
  if (labels.kind() == label_kind::real && rows.group.empty()) {
    held_part part;
    part.rows = rows.slice(rows.rows() - held, rows.rows());
    rows = rows.slice(0, rows.rows() - held);
    rows.degree = {};  // it counts the held-back rows, too
    return part;
  }
  held_part part = split_off(rows, draw_validation(rows, labels, request.test_fraction, seed));
  request.options.labels.assign(labels.values().begin(), labels.values().end());
  return part;
}

/// Fills `words` if the data are a corpus.
rank_rows open_rows(const train_request& request, launched_ranks* ranks, vocabulary& words) {
  const auto open = [&](const std::string& path) {
    if (!trains_on_words(request)) {
      sparse_dataset data = open_training(path, request.files);
      const table_schema& named = *request.files.table.schema;
      if (ranks != nullptr && names_rank(request.data) && !named.columns.empty() &&
          named.text != named_text::vowpal_wabbit)
        throw config_error(
            "ranks that train on data with named columns share these columns: give them one file, "
            "without %rank");
      if (ranks != nullptr && names_rank(request.data) && !data.label_words().empty())
        throw config_error(
            "ranks that train on labels that are words share their numbers: give them one file, without %rank");
      request.rows.read_for(data);
      return data;
    }
    corpus text = open_words(path, request.min_count, request.files, {}, subwords_in(request.of_model));
    words = text.words;
    return rows_of_words(request, text.rows);
  };
  if (ranks != nullptr) {
    const bool several = names_rank(request.data);
    if (trains_on_words(request) && several)
      throw config_error("ranks that train word vectors share one vocabulary: give them one file, without %rank");
    const model_input input = input_of(request.model);
    if ((input == model_input::ratings || input == model_input::pairs) && several)
      throw config_error("ranks that train factors share users and items: give them one file, without %rank");
    if (input == model_input::triples && several)
      throw config_error("ranks that train on triples share their names: give them one file, without %rank");
    return open_rank_rows(request.data, *ranks, open);
  }
  rank_rows rows{.data = open(request.data)};
  rows.part = rows.data.view();
  return rows;
}

/// For words: whether the file also holds the vectors that other programs do not read.
bool saves_both_vectors(const train_request& request) {
  return std::filesystem::path(request.save).extension() == ".model";
}

/// From the moment when workers begin there is something to save; before it a stop request need not save.
class asking_run final : public observer {
 public:
  explicit asking_run(interrupt& asked) : asked_(asked) {}
  void on_start(const run_start&) override { asked_.begin_asking(); }
  void on_failure() override { asked_.end_asking(); }

 private:
  interrupt& asked_;
};

/// Segments of dead runs would take the room that this run needs, and nobody uses them.
void remove_segments_of_dead_runs(const train_request& request) {
  if (request.engine != engine_name::processes && request.transport != transport_kind::shared_segment &&
      request.segment.empty())
    return;
  const std::size_t removed = purge_segments(segments_of::this_user).size();
  if (removed == 0 || request.files.quiet) return;
  say("removed the shared memory that " + std::to_string(removed) +
      (removed == 1 ? " dead run has left" : " dead runs have left"));
}

/// Time for reading counts in the seconds that a user grants.
double seconds_spent(const train_request& request) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - request.begun).count();
}

/// A run with its additional results.
struct trained {
  train_result run{};
  folds_outcome folds{};
};

trained train_once(train_request request, launched_ranks* ranks, interrupt& asked, observer* watcher) {
  vocabulary words;
  const std::shared_ptr<const saved_model> initial = saved_to_begin_with(request);
  adopt_name_format(request, initial);
  rank_rows rows = open_rows(request, ranks, words);
  // Ranks divide either the models, each on all rows, or the rows of one model.
  const bool divides_rows = ranks != nullptr && !request.several.any();
  if (ranks != nullptr && !divides_rows) rows.part = rows.data.view();
  const model_input input = input_of(request.model);
  if (divides_rows && (input == model_input::pairs || input == model_input::triples))
    throw config_error("a " + request.model +
                       " model is not trained by several ranks, each of which would know its own rows only: train on "
                       "one machine, by --engine threads or processes");
  std::optional<held_part> held_back;
  if (request.test_fraction > 0.0 || request.test_last > 0) {
    if (divides_rows)
      throw config_error("several ranks cannot hold back a fraction of the rows for testing; give a file");
    held_back = hold_back(request, rows.data, rows.part);
  }
  std::optional<sparse_dataset> test, validation;
  if (!request.test.empty()) {
    test = open_through(request.test, rows.numbering(), request.files, like_those_of(rows.part));
    request.test_rows.read_for(*test);
  }
  if (!request.validation_file.empty()) {
    validation = open_through(request.validation_file, rows.numbering(), request.files, like_those_of(rows.part));
    request.validation_rows.read_for(*validation);
  }
  std::optional<sparse_dataset> known_elsewhere;
  if (!request.known.empty())
    known_elsewhere = open_through(request.known, rows.numbering(), request.files, row_labels::optional);
  std::optional<rows_beside_known> test_beside, validation_beside;
  const auto put_beside = [&](std::optional<rows_beside_known>& to, const auto& measured, const auto& other) {
    std::vector<sparse_view> known;
    if (known_elsewhere) known.push_back(known_elsewhere->view());
    if (other && input_of(request.model) == model_input::triples) known.push_back(other->view());
    if (measured && !known.empty()) to.emplace(measured->view(), known);
  };
  put_beside(test_beside, test, validation);
  put_beside(validation_beside, validation, test);
  // All ranks have the whole graph.
  const sparse_view& known = trains_on_graph(request) ? rows.data.view() : rows.part;
  const named_model m =
      model_of(request, known, divides_rows ? ranks->with_long_timeout() : agreement(nullptr), initial);
  const std::vector<std::string>& label_words = *request.files.label_words;
  if (!label_words.empty() && initial && request.init_groups.empty() && !initial->names_classes())
    throw config_error(request.data + ": the labels are words, " + quote(label_words.front()) +
                       " for one, and those of the model " + request.init + " are numbers");
  train_options options = request.options;
  options.data_name = request.data;
  options.stop = asked.token();
  if (held_back) options.test = held_back->rows;
  std::optional<held_part> of_users;
  if (input_of(request.model) == model_input::pairs && options.validation_fraction > 0.0) {
    if (divides_rows) throw config_error("several ranks cannot hold back a fraction of the pairs; give a file");
    of_users = split_off(rows.part, draw_of_users(rows.part, options.validation_fraction, options.seed));
    options.validation = of_users->rows;
    options.validation_fraction = 0.0;
  }
  if (options.max_seconds) *options.max_seconds = std::max(1e-6, *options.max_seconds - seconds_spent(request));
  if (trains_on_graph(request)) options.test = rows.data.view();
  if (test) options.test = test_beside ? test_beside->view() : test->view();
  if (validation) options.validation = validation_beside ? validation_beside->view() : validation->view();
  std::optional<rows_to_calibrate> held_to_calibrate;
  if (request.calibrate != calibration_kind::none) {
    if (ranks != nullptr && ranks->size() > 1)
      throw config_error("--calibrate: several ranks do not have the validation rows of all; train with one process");
    held_to_calibrate.emplace(request, m, rows.part, rows.numbering().original(), options);
  }
  if (watcher != nullptr) options.observers.push_back(watcher);
  asking_run asking(asked);
  options.observers.push_back(&asking);
  begin_with_saved(request, m, rows, words, initial, options);

  rows.part.first_column = first_column_of(request.files);
  trained all;
  if (request.folds.any() || options.l2_by_folds)
    all.run = train_with_folds(m, rows, request, options, ranks, all.folds);
  else
    all.run = train_with_engine(m, rows.part, request, options, ranks);
  const train_result& result = all.run;
  if (saves(request, result)) {
    const interrupt::saving saving(asked);
    if (trains_on_words(request) && saves_both_vectors(request))
      save_model(request.save, word_model_of(m, result.parameters, words, request.min_count), model_format::binary);
    else if (trains_on_words(request))
      save_word_vectors(request.save, vectors_of(m, result.parameters, words), vector_format_for(request.save));
    else
      save_trained(request, m, result, rows, held_to_calibrate ? &*held_to_calibrate : nullptr);
  }
  return all;
}

/// The exit code; a program that stops runs on purpose may choose another one for stopped runs than that of an
/// interruption.
int exit_code_for(const train_request& request, const train_result& result) {
  if (result.status == run_status::diverged) return static_cast<int>(exit_code::diverged);
  if (result.status != run_status::stopped) return static_cast<int>(exit_code::done);
  return saves(request, result) ? request.stop_exit_code : static_cast<int>(exit_code::interrupted);
}

}  // namespace

namespace {

int train_as_asked(const train_request& request, launched_ranks* ranks, interrupt& asked) {
  // Output files that cannot be written are refused now, not after hours of training.
  if (!request.save.empty()) atomic_file{request.save};
  const std::string record = written_by_rank(request.options.record, ranks != nullptr ? ranks->rank() : 0);
  if (!record.empty()) atomic_file::look(record, true);
  if (!request.options.checkpoint.empty()) require_checkpoint_place(request.options.checkpoint);
  remove_segments_of_dead_runs(request);

  progress shown(::isatty(STDERR_FILENO) != 0);
  const auto once = [&] { return train_once(request, ranks, asked, request.files.quiet ? nullptr : &shown); };
  // One rank cannot begin again while the others are in the middle of it.
  const trained all = ranks != nullptr ? once() : retry_damaged_cache(once);
  const train_result& result = all.run;
  std::string summary;
  if (request.json) {
    summary = summary_json(request, result, all.folds);
  } else if (!request.files.quiet) {
    summary = summary_text(request, result, all.folds);
    if (saves(request, result))
      summary += "saved       " + printable(request.save) +
                 (result.state.arrays.empty() ? "\n" : ", with the state of the optimizer\n");
  }
  try {
    if (!summary.empty()) print_beside({request.save, record}, summary);
  } catch (const resource_error&) {
    if (!asked.pipe_is_broken()) throw;
  }
  if (result.status == run_status::stopped && !request.save.empty() && !saves(request, result))
    say(result.stopped_by == stop_cause::time_limit
            ? "the seconds of --max-seconds were over before a row was trained; nothing is saved"
            : "stopped before a row was trained; nothing is saved");
  // Printed as an error even under --quiet; with several ranks by the first.
  if (result.status == run_status::diverged && (ranks == nullptr || ranks->rank() == 0)) say(divergence_advice(result));
  return asked.pipe_is_broken() ? static_cast<int>(exit_code::interrupted) : exit_code_for(request, result);
}

/// With other engines ranks would repeat the same run, unless each has models of its own. All ranks throw it.
void require_engine_of_ranks(const train_request& request, launched_ranks& ranks) {
  if (ranks.size() == 1 || request.several.any() || request.engine == engine_name::ring ||
      request.engine == engine_name::all_reduce || request.engine == engine_name::local_sgd)
    return;
  throw rank_failure(exit_code::usage,
                     "a launcher has started " + std::to_string(ranks.size()) +
                         " processes, and this engine has one: use --engine ring, all_reduce or local_sgd");
}

/// Models that are divided among ranks are trained on all rows, as models of folds are. All ranks throw it.
void require_rows_of_all(const train_request& request) {
  if (request.data == "-") throw rank_failure(exit_code::usage, "ranks cannot all read standard input; name a file");
  if (!names_rank(request.data)) return;
  const bool several = request.several.any();
  if (!several && !request.folds.folds && !request.options.l2_by_folds) return;
  throw rank_failure(
      exit_code::usage,
      std::string("ranks divide the models ") + (several ? "of --multiclass or --ensemble" : "of folds") +
          ", and each model is trained on rows of the whole data: give all ranks one file, without %rank");
}

int train_as_rank(const train_request& request, launched_ranks& ranks, interrupt& asked) {
  try {
    require_same_command("train", request, ranks);
    require_written(request, ranks);
    const std::string& file = request.options.checkpoint;
    answer_as_rank(asked, ranks,
                   "hogwild: stopping at the next meeting of all ranks; the model is then saved where --save says so "
                   "(signal again to end at once)\n",
                   !file.empty() ? "; start it again, with --resume " + printable(file) + " if it is written"
                                 : "; start it again (--checkpoint lets a run continue)");
    require_engine_of_ranks(request, ranks);
    require_rows_of_all(request);
    train_request mine = request_of_rank(request, ranks);
    count_models(mine,
                 static_cast<std::size_t>(agreement(&ranks.all()).sum(static_cast<double>(workers_for_shards(mine)))));
    return train_as_asked(mine, &ranks, asked);
  } catch (const rank_failure& e) {  // thrown on all ranks, printed by one
    if (ranks.rank() > 0) {
      std::signal(SIGTERM, SIG_IGN);  // launchers send it on the first rank's exit code; it needs no message
      return static_cast<int>(exit_code::done);
    }
    say(e.what());
    return static_cast<int>(e.code());
  }
}

}  // namespace

int train_command(int argc, const char* const* argv) {
  train_request request;
  if (const auto code = parse_train(argc, argv, request)) return *code;
  interrupt asked(
      {.answer = "hogwild: stopping; the model is saved where --save says so (again after two seconds: end at once)\n",
       .ended = ended_at_once});
  if (request.stream && launched_several())
    throw config_error("a launcher has started " + std::to_string(launched_several()->processes) +
                       " processes, and a stream is trained by one: start one");
  if (request.stream) return train_stream(request, asked);
  const auto ranks = join_ranks(request);
  if (!ranks) {
    request = request_alone(std::move(request));
    count_models(request, workers_for_shards(request));
    return train_as_asked(request, nullptr, asked);
  }
  return with_all_ranks(*ranks, [&] { return train_as_rank(request, *ranks, asked); });
}

}  // namespace hogwild::cli
