// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/formats/named_lines.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/run/time_limit.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>

#include "data_files.hpp"
#include "model_from_request.hpp"
#include "standard_streams.hpp"
#include "stream_rows.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point then) {
  return std::chrono::duration<double>(clock::now() - then).count();
}

/// Reports on a stream: rows since the last line, and their loss.
class stream_reports {
 public:
  stream_reports(const train_request& request, std::uint64_t acknowledged)
      : json_(request.json),
        quiet_(request.files.quiet),
        acknowledged_(acknowledged),
        rows_(acknowledged),
        told_rows_(acknowledged) {}

  void add(const stream_report& report) {
    rows_ = report.rows;
    if (report.trained > 0) loss_ += report.loss * static_cast<double>(report.trained);
    trained_ += report.trained;
  }
  /// Prints what is new, once a second.
  void tell_in_time() {
    if (seconds_since(told_) >= 1.0) end();
  }
  /// A checkpoint holds these rows.
  void acknowledge(std::uint64_t rows) {
    acknowledged_ = rows;
    tell();
  }
  /// Prints what is new.
  void end() {
    if (trained_ > 0 || rows_ != told_rows_) tell();
  }

 private:
  void tell() {
    const double seconds = seconds_since(told_);
    const double speed = seconds > 0.0 ? static_cast<double>(rows_ - told_rows_) / seconds : 0.0;
    const double loss = trained_ > 0 ? loss_ / static_cast<double>(trained_) : std::nan("");
    if (json_) {
      nlohmann::ordered_json line{
          {"rows", rows_}, {"progressive_loss", nullptr}, {"rows_per_second", speed}, {"acknowledged", acknowledged_}};
      if (trained_ > 0) line["progressive_loss"] = loss;
      print(json_text(line) + "\n");
    } else if (!quiet_) {
      std::string line = "rows " + std::to_string(rows_);
      if (trained_ > 0) line += formatted("  progressive loss %.6g  %.6g rows/s", loss, speed);
      print(line + "  acknowledged " + std::to_string(acknowledged_) + "\n");
    }
    told_ = clock::now();
    told_rows_ = rows_;
    loss_ = 0.0;
    trained_ = 0;
  }

  bool json_, quiet_;
  std::uint64_t acknowledged_, rows_, told_rows_, trained_ = 0;
  double loss_ = 0.0;  ///< summed over rows
  clock::time_point told_ = clock::now();
};

class streaming {
 public:
  streaming(const train_request& request, interrupt& asked)
      : request_(request),
        asked_(asked),
        begun_with_(saved_to_begin_with(request)),
        named_(named_columns()),
        run_(make_stream(request_, options_of_run())),
        numbers_(run_.rows() == 0 && begun_with_ ? begun_with_->columns : run_.numbers()),
        reports_(request_, run_.rows()) {}

  int operator()() {
    asked_.begin_asking();
    // As many threads parse as train: if rows come fast, both take about equally long.
    const std::size_t workers =
        request_.engine == engine_name::serial ? 1 : worker_count(unless_zero(request_.workers));
    std::stop_source over;
    const auto ask = [&over] { over.request_stop(); };
    const std::stop_callback by_signal(asked_.token(), ask), by_time(limit_.token(), ask);
    stream_rows rows(STDIN_FILENO, "standard input", format(), numbers_, workers, over.get_token());
    clock::time_point saved = clock::now();
    std::uint64_t kept = run_.rows();
    reports_.acknowledge(kept);  // a resumed stream begins after them
    try {
      while (const auto batch = rows.next()) {
        if (!batch->rows.label.empty()) {
          numbers_.insert(numbers_.end(), batch->new_columns.begin(), batch->new_columns.end());
          add(run_.take(batch->view(numbers_)));
        }
        reports_.tell_in_time();
        if (seconds_since(saved) < request_.save_every || run_.rows() == kept) continue;
        keep();
        kept = run_.rows();
        saved = clock::now();
      }
    } catch (const input_error&) {
      keep_before_error();
      throw;
    }
    return end();
  }

 private:
  /// Adds rows that were measured. If they are no longer numbers, nothing overwrites the last good checkpoint.
  void add(const stream_report& report) {
    reports_.add(report);
    if (report.trained == 0 || std::isfinite(report.loss)) return;
    reports_.end();
    fail("the loss is not finite: the step is too large for these rows");
  }
  /// Ends a stream whose loss is finite, but worse than nothing.
  void require_no_blow_up() {
    if (const auto sentence = run_.told_worse()) fail(*sentence);
  }
  [[noreturn]] static void fail(const std::string& reason) {
    throw error(exit_code::diverged, reason + "; lower --step. The last checkpoint and the last saved model remain");
  }
  void keep_at_end() {
    require_no_blow_up();
    keep_state();
    const stream_report last = run_.flush();
    add(last);
    if (last.diverged) {
      if (request_.files.quiet) require_no_blow_up();
      fail("the stream has diverged");  // a note has told how
    }
    keep_model();
  }
  int end() {
    keep_at_end();
    reports_.end();
    if (run_.rows() == 0 && !request_.save.empty()) say("no row came; nothing is saved");
    if (!asked_.token().stop_requested()) return static_cast<int>(exit_code::done);
    const bool kept = run_.rows() > 0 && !(request_.save.empty() && request_.options.checkpoint.empty());
    return kept ? request_.stop_exit_code : static_cast<int>(exit_code::interrupted);
  }
  /// Saves what was good so far; the error in the text is then reported all the same.
  void keep_before_error() {
    try {
      keep_at_end();
    } catch (const error& e) {
      say(std::string("the training so far could not be saved: ") + e.what());
    }
  }

