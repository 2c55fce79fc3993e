// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/platform/temporary_folder.hpp>
#include <hogwild/detail/run/sharing_doubt.hpp>
#include <hogwild/error.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/result.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/search.hpp>

#include "search_rows.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

/// Progress of this process with the current trials, in epochs of a trial on one part of the rows. Trainers write it
/// while a display reads it: its numbers may be from two moments.
class search_pace {
 public:
  void begin(std::size_t all) {
    done_ = 0;
    all_ = all;
  }
  void add(std::size_t epochs) { done_ += epochs; }
  /// There are no current trials.
  void end() { all_ = 0; }

  std::size_t done() const { return done_; }
  std::size_t all() const { return all_; }

 private:
  std::atomic<std::size_t> done_ = 0, all_ = 0;
};

/// Where a search keeps the checkpoints of paused trials. Different files may be written at the same time.
class search_folder {
 public:
  /// The folder lies beside the journal; it is made with its first file and outlasts a search that is stopped. Without
  /// a journal (empty) it is a temporary_folder. Throws resource_error if none can be made.
  explicit search_folder(const std::string& journal);
  search_folder(const search_folder&) = delete;
  search_folder& operator=(const search_folder&) = delete;

  /// The checkpoint of a trial on one part of the rows.
  std::filesystem::path checkpoint(std::size_t trial, std::size_t part) const;
  /// The same, after making the folder.
  std::filesystem::path checkpoint_to_write(std::size_t trial, std::size_t part) const;
  /// Removes the checkpoints of a trial on all parts.
  void forget(std::size_t trial, std::size_t parts) const;
  /// Removes all of them, and the folder unless it has other files.
  void remove() const;

 private:
  std::optional<temporary_folder> temporary_{};
  std::filesystem::path path_;
};

/// Trains each trial by a separate run, as `hogwild train` would. Several are trained at once, all on the same rows.
///
/// A trial that is trained for some of its epochs is a run of all of them that is cut short, and goes on from its
/// checkpoint: so its steps fall as in the full run. Without the checkpoint it is trained from its beginning.
///
/// A configuration that train refuses, for example a step that does not suit its l2, has an infinite metric.
class run_trainer final : public trial_trainer {
 public:
  /// `requests` are those of the trials, by their numbers. `folder` has the checkpoints of paused trials; null if
  /// trials never pause. All must outlive it.
  run_trainer(const std::vector<train_request>& requests, const search_rows& rows, const search_metric& metric,
              std::size_t side_by_side, const search_folder* folder, search_pace& pace, std::stop_token stop);

  /// The notes since the last call: one for each configuration that was refused, and one for all trials if the sharing
  /// of any was decided by times that were measured while others used the CPUs.
  std::vector<std::string> take_notes();
  /// An observer for every trial, which collects that note.
  observer& listener() { return listener_; }
  /// Throws config_error, with the first one's reason, if configurations were refused.
  void require_none_refused() const;

  void train(std::span<trial* const> some, std::size_t epochs) override;
  std::size_t at_once(const trial& /*t*/) const override { return side_by_side_; }

  /// Notes a configuration that cannot be trained, and why.
  void note_refused(std::size_t trial, const std::string& why);
  /// The metric among these measures; throws config_error if it is not there.
  double measured_by(const measurement& m) const;
  /// Removes the checkpoints of a trial that will not go on.
  void forget(std::size_t trial) const;

 private:
  /// Trains one trial on one part of the rows: its metric after these epochs, or nothing if a stop was requested.
  std::optional<double> train_on(const trial& t, std::size_t part, std::size_t epochs);
  std::optional<train_result> run(const trial& t, std::size_t part, const train_request& asked, train_options options);

  /// Runs at the same time send it their notes.
  class doubt_listener final : public doubt_observer {
   public:
    explicit doubt_listener(run_trainer& told) : told_(told) {}
    void on_note(std::string_view) override {}  ///< drops other notes of trials
    void on_sharing_in_doubt(std::string_view sentence) override;

   private:
    run_trainer& told_;
    bool heard_ = false;  ///< guarded by the mutex of the notes
  };

  const std::vector<train_request>& requests_;
  const search_rows& rows_;
  const search_metric& metric_;
  std::size_t side_by_side_;
  const search_folder* folder_;
  search_pace& pace_;
  std::stop_token stop_;
  std::shared_ptr<const saved_model> initial_;
  std::mutex refusing_;                           ///< guards what follows
  std::map<std::size_t, std::string> refused_{};  ///< why, by trial
  std::vector<std::string> notes_{};
  doubt_listener listener_{*this};
};

}  // namespace hogwild::cli
