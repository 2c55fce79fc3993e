// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/engines/any_engine.hpp>
#include <hogwild/detail/optimization/regularizer.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/row_buffer.hpp>
#include <hogwild/detail/run/stream_state.hpp>
#include <hogwild/model.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

/// What a stream knows of a model's type.
struct stream_model {
  std::string_view name;
  model_traits traits;
  /// The model for as many columns as the rows have, on these rows; throws as train().
  std::function<prepared_task(const sparse_view& rows, const train_options& options)> prepare{};
  /// Throws what the model says of rows that it cannot be trained on.
  std::function<void(const sparse_view& rows)> require_data{};
  std::vector<double> hyperparameters{};  ///< of it, whatever its columns
  /// Where its parameters lie when it is made for so many columns.
  std::function<std::vector<parameter_group>(std::size_t columns)> groups{};
};

/// The layout of a margin model.
inline std::vector<parameter_group> margin_groups(std::size_t columns, bool bias) {
  return {{.name = "weights", .rows = columns},
          {.name = "bias", .offset = columns, .rows = bias ? std::size_t{1} : 0, .hot_first = false}};
}

/// Trains on rows that come a few at a time: what a trainer does, whatever its model. Its workers wait between two
/// calls. Rows are trained in whole chunks, which begin at multiples of chunk_rows() from the first row of the stream;
/// what is left over is kept for the next call, so that it does not matter how rows are dealt to calls. One caller at a
/// time.
class stream_run {
 public:
  /// Throws config_error for options that a stream has no use for, and what reading `resume` throws.
  stream_run(stream_model model, std::function<std::unique_ptr<any_engine>()> engine, const train_options& options,
             const stream_options& how);
  ~stream_run();

  /// Trains on copies of no rows but the last few. Throws input_error where they do not suit the model, or their labels
  /// were not declared, before anything changes. Whatever else it throws, of memory say, ends the stream: from then on
  /// all calls but parameters() throw config_error.
  stream_report take(const sparse_view& rows);
  /// Trains on what is left over, though it is no whole chunk.
  stream_report flush();

  std::size_t chunk_rows() const { return chunk_rows_; }
  std::size_t columns() const { return columns_; }
  std::uint64_t rows() const { return state_.rows + held_.rows(); }  ///< taken
  std::uint64_t trained() const { return state_.rows; }              ///< those that are no longer left over
  const label_map& labels() const { return labels_; }
  /// The input's number of each column; empty: columns are their own numbers.
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  /// True w of the model made for columns(), of the rows that are trained. Throws config_error before any is.
  std::vector<float> parameters() const;
  /// Writes all that going on needs, rows that are left over among it. Throws as write_checkpoint(), and an error with
  /// exit_code::diverged where weights are not finite; then what stood there is as before.
  void checkpoint(const std::string& path) const;

 private:
  void check(const sparse_view& rows) const;
  void learn_columns(const sparse_view& rows);
  void train(const sparse_view& rows, stream_report& report);
  void train_round(const sparse_view& rows, stream_report& report);
  void train_held(stream_report& report);
  stream_report completed(stream_report report) const;
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
  void keep_recent(const sparse_view& rows);
  void minimise_constant();

  struct planned;
  void begin_with(const std::vector<parameter_group>& room, const planned& made) const;

  stream_model model_;
  std::function<std::unique_ptr<any_engine>()> engine_;
  train_options options_;
  stream_options how_;
  label_map labels_;
  std::size_t chunk_rows_, columns_ = 0;
  std::vector<std::uint32_t> numbers_{};
  row_buffer held_{};    ///< rows that are left over
  row_buffer sample_{};  ///< the first rows of the stream, by which it is planned
  /// The rows that were trained last, in two parts, by which flush() finds the constant term of a linear model.
  row_buffer earlier_{}, recent_{};
  std::size_t since_minimised_ = 0;  ///< rows
  bool whole_ = true;                ///< no call has failed in its middle
  stream_state state_{};
  /// Of l1, which is taken of all columns at once.
  struct owed_l1 {
    double of_row = 0.0;     ///< options.l1
    double owed = 0.0;       ///< since it was taken: steps by l1, of all rows
    std::uint64_t rows = 0;  ///< since then
  } l1_{};
  std::optional<stream_arrays> kept_{};  ///< of a checkpoint, until there are workers

  std::unique_ptr<planned> planned_;  ///< for the first rows, and anew when there are more columns than it has room for
};

}  // namespace hogwild
