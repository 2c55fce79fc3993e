// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/math/regularizer.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/stream/row_buffer.hpp>
#include <hogwild/detail/stream/stream_course.hpp>
#include <hogwild/detail/stream/stream_state.hpp>
#include <hogwild/model.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// The facts about a model's type that a stream uses.
struct stream_model {
  std::string_view name;
  model_traits traits;
  /// Makes the model for these rows and their number of columns; throws as train().
  std::function<prepared_task(const sparse_view& rows, const train_options& options)> prepare{};
  /// Throws if the model cannot be trained on such rows.
  std::function<void(const sparse_view& rows)> require_data{};
  std::vector<double> hyperparameters{};  ///< the model's, as far as they do not depend on its columns
  /// The layout of its parameters for a number of columns.
  std::function<std::vector<parameter_group>(std::size_t columns)> groups{};
};

/// The layout of a margin model.
inline std::vector<parameter_group> margin_groups(std::size_t columns, bool bias) {
  return {{.name = "weights", .rows = columns},
          {.name = "bias", .offset = columns, .rows = bias ? std::size_t{1} : 0, .hot_first = false}};
}

/// Trains on rows that come a few at a time: the implementation of trainer, for any model. Its workers wait between two
/// calls. Rows are trained in whole chunks, which begin at multiples of chunk_rows() from the first row of the stream;
/// remaining rows are kept for the next call, so that the result does not depend on how rows are dealt to calls. One
/// caller at a time.
class stream_run {
 public:
  /// Throws config_error for options that a stream cannot use, and what reading `resume` throws.
  stream_run(stream_model model, std::function<std::unique_ptr<any_engine>()> engine, const train_options& options,
             const stream_options& how);
  ~stream_run();

  /// Trains on these rows, of which it copies only the last few. Throws input_error if they do not suit the model, or
  /// their labels were not declared, before anything changes. Any other exception (out of memory, say) ends the stream:
  /// from then on all calls but parameters() throw config_error.
  stream_report take(const sparse_view& rows);
  /// Trains on the remaining rows, even if they do not fill a chunk, and asks whether the stream has diverged, as
  /// told_worse() does. `often`: more rows come soon, so that it asks only if half of the rows that it looks at are
  /// new.
  stream_report flush(bool often = false);
  /// A sentence if the stream has diverged: the loss of the last 1,024 rows that it trained exceeds that of an
  /// untrained model on the same rows (run_course::ended_worse), or is no number; stream_course says when a stream
  /// whose rows have changed has not diverged. Nothing if it has not, or before 64 rows were trained. Unless it
  /// was good before and has a loss no larger than an untrained model ever had, parameters and the optimiser's state
  /// are copied meanwhile.
  std::optional<std::string> told_worse();

  std::size_t chunk_rows() const { return chunk_rows_; }
  std::size_t columns() const { return columns_; }
  std::uint64_t rows() const { return state_.rows + held_.rows(); }  ///< rows taken
  std::uint64_t trained() const { return state_.rows; }              ///< rows trained: all but the remaining ones
  const label_map& labels() const { return labels_; }
  /// The input's number of each column; empty: columns are their own numbers.
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  /// True w of the model made for columns(), after the rows that were trained. Throws config_error before any was.
  std::vector<float> parameters() const;
  /// The optimiser's state, laid out alike. Throws likewise.
  optimizer_state state();
  /// Writes everything that is needed to go on, including remaining rows. Throws as write_checkpoint(), and an error
  /// with exit_code::diverged if weights are not finite; then the old file is unchanged.
  void checkpoint(const std::string& path) const;

 private:
  void check(const sparse_view& rows) const;
  void learn_columns(const sparse_view& rows);
  void train(const sparse_view& rows, stream_report& report);
  void train_round(const sparse_view& rows, stream_report& report);
  void train_held(stream_report& report);
  stream_report completed(stream_report report) const;
  void note(std::string_view sentence) const;
  void require_whole() const;
  void plan();
  void resume(const std::string& path);
  stream_arrays arrays() const;
  double step() const;
  double shrink() const;
  scaled_l2 l2() const;
  std::size_t rows_to_boundary() const;
  std::size_t rows_to_l1() const;
  void owe_l1(double step, std::size_t rows);
  void take_l1();
  sparse_view as_planned(const sparse_view& rows) const;
  void minimise_constant();
  std::optional<std::array<double, 2>> assess();

  struct planned;
  /// `change` sees the columns that exist, without the spare room.
  void change_known(std::span<float> all, const std::vector<parameter_group>& room,
                    const std::function<void(std::span<float>)>& change) const;

  stream_model model_;
  std::function<std::unique_ptr<any_engine>()> engine_;
  train_options options_;
  stream_options how_;
  label_map labels_;
  std::size_t chunk_rows_, columns_ = 0;
  std::vector<std::uint32_t> numbers_{};
  row_buffer held_{};                ///< remaining rows
  row_buffer sample_{};              ///< the first rows of the stream, from which it is planned
  recent_rows recent_{};             ///< by which flush() finds the constant term of a linear model, and assesses any
  std::size_t since_minimised_ = 0;  ///< rows
  std::size_t since_assessed_ = 0;   ///< rows
  bool diverged_ = false;            ///< as told last
  stream_course course_{};
  bool whole_ = true;  ///< no call has failed halfway
  stream_state state_{};
  /// l1 that has not been applied yet; it is applied to all columns at once.
  struct owed_l1 {
    double of_row = 0.0;     ///< options.l1
    double owed = 0.0;       ///< the sum of step times l1 over all rows since it was last applied
    std::uint64_t rows = 0;  ///< rows since then
  } l1_{};
  std::optional<stream_arrays> kept_{};  ///< from a checkpoint, until there are workers

  std::unique_ptr<planned> planned_;  ///< made for the first rows, and again when there are too many columns for it
};

}  // namespace hogwild
