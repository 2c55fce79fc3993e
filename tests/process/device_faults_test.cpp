// SPDX-License-Identifier: Apache-2.0
// Kernels that fail: the process that drives the device is replaced once, and the second fault ends the run, which
// names its last checkpoint.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/task/worker_decorators.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;

/// Names a folder to this program and its workers. Each file in it is a coming fault.
constexpr const char* fault_variable = "HOGWILD_TEST_DEVICE_FAULTS";

/// Whether this thread's process trains by a device alone.
bool trains_by_device = true;

/// Least squares; the slope of a row with a label above 0 takes a fault and fails.
struct faulty_squares : least_squares {
  static constexpr std::string_view name = "faulty_squares";
  float derivative(float margin, float label) const {
    if (label > 0.0f && trains_by_device) {
      for (const auto& fault : std::filesystem::directory_iterator(std::getenv(fault_variable)))
        if (std::filesystem::remove(fault)) throw resource_error("the device failed to train: it was planned");
    }
    return least_squares::derivative(margin, label);
  }
};

/// Lets faults come after an epoch, and ends the run some epochs after the last one has.
struct fault_sender : test::witness {
  fault_sender(std::string of, std::size_t how_many, std::size_t after)
      : test::witness(faulty_squares::name), folder(std::move(of)), faults(how_many), epoch_before(after) {}
  observer_answer on_epoch(const epoch_report& epoch) override {
    test::witness::on_epoch(epoch);
    for (std::size_t k = 0; epoch.epoch == epoch_before && k < faults; ++k)
      test::write_text(folder + "/" + std::to_string(k), "");
    if (epoch.epoch > epoch_before && std::filesystem::is_empty(folder) && ++epochs_after == 5) end.request_stop();
    return observer_answer::go_on;
  }
  std::string folder;
  std::size_t faults, epoch_before, epochs_after = 0;
  std::stop_source end;
};

struct device_faults : testing::TestWithParam<std::size_t> {  ///< so many workers on the CPU
  device_faults() {
    std::filesystem::create_directory(folder / "faults");
    ::setenv(fault_variable, (folder / "faults").c_str(), 1);
  }
  /// Trains until all faults have come, or one has ended the run.
  train_result train_with(std::size_t faults, transport_kind transport, const train_options& more = {}) {
    const test::toy_rows rows = test::planted_regression({.rows = 2000, .columns = 50, .per_row = 8, .seed = 21});
    seen = std::make_unique<fault_sender>(folder / "faults", faults, more.resume.empty() ? 2 : 9);
    train_options options = more;
    options.epochs = 1'000'000;
    options.step = {.initial = 0.05, .kind = schedule_kind::constant};
    options.observers = {seen.get()};
    options.stop = seen->end.get_token();
    return train(faulty_squares{}, rows.csr(),
                 cuda_engine{.workers = GetParam(), .device = emulated_device, .transport = transport}, options);
  }
  /// The error that ends the run.
  std::string end_of(std::size_t faults, transport_kind transport, const train_options& more = {}) {
    try {
      train_with(faults, transport, more);
    } catch (const resource_error& e) {
      return e.what();
    }
    return "nothing";
  }
  std::ptrdiff_t replacements() const {
    return std::ranges::count_if(seen->notes(), [](const std::string& note) {
      return note.find("another one takes its place") != std::string::npos;
    });
  }

  const test::scratch_folder folder;
  const std::string checkpoint = folder / "checkpoint";
  std::unique_ptr<fault_sender> seen;
};

TEST_P(device_faults, one_of_a_process_costs_the_run_its_rows_and_no_more) {
  const train_result run = train_with(1, transport_kind::shared_segment);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.workers_replaced, 1u);
  EXPECT_THAT(seen->notes(), Contains(AllOf(HasSubstr("worker 0 "), HasSubstr("the device failed to train"))));
  EXPECT_EQ(seen->unfinished, 0u);
}

TEST_P(device_faults, two_of_processes_end_the_run_which_names_its_checkpoint) {
  // If others train meanwhile, the epoch of the second fault is not known.
  EXPECT_THAT(end_of(20, transport_kind::shared_segment, {.checkpoint = checkpoint}),
              AllOf(HasSubstr("worker 0 (process "), HasSubstr("has failed, as others before it: the device failed to"),
                    ContainsRegex("; the run's last checkpoint is '" + checkpoint + "', of epoch [0-9]+: resume")));
  EXPECT_EQ(replacements(), 2);  // but the second one was not started
  EXPECT_TRUE(test::leftovers().empty());
}

TEST_P(device_faults, two_of_processes_end_a_run_without_a_checkpoint) {
  EXPECT_THAT(end_of(20, transport_kind::shared_segment),
              AllOf(HasSubstr("has failed, as others before it: "), testing::Not(HasSubstr("checkpoint"))));
}

TEST_P(device_faults, of_threads_end_the_run_which_names_its_checkpoint) {
  const std::string fault = "the device failed to train: it was planned";
  EXPECT_EQ(end_of(1, transport_kind::in_process), fault);
  EXPECT_EQ(end_of(1, transport_kind::in_process, {.checkpoint = checkpoint}),
            fault + "; the run's last checkpoint is '" + checkpoint + "', of epoch 2: resume from it");
  EXPECT_EQ(end_of(1, transport_kind::in_process, {.resume = checkpoint}),
            fault + "; the run's last checkpoint is '" + checkpoint + "', of epoch 2: resume from it");
}

INSTANTIATE_TEST_SUITE_P(every, device_faults, testing::Values(0u, 1u));

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role device_faults_role([](int argc, char** argv) -> std::optional<int> {
  // A worker's slot follows the segment's name.
  for (int k = 1; k + 2 < argc; ++k)
    if (std::string_view(argv[k]) == hogwild::worker_marker)
      hogwild::trains_by_device = std::string_view(argv[k + 2]) == "0";
  return hogwild::worker_main<hogwild::faulty_squares>(argc, argv);
});
