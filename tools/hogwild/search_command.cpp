// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/run/rank_paths.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>
#include <hogwild/search.hpp>
#include <interrupt/interrupt.hpp>

#include "commands.hpp"
#include "data_files.hpp"
#include "model_from_request.hpp"
#include "rank_trainer.hpp"
#include "ranks.hpp"
#include "search_lanes.hpp"
#include "search_report.hpp"
#include "search_request.hpp"
#include "search_rows.hpp"
#include "search_trainer.hpp"
#include "standard_streams.hpp"
#include "summary.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

std::string identity_of(const search_request& request, const search_rows& rows) {
  std::string text = "hogwild " + std::string(build_info.version) + " ";
  // Sorted, so that a journal still belongs to its search if a later version declares the options in another order.
  std::vector<std::string> words = request.words;
  std::ranges::sort(words);
  for (const std::string& word : words) text += word + " ";
  text += "metric " + std::string(request.metric->name) + " of ";
  text += request.folds ? std::to_string(*request.folds) + " folds"
                        : std::to_string(rows.parts[0].validation.rows()) + " rows";
  return text + "; " + identity_of(rows);
}

/// Trains the best configuration on all rows, by the command line that the report shows.
void save_best(const search_request& request, const train_request& asked, const search_rows& rows, interrupt& asked_to,
               const std::stop_token& stop) {
  train_request best = asked;
  best.save = request.base.save;
  best.files.quiet = true;
  const auto initial = saved_to_begin_with(best);
  const named_model m = model_of(best, rows.all.part, agreement(nullptr), initial);
  train_options options = best.options;
  options.data_name = best.data;
  options.stop = stop;
  begin_with_saved(best, m, rows.all, {}, initial, options);
  const train_result result = train_with_engine(m, rows.all.part, best, options, nullptr);
  if (!saves(best, result) || result.status == run_status::stopped)
    throw error(result.status == run_status::stopped ? exit_code::interrupted : exit_code::diverged,
                "the best configuration " + std::string(to_string(result.status)) +
                    " when it was trained on all rows; nothing is saved");
  const interrupt::saving saving(asked_to);
  save_trained(best, m, result, rows.all, nullptr);
}

