// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/math/calibration.hpp>
#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/detail/options/option_words.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/stream/stream_state.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/options.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "data_files.hpp"
#include "folds_request.hpp"
#include "several_request.hpp"

namespace hogwild::cli {

enum class engine_name { serial, threads, processes, ring, all_reduce, local_sgd, cuda };

/// The words for engines, in the order in which help shows them.
inline constexpr auto engine_names = std::to_array<detail::enumerator<engine_name>>({
    {"threads", engine_name::threads},
    {"processes", engine_name::processes},
    {"ring", engine_name::ring},
    {"all_reduce", engine_name::all_reduce},
    {"local_sgd", engine_name::local_sgd},
    {"cuda", engine_name::cuda},
    {"serial", engine_name::serial},
});

}  // namespace hogwild::cli

namespace hogwild::detail {

template <>
inline constexpr auto enumerators<cli::engine_name> = cli::engine_names;
template <>
inline constexpr auto enumerators<calibration_kind> = std::to_array<enumerator<calibration_kind>>(
    {{"none", calibration_kind::none}, {"platt", calibration_kind::platt}, {"isotonic", calibration_kind::isotonic}});

}  // namespace hogwild::detail

namespace hogwild::cli {

/// For options whose value 0 means that they were not given.
inline std::optional<std::size_t> unless_zero(std::size_t n) {
  return n == 0 ? std::nullopt : std::optional(n);
}

/// The request of `hogwild train`.
struct train_request {
  std::string data, test, validation_file;
  std::string known{};  ///< triples that are true besides those that are trained and measured
  data_options files{};
  row_files rows{}, test_rows{}, validation_rows{};

  std::string model = "logistic";
  model_options of_model{};         ///< the model's own options that were given
  std::optional<bool> own_bias{};   ///< the value of --bias, if it was given
  label_spelling declared{};        ///< as --label-values writes them
  double test_fraction = 0.0;       ///< of the training file, unless --test names a file
  std::size_t test_last = 0;        ///< of pairs: the last ones of each user are held back
  std::size_t validation_last = 0;  ///< likewise, of those that are left
  several_request several{};        ///< models that are combined into one
  folds_request folds{};            ///< cross-validation, and a path of l2
  std::uint64_t min_count = 5;      ///< for a corpus: words that occur less often are left out

  std::size_t walks = 0;  ///< for edges: walks from each node, which are epochs; 0: --epochs says how many

  engine_name engine = engine_name::threads;
  std::size_t workers = 0;     ///< 0: as many as this process may use; with devices: none beside them
  std::vector<int> devices{};  ///< for cuda or a ring: numbers, or emulated_device; empty: for cuda the first one
  memory_kind memory = memory_kind::device;
  storage_kind storage = storage_kind::single;
  thread_team_kind team = thread_team_kind::openmp;
  bool pin = true;
  std::string segment{};     ///< for threads or processes; empty: none, or an automatic name
  std::size_t replicas = 0;  ///< on the ring; 0: one for each memory node
  ring_rule exchange = ring_rule::deltas;
  released_options released{};
  bool released_dense = false;  ///< becomes released.dense once the line is parsed
  transport_kind transport = transport_kind::in_process;
  std::size_t ranks = 1;  ///< processes that a launcher has started together
  bool mpi = false;       ///< joined by MPI, whether or not a launcher is detected
  bool searches = false;  ///< a search, whose trials are divided among ranks
  delta_values messages = delta_values::as_stored;
  std::chrono::seconds rank_timeout{30};
  std::optional<std::size_t> sync_rows{};  ///< rows of each rank between two meetings
  bool scale_step = false;
  bool nccl = false;  ///< whether they meet by NCCL

  std::vector<named_value> compared{};  ///< what ranks compare of the command line

  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  train_options options{};
  column_scaling scale = column_scaling::none;
  std::string init;                                     ///< a saved model with whose parameters the run begins
  std::vector<std::string> init_groups;                 ///< groups taken from it; none: all
  calibration_kind calibrate = calibration_kind::none;  ///< how the saved model makes probabilities of margins
  std::string save;
  bool save_diverged = false;  ///< a run that ended worse than it began is saved, too
  int stop_exit_code = static_cast<int>(exit_code::interrupted);  ///< for a run that was stopped and saved
  bool stream = false;       ///< learns from standard input for as long as rows come
  double save_every = 60.0;  ///< seconds between two checkpoints, or two saved models, of a stream
  stream_options of_stream{};
  bool json = false;
  bool verify = false;   ///< for advice: measures the advised runs
  std::size_t cpus = 0;  ///< for advice: also predicts for so many CPUs like these; 0: only for those of this machine
};

/// Fills the request, or returns the exit code with which to end. Throws config_error for incompatible options.
std::optional<int> parse_train(int argc, const char* const* argv, train_request& request);
/// Its two halves, for a command that has further options: declares options, and completes the request once the line is
/// parsed. Throws config_error as above.
void declare_training(command_line& line, train_request& request);
void complete_training(const command_line& line, train_request& request);
/// The same for `hogwild advise`, which has the options about data and model.
std::optional<int> parse_advise(int argc, const char* const* argv, train_request& request);

/// Throws config_error for incompatible options, before anything is read. `line` was parsed into `request`.
void check_options(const command_line& line, const train_request& request);
/// The part of these checks about the model and its input, and further ones of a request for folds or a path.
void check_model(const command_line& line, const train_request& request);
void check_folds(const command_line& line, const train_request& request);

}  // namespace hogwild::cli
