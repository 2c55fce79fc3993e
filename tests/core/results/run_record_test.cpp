// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/run_record.hpp>

#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace {

using hogwild::run_record;
using hogwild::run_status;
using hogwild::train_result;
using hogwild::test::read_text;
using hogwild::test::scratch_folder;
using nlohmann::json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<json> lines_of(const std::filesystem::path& file) {
  std::vector<json> lines;
  const std::string text = read_text(file);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

template <class Line>
json written(const Line& line) {
  const scratch_folder folder;
  run_record(folder / "run.jsonl").write(line);
  return lines_of(folder / "run.jsonl").at(0);
}

TEST(run_record, context_carries_options_with_their_types_and_the_data) {
  hogwild::record_context context;
  context.version = "1.2.3";
  context.machine.cpu_model = "Some CPU";
  context.machine.cpu_quota = 1.5;
  context.options = {{"model", std::string("huber")}, {"workers", std::int64_t{4}}, {"l2", 1e-4}, {"bias", true}};
  context.dataset = {
      .path = "a.svm", .rows = 10, .columns = 5, .nonzeros = 20, .omega = 4, .delta = 0.5, .index_bits = 16};
  const json line = written(context);
  EXPECT_EQ(line["kind"], "context");
  EXPECT_EQ(line["schema"], run_record::schema);
  EXPECT_EQ(line["version"], "1.2.3");
  EXPECT_EQ(line["machine"]["cpu_quota"], 1.5);
  EXPECT_FALSE(line["machine"].contains("governor"));
  EXPECT_EQ(line["options"], (json{{"model", "huber"}, {"workers", 4}, {"l2", 1e-4}, {"bias", true}}));
  EXPECT_EQ(line["dataset"], (json{{"path", "a.svm"},
                                   {"n", 10},
                                   {"d", 5},
                                   {"nnz", 20},
                                   {"Omega", 4},
                                   {"Delta", 0.5},
                                   {"index_bits", 16},
                                   {"value_bits", 32}}));
}

TEST(run_record, epoch_leaves_out_what_was_not_measured) {
  hogwild::epoch_report e{.epoch = 3, .train_seconds = 1.5, .updates = 300, .train_loss = 0.25, .objective = 0.5};
  json line = written(e);
  EXPECT_EQ(line["kind"], "epoch");
  EXPECT_EQ(line["epoch"], 3);
  EXPECT_EQ(line["train_loss"], 0.25);
  for (const char* key : {"test_loss", "test_auc", "staleness", "conflict_rate"})
    EXPECT_FALSE(line.contains(key)) << key;

  e.test = hogwild::measurement{.loss = 0.5, .auc = 0.75};
  e.staleness_p50 = 1, e.staleness_p99 = 12;
  e.conflict_rate = 0.125;
  line = written(e);
  EXPECT_EQ(line["test_loss"], 0.5);
  EXPECT_EQ(line["test_auc"], 0.75);
  EXPECT_FALSE(line.contains("test_accuracy"));
  EXPECT_EQ(line["staleness"], (json{{"p50", 1.0}, {"p99", 12.0}}));
  EXPECT_EQ(line["conflict_rate"], 0.125);
}

TEST(run_record, result_says_how_it_ended) {
  const auto status_of = [](run_status status) {
    train_result ended;
    ended.status = status;
    return written(ended)["status"];
  };
  EXPECT_EQ(status_of(run_status::done), "done");
  EXPECT_EQ(status_of(run_status::target), "target");
  EXPECT_EQ(status_of(run_status::converged), "converged");
  EXPECT_EQ(status_of(run_status::no_progress), "no_progress");
  EXPECT_EQ(status_of(run_status::diverged), "diverged");
  EXPECT_EQ(status_of(run_status::stopped), "stopped");
}

TEST(run_record, result_says_how_many_workers_were_replaced) {
  train_result ended;
  EXPECT_EQ(written(ended)["workers_replaced"], 0);
  ended.workers_replaced = 3;
  EXPECT_EQ(written(ended)["workers_replaced"], 3);
}

TEST(run_record, a_number_that_is_not_finite_is_null_and_the_status_diverged) {
  EXPECT_TRUE(written(hogwild::epoch_report{.epoch = 1, .train_loss = nan})["train_loss"].is_null());
  const double infinite = std::numeric_limits<double>::infinity();
  train_result ended;
  ended.train_loss = 0.5;
  ended.objective = infinite;
  const json line = written(ended);
  EXPECT_TRUE(line["objective"].is_null());
  EXPECT_EQ(line["train_loss"], 0.5);
  EXPECT_EQ(line["status"], "diverged");
}

TEST(run_record, losses_that_a_stopped_run_has_not_measured_are_left_out) {
  train_result ended;
  ended.status = run_status::stopped;
  ended.train_loss = ended.objective = nan;
  const json line = written(ended);
  EXPECT_EQ(line["status"], "stopped");
  EXPECT_FALSE(line.contains("train_loss"));
  EXPECT_FALSE(line.contains("objective"));
}

TEST(run_record, every_line_is_whole_at_once_and_the_old_file_is_gone) {
  const scratch_folder folder;
  hogwild::test::write_text(folder / "run.jsonl", "an older and much longer record\n");
  run_record record(folder / "run.jsonl");
  EXPECT_EQ(read_text(folder / "run.jsonl"), "");
  for (std::uint64_t k = 1; k <= 3; ++k) {
    record.write(hogwild::epoch_report{.epoch = k});
    EXPECT_EQ(read_text(folder / "run.jsonl").back(), '\n');
    EXPECT_EQ(lines_of(folder / "run.jsonl").size(), k);
  }
}

TEST(run_record, goes_on_behind_what_a_killed_writer_has_left) {
  const scratch_folder folder;
  const std::filesystem::path path = folder / "run.jsonl";
  hogwild::record_context context;
  context.version = "1";
  context.options = {{"model", std::string("huber")}};
  context.dataset = {.path = "a.svm", .rows = 10, .columns = 5};
  EXPECT_FALSE(run_record::go_on(path).goes_on()) << "there is none yet";
  run_record(path).write(context);
  std::ofstream(path, std::ios::app) << R"({"kind":"epoch","epo)";
  {
    run_record record = run_record::go_on(path);
    EXPECT_TRUE(record.goes_on());
    context.version = "2";
    record.write_resumed(context, 7);
    record.write(hogwild::epoch_report{.epoch = 8});
  }
  const auto lines = lines_of(path);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["kind"], "context");
  EXPECT_EQ(lines[0]["version"], "1");
  EXPECT_EQ(lines[1]["kind"], "resumed");
  EXPECT_EQ(lines[1]["version"], "2");
  EXPECT_EQ(lines[1]["epoch"], 7);
  EXPECT_EQ(lines[2]["epoch"], 8);
  context.dataset.rows = 11;
  EXPECT_THROW(run_record::go_on(path).write_resumed(context, 7), hogwild::input_error) << "another run's";
  // Killed in its first line.
  std::ofstream(path, std::ios::trunc) << R"({"kind":"context","schema)";
  EXPECT_FALSE(run_record::go_on(path).goes_on());
  EXPECT_EQ(read_text(path), "");
  for (const char* other : {"my notes\n", "{}\n", "[1]\n",
                            R"({"kind":"epoch"})"
                            "\n"}) {
    std::ofstream(path, std::ios::trunc) << other;
    EXPECT_THROW(run_record::go_on(path), hogwild::input_error) << other;
    EXPECT_EQ(read_text(path), other);
  }
}

TEST(run_record, a_path_that_is_not_utf8_does_not_end_the_run) {
  hogwild::record_context context;
  context.dataset.path = "caf\xe9.svm";
  EXPECT_EQ(written(context)["dataset"]["path"], "caf\xef\xbf\xbd.svm");
}

TEST(run_record, refuses_what_cannot_be_written) {
  const scratch_folder folder;
  EXPECT_THROW(run_record("-"), hogwild::input_error);
  EXPECT_THROW(run_record(""), hogwild::input_error);
  EXPECT_THROW(run_record(folder / "missing/run.jsonl"), hogwild::input_error);
  EXPECT_THROW(run_record(folder.path()), hogwild::input_error);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full to stand for a full disk";
  run_record full("/dev/full");
  EXPECT_THROW(full.write(hogwild::epoch_report{.epoch = 1}), hogwild::resource_error);
}

}  // namespace