  /// The parser of text with named columns; null for LIBSVM text. Gives the request the labels of a saved model.
  std::unique_ptr<named_lines> named_columns() {
    if (begun_with_ && request_.options.labels.empty()) {
      const auto values = begun_with_->labels.values();
      request_.options.labels.assign(values.begin(), values.end());
    }
    data_options& files = request_.files;
    if (begun_with_ && !begun_with_->schema.empty()) {
      files.choose_schema(*begun_with_, request_.init);
      return std::make_unique<named_lines>(*files.table.schema);
    }
    if (begun_with_ && !begun_with_->columns.empty() && begun_with_->columns.front() == 0)
      throw config_error("the columns of the model " + request_.init +
                         " count from 0, and those of a stream from 1: train it on a file");
    files.choose_format(request_.model);
    if (files.format == "auto" || files.format == "libsvm") {
      files.table.refuse("libsvm");
      return nullptr;
    }
    if (begun_with_)
      throw config_error("the model " + request_.init + " knows numbered columns, not those of --format " +
                         files.format);
    return std::make_unique<named_lines>(files.table.request);
  }

  stream_format format() {
    if (!named_) return stream_format::libsvm(begun_with_ ? begun_with_->label_words() : std::vector<std::string>());
    const table_request& how = request_.files.table.request;
    const table_schema& schema = named_->schema();
    const bool known = !schema.columns.empty(), is_table = (known ? schema.text : how.text) == named_text::table;
    // The first record shows the separator, if nothing else does.
    const char separator = known ? schema.separator : how.separator.value_or(',');
    return {.rule = {.quoted = is_table && (known ? schema.quotes : how.quotes), .separator = separator},
            .begin =
                [this](std::string_view first, const std::string& name, record_rule& rule) {
                  const std::size_t header = named_->begin(first, name);
                  rule.separator = named_->schema().separator;
                  return header;
                },
            .parse = [this](std::string_view lines, const std::string& name) { return named_->parse(lines, name); }};
  }

  train_options options_of_run() {
    train_options options = request_.options;
    options.checkpoint.clear();
    options.max_seconds.reset();
    if (!begun_with_) return options;
    // Called for the columns that have come by then, after those of the saved model.
    options.initial = [this, told = std::make_shared<bool>(request_.files.quiet)](std::span<float> parameters) {
      const std::size_t taken =
          warm_start(*begun_with_, model_for(request_, numbers_.size()), numbers_, {}, parameters);
      // Trials of a step search begin with it, too; it is noted once.
      if (!std::exchange(*told, true))
        say("begins with " + std::to_string(taken) + " of " + std::to_string(parameters.size()) + " parameters from " +
            request_.init);
    };
    const std::string told = go_on_with_state(
        request_, *begun_with_, request_.init,
        [this](std::size_t k, std::span<float> values) {
          warm_start_state(*begun_with_, k, model_for(request_, numbers_.size()), numbers_, {}, values);
        },
        options);
    if (!told.empty() && !request_.files.quiet) say(told);
    return options;
  }

  void keep() {
    require_no_blow_up();
    keep_state();
    keep_model();
  }
  void keep_state() {
    if (request_.options.checkpoint.empty()) return;
    {
      const interrupt::saving saving(asked_);
      run_.checkpoint(request_.options.checkpoint);
    }
    reports_.acknowledge(run_.rows());
  }
  void keep_model() {
    if (request_.save.empty() || run_.trained() == 0) return;
    const interrupt::saving saving(asked_);
    const named_model m = model_for(request_, run_.columns());
    saved_model saved = to_saved(m, run_.parameters(), run_.labels(), run_.numbers());
    if (request_.options.keep_state) hogwild::cli::keep_state(run_.state(), m, run_.numbers(), saved);
    saved.spell_labels(request_.declared);
    if (begun_with_ && saved.label_texts.empty()) saved.label_texts = begun_with_->label_texts;
    detail::say_first_column(saved, named_ ? 0 : 1);
    if (named_) keep_schema(named_->schema(), saved);
    save_model(request_.save, saved, model_format_for(request_.save));
  }

  train_request request_;
  interrupt& asked_;
  std::shared_ptr<const saved_model> begun_with_;  ///< null: with nothing
  std::unique_ptr<named_lines> named_;             ///< null: columns have numbers
  stream_run run_;
  std::vector<std::uint32_t> numbers_;  ///< the input's number of each column
  stream_reports reports_;
  time_limit limit_{request_.options.max_seconds, clock::now()};
};

}  // namespace

int train_stream(const train_request& request, interrupt& asked) {
  // Text and rows are allocated and freed by the megabyte. If memory were returned each time, the system would clear it
  // again for the next ones, which takes longer than training on them.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
  if (!request.save.empty()) atomic_file{request.save};
  if (!request.options.checkpoint.empty()) require_checkpoint_place(request.options.checkpoint);
  return streaming(request, asked)();
}

}  // namespace hogwild::cli
