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
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/detail/run/same_on_ranks.hpp>
#include <hogwild/detail/run/stream_state.hpp>
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
inline constexpr std::array<std::pair<std::string_view, engine_name>, 7> engine_names{
    {{"threads", engine_name::threads},
     {"processes", engine_name::processes},
     {"ring", engine_name::ring},
     {"all_reduce", engine_name::all_reduce},
     {"local_sgd", engine_name::local_sgd},
     {"cuda", engine_name::cuda},
     {"serial", engine_name::serial}}};

/// Of options for which 0 means that nobody has asked.
inline std::optional<std::size_t> unless_zero(std::size_t n) {
  return n == 0 ? std::nullopt : std::optional(n);
}

/// What `hogwild train` was asked for.
struct train_request {
  std::string data, test, validation_file;
  data_options files{};
  row_files rows{}, test_rows{}, validation_rows{};

  std::string model = "logistic";
  model_options of_model{};        ///< what was given of the model's own options
  std::optional<bool> own_bias{};  ///< what --bias says, where it was given
  label_spelling declared{};       ///< how --label-values writes them
  double test_fraction = 0.0;      ///< of the training file, where --test is no file
  several_request several{};       ///< models that make one
  folds_request folds{};           ///< cross-validation, and a path of l2
  std::uint64_t min_count = 5;     ///< of a corpus: words that occur less often are left out

  engine_name engine = engine_name::threads;
  std::size_t workers = 0;     ///< 0: as many as this process may use; with devices: none beside them
  std::vector<int> devices{};  ///< of cuda or a ring: numbers, or emulated_device; empty: the first one, of cuda
  memory_kind memory = memory_kind::device;
  storage_kind storage = storage_kind::single;
  thread_team_kind team = thread_team_kind::openmp;
  bool pin = true;
  std::string segment{};     ///< of threads or processes; empty: none, or a name that nobody has chosen
  std::size_t replicas = 0;  ///< on the ring; 0: one for each memory node
  ring_rule exchange = ring_rule::deltas;
  released_options released{};
  transport_kind transport = transport_kind::in_process;
  std::size_t ranks = 1;  ///< processes that a launcher has started together
  bool mpi = false;       ///< joined by MPI, whether or not a launcher shows
  bool searches = false;  ///< for the best of many runs, which are divided among ranks
  delta_values messages = delta_values::as_stored;
  std::chrono::seconds rank_timeout{30};
  std::optional<std::size_t> sync_rows{};  ///< of each rank between two meetings
  bool scale_step = false;
  bool nccl = false;  ///< what they meet by

  std::vector<named_value> compared{};  ///< what ranks compare of the command line

  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  train_options options{};
  column_scaling scale = column_scaling::none;
  std::size_t batch = 0;                 ///< 0: as the model has it
  std::size_t virtual_workers = 0;       ///< 0: by the data
  double tolerance = 0.0;                ///< 0: none
  std::string init;                      ///< a saved model whose parameters the run begins with
  std::vector<std::string> init_groups;  ///< of those; none: all
  std::string save;
  bool save_diverged = false;  ///< a run that ended worse than it began is saved, too
  int stop_exit_code = static_cast<int>(exit_code::interrupted);  ///< of a run that was stopped and saved
  bool stream = false;       ///< learns from standard input for as long as rows come
  double save_every = 60.0;  ///< seconds between two checkpoints of a stream, and two models saved
  stream_options of_stream{};
  bool json = false;
  bool verify = false;   ///< of advice: what it says is tried
  std::size_t cpus = 0;  ///< of advice: also of so many CPUs like these; 0: of those that are here alone
};

/// Fills the request, or says with which exit code to end. Throws config_error for options that do not go together.
std::optional<int> parse_train(int argc, const char* const* argv, train_request& request);
/// Its two halves, for a command that has options of its own besides: what is declared, and what is made of it once the
/// line is parsed. Throws config_error as above.
void declare_training(command_line& line, train_request& request);
void complete_training(const command_line& line, train_request& request);
/// The same for `hogwild advise`, which has the options that describe data and model.
std::optional<int> parse_advise(int argc, const char* const* argv, train_request& request);

}  // namespace hogwild::cli