void write_record(const std::string& path, const std::string& line) {
  atomic_file file(path);
  const std::string text = line + "\n";
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

/// Each rank has all rows, so their paths may not differ between ranks.
void require_rows_of_all(const search_request& request) {
  for (const std::string& path : {request.base.data, request.base.validation_file}) {
    if (path == "-") throw config_error("ranks cannot all read standard input; name a file");
    if (names_rank(path)) throw config_error("all ranks of a search have the same rows: name one file, without %rank");
  }
}

/// The rows of a search, and the text that identifies the search. The first rank of a machine opens them before the
/// others, so that they find its cache. A damaged cache is found here, since all rows are checked.
search_rows open_on_ranks(search_request& request, ranks_at_work& ranks, launched_ranks* launched) {
  std::optional<search_rows> rows;
  const bool opens_first = launched == nullptr || launched->rank_on_machine() == 0;
  for (const bool first : {true, false}) {
    ranks.together([&] {
      if (opens_first != first) return;
      retry_damaged_cache([&] {
        rows.emplace(open_search_rows(request));
        request.options.identity = identity_of(request, *rows);
      });
    });
  }
  std::vector<named_value> mine{{"the rows of the data", identity_of(*rows), exit_code::input}};
  detail::require_same_on_ranks(mine, ranks.agreed());
  return std::move(*rows);
}

/// Reports the result, and saves it.
int conclude(const search_request& request, std::span<const train_request> requests, const search_rows& rows,
             const search_result& result, std::size_t ranks, interrupt& asked, const std::stop_token& stop) {
  const std::string json = search_json(request, rows, result, ranks);
  if (!request.base.options.record.empty()) write_record(request.base.options.record, json);
  std::string told = request.base.json ? json + "\n" : "";
  if (!request.base.json && !request.base.files.quiet) told = search_text(request, result, ranks);
  if (!told.empty()) print_beside({request.base.save, request.base.options.record}, told);
  const bool saves_best = result.finished && result.best && !request.base.save.empty();
  if (saves_best) {
    save_best(request, requests[*result.best], rows, asked, stop);
    if (!request.base.json && !request.base.files.quiet)
      print_beside({request.base.save, request.base.options.record},
                   "saved       " + printable(request.base.save) + "\n");
  }
  if (!result.finished) {
    say(!request.options.journal.empty() ? "stopped; the same command continues from " + request.options.journal
                                         : "stopped; with --journal FILE a search can continue");
    return static_cast<int>(exit_code::interrupted);
  }
  if (result.best) return static_cast<int>(exit_code::done);
  say("all configurations diverged; search among smaller steps, or with --step auto");
  return static_cast<int>(exit_code::diverged);
}

/// Runs on each rank. The first rank has strategy, journal and all output, and returns the exit code; on the others it
/// is 0.
int search_on_ranks(search_request request, const search_space& space, const std::vector<train_request>& requests,
                    interrupt& asked, launched_ranks* launched) {
  ranks_at_work ranks(launched != nullptr ? &launched->all() : nullptr, asked.token());
  const bool is_first = ranks.rank() == 0;
  const bool quiet = request.base.files.quiet;
  if (!is_first) request.base.files.quiet = true;
  ranks.together([&] {
    if (!ranks.alone()) require_rows_of_all(request);
    // Output files that cannot be written are refused now, not after hours of training.
    if (is_first && !request.base.save.empty()) atomic_file{request.base.save};
    if (is_first && !request.base.options.record.empty()) atomic_file::look(request.base.options.record);
  });
  if (is_first && !quiet && !ranks.alone())
    say(std::to_string(ranks.size()) +
        " ranks share the trials, and one rank trains each on all rows: the options found are for 'hogwild train' in "
        "one process, not for a run of several ranks");
  const search_rows rows = open_on_ranks(request, ranks, launched);
  request.options.stop = ranks.stop();
  const bool waits =
      request.options.strategy == strategy_kind::halving || request.options.strategy == strategy_kind::hyperband;
  const std::vector<trial> trials = plan_trials(space, request.options);
  std::optional<search_folder> folder;
  std::optional<run_trainer> runs;
  std::optional<lane_trainer> lanes;
  search_pace pace;
  search_display display(*request.metric, ::isatty(STDERR_FILENO) != 0);
  search_result result;
  search_end how;
  ranks.together([&] {
    asked.begin_asking();  // on all ranks, before the first one reports a trial
    if (waits) folder.emplace(request.options.journal);
    runs.emplace(requests, rows, *request.metric, request.side_by_side, folder ? &*folder : nullptr, pace,
                 ranks.stop());
    lanes.emplace(requests, trials, rows, *request.metric, request.side_by_side, *runs, pace, ranks.stop());
  });
  rank_trainer trainer(ranks, trials, *lanes, [&](std::size_t trial) {
    lanes->forget(trial);
    runs->forget(trial);
  });
  if (is_first) {
    if (!quiet) display.watch(pace);
    std::vector<bool> forgotten;  // trials of which nothing is kept
    result = run_search(space, request.options, trainer, [&](const search_progress& now) {
      const std::vector<std::string> notes = runs->take_notes();
      if (!quiet) display.show(now, notes);
      forgotten.resize(now.trials.size());
      for (const trial& t : now.trials) {
        if (forgotten[t.number] || t.epochs == 0 || t.state == trial_state::waiting) continue;
        trainer.forget(t.number);
        forgotten[t.number] = true;
      }
      const bool stops = asked.token().stop_requested() || ranks.stop().stop_requested();
      return stops ? observer_answer::stop : observer_answer::go_on;
    });
    how = {.finished = result.finished, .found = result.best.has_value()};
    trainer.end(how);
  } else {
    how = trainer.serve([&] {
      for (const std::string& note : runs->take_notes())
        if (!quiet) say(note);
    });
  }
  display.clear();
  if (folder && how.finished) folder->remove();
  int code = static_cast<int>(exit_code::done);
  ranks.together([&] {
    if (how.finished && !how.found) runs->require_none_refused();
  });
  ranks.together([&] {
    if (is_first) code = conclude(request, requests, rows, result, ranks.size(), asked, ranks.stop());
  });
  return code;
}

}  // namespace

int search_command(int argc, const char* const* argv) {
  // Installed before anything that takes long: reading thousands of configurations may.
  interrupt asked(
      {.answer = "hogwild: stopping the search (again after two seconds: end at once)\n", .ended = ended_at_once});
  search_request request;
  std::optional<search_space> space;
  std::vector<train_request> requests;
  try {
    if (const auto code = parse_search(argc, argv, request)) return *code;
    space.emplace(space_of(request));
    configuration_reader reader(request);
    for (const trial& t : plan_trials(*space, request.options)) {
      requests.emplace_back();
      if (const auto code = reader.read(t.options, requests.back())) return *code;
    }
    adopt_name_format(request.base, saved_to_begin_with(request.base));
  } catch (const error&) {
    let_first_rank_tell();
    throw;
  }
  const auto ranks = join_ranks(request.base);
  for (std::string* const path : {&request.base.save, &request.base.options.record}) *path = path_of_rank(*path, 0);
  if (request.side_by_side == 0) request.side_by_side = ranks ? workers_of_rank(*ranks) : worker_count();
  if (!ranks) return search_on_ranks(request, *space, requests, asked, nullptr);
  return with_all_ranks(*ranks, [&] {
    for (train_request& of_trial : requests) of_trial = request_of_rank(of_trial, *ranks);
    try {
      require_same_command("search", request.base, *ranks);
      const std::string& journal = request.options.journal;
      answer_as_rank(asked, *ranks,
                     "hogwild: stopping the search at the next meeting of all ranks (signal again to end at once)\n",
                     journal.empty() ? "; start it again (--journal lets a search continue)"
                                     : " but the journal; the same command continues from " + printable(journal));
      return search_on_ranks(request, *space, requests, asked, ranks.get());
    } catch (const rank_failure& e) {  // thrown on all ranks, printed by one
      if (ranks->rank() > 0) return static_cast<int>(exit_code::done);
      say(e.what());
      return static_cast<int>(e.code());
    }
  });
}

}  // namespace hogwild::cli
