// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/search.hpp>
#include <interrupt/interrupt.hpp>

#include "commands.hpp"
#include "data_files.hpp"
#include "model_from_request.hpp"
#include "retry_damaged_cache.hpp"
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

/// Where checkpoints of trials that wait lie: beside the journal, or in a folder that goes with this object.
class checkpoint_folder {
 public:
  explicit checkpoint_folder(const search_request& request) : temporary_(request.options.journal.empty()) {
    if (!temporary_) {
      path_ = request.options.journal + ".trials";
      return;
    }
    std::string name = (std::filesystem::temp_directory_path() / "hogwild-search-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw resource_error("cannot make the folder " + name + ": " + std::generic_category().message(errno) +
                           "; name a --journal, beside which it goes");
    path_ = name;
  }
  checkpoint_folder(const checkpoint_folder&) = delete;
  checkpoint_folder& operator=(const checkpoint_folder&) = delete;
  ~checkpoint_folder() {
    std::error_code ignored;
    if (temporary_) std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  bool temporary_ = false;
  std::filesystem::path path_{};
};

std::string identity_of(const search_request& request, const search_rows& rows) {
  std::string text = "hogwild " + std::string(build_info.version) + " ";
  for (const std::string& word : request.words) text += word + " ";
  text += "metric " + std::string(request.metric->name) + " of ";
  text += request.folds ? std::to_string(*request.folds) + " folds"
                        : std::to_string(rows.parts[0].validation.rows()) + " rows";
  return text + "; " + identity_of(rows);
}

/// Trains the best configuration on all rows, as the command line does that the report tells.
void save_best(const search_request& request, const train_request& asked, const search_rows& rows,
               interrupt& asked_to) {
  train_request best = asked;
  best.save = request.base.save;
  best.files.quiet = true;
  const auto initial = saved_to_begin_with(best);
  const named_model m = model_of(best, rows.all.part, agreement(nullptr), initial);
  train_options options = best.options;
  options.data_name = best.data;
  options.stop = asked_to.token();
  begin_with_saved(best, m, rows.all, {}, initial, options);
  const train_result result = train_with_engine(m, rows.all.part, best, options, nullptr);
  if (!saves(best, result) || result.status == run_status::stopped)
    throw error(result.status == run_status::stopped ? exit_code::interrupted : exit_code::diverged,
                "the best configuration " + std::string(to_string(result.status)) +
                    " when it was trained on all rows; nothing is saved");
  const interrupt::saving saving(asked_to);
  save_trained(best, m, result, rows.all.numbering());
}

void write_record(const std::string& path, const std::string& line) {
  atomic_file file(path);
  const std::string text = line + "\n";
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

int search_once(search_request request, const search_space& space, std::span<const train_request> checked,
                interrupt& asked) {
  const search_rows rows = open_search_rows(request);
  request.options.identity = identity_of(request, rows);
  request.options.stop = asked.token();
  const std::vector<train_request> requests(checked.begin(), checked.end());
  const bool waits =
      request.options.strategy == strategy_kind::halving || request.options.strategy == strategy_kind::hyperband;
  std::optional<checkpoint_folder> folder;
  if (waits) folder.emplace(request);
  run_trainer trainer(requests, rows, *request.metric, request.side_by_side,
                      folder ? folder->path() : std::filesystem::path(), asked.token());
  lane_trainer lanes(requests, rows, *request.metric, request.side_by_side, trainer, asked.token());
  const bool keeps = !request.options.journal.empty();
  search_display display(*request.metric, ::isatty(STDERR_FILENO) != 0);
  asked.begin_asking();
  std::vector<bool> forgotten;  // of which trials nothing is kept
  const search_result result = run_search(space, request.options, lanes, [&](const search_progress& now) {
    const std::vector<std::string> notes = trainer.take_notes();
    if (!request.base.files.quiet) display.show(now, notes);
    forgotten.resize(now.trials.size());
    for (const trial& t : now.trials) {
      if (forgotten[t.number] || t.epochs == 0 || t.state == trial_state::waiting) continue;
      lanes.forget(t.number);
      if (waits) trainer.forget(t.number);
      forgotten[t.number] = true;
    }
    return asked.token().stop_requested() ? observer_answer::stop : observer_answer::go_on;
  });
  display.clear();
  if (waits && result.finished) trainer.forget_all();
  if (result.finished && !result.best) trainer.require_none_refused();

  const std::string json = search_json(request, rows, result);
  if (!request.base.options.record.empty()) write_record(request.base.options.record, json);
  std::string told = request.base.json ? json + "\n" : "";
  if (!request.base.json && !request.base.files.quiet) told = search_text(request, result);
  if (!told.empty()) print_beside({request.base.save, request.base.options.record}, told);
  const bool saves_best = result.finished && result.best && !request.base.save.empty();
  if (saves_best) {
    save_best(request, requests[*result.best], rows, asked);
    if (!request.base.json && !request.base.files.quiet)
      print_beside({request.base.save, request.base.options.record},
                   "saved       " + printable(request.base.save) + "\n");
  }
  if (!result.finished) {
    say(keeps ? "stopped; the same command goes on from " + request.options.journal
              : "stopped; with --journal FILE a search can go on");
    return static_cast<int>(exit_code::interrupted);
  }
  if (result.best) return static_cast<int>(exit_code::done);
  say("all configurations diverged; search among smaller steps, or with --step auto");
  return static_cast<int>(exit_code::diverged);
}

}  // namespace

int search_command(int argc, const char* const* argv) {
  search_request request;
  if (const auto code = parse_search(argc, argv, request)) return *code;
  const search_space space = space_of(request);
  std::vector<train_request> requests;
  for (const trial& t : plan_trials(space, request.options)) {
    requests.emplace_back();
    if (const auto code = parse_configuration(request, t.options, requests.back())) return *code;
  }
  // A place that cannot be written is refused now, not after hours of training.
  if (!request.base.save.empty()) atomic_file{request.base.save};
  if (!request.base.options.record.empty()) atomic_file::look(request.base.options.record);
  interrupt asked({.answer = "hogwild: stopping the search (once more to end at once)\n", .ended = ended_at_once});
  // Each rank would do the whole of it.
  train_request of_ranks = request.base;
  of_ranks.engine = engine_name::ring;
  if (join_ranks(of_ranks)) throw config_error("a search is one process: start it without mpiexec or srun");
  return retry_damaged_cache([&] { return search_once(request, space, requests, asked); });
}

}  // namespace hogwild::cli
