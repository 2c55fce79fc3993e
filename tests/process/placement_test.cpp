// SPDX-License-Identifier: Apache-2.0
// The CPUs on which workers run, above all if OMP_PROC_BIND has bound the program's first thread to one of them.
#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>
#include <sched.h>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using cpu_list = std::vector<int>;

/// Records the CPUs of each worker at the first gate that it has come to.
class looker : public observer {
 public:
  explicit looker(std::ofstream& report) : report_(report) {}
  observer_answer on_epoch(const epoch_report& epoch) override {
    if (epoch.epoch > 1) return observer_answer::go_on;
    const param_store store = detail::attached_store::open(test::segment_of(::getpid())->name, logistic::name);
    for (const cpu_list& worker : test::cpus_of_workers(store)) {
      for (const int cpu : worker) report_ << cpu << ' ';
      report_ << '\n';
    }
    return observer_answer::go_on;
  }

 private:
  std::ofstream& report_;
};

int look(const std::string& file, bool pin) {
  const test::toy_rows rows = test::some_rows();
  std::ofstream report(file);
  looker eyes(report);
  report << worker_count() << '\n';
  train(logistic{}, rows.csr(), process_engine{.workers = 2, .pin = pin},
        {.epochs = 2, .step = {.initial = 0.1}, .sharing = sharing_kind::direct, .observers = {&eyes}});
  return 0;
}

struct bound_program : testing::TestWithParam<bool> {};

TEST_P(bound_program, has_workers_on_all_cpus) {
  const cpu_list all = allowed_cpus();
  if (all.size() < 2) GTEST_SKIP() << "there is only one CPU";
  const test::scratch_folder folder;
  const std::string report = folder / "report";
  child_process program =
      spawn(this_program(), {"--look", report, GetParam() ? "pin" : ""}, {{"OMP_PROC_BIND", "true"}});
  const auto status = program.wait_for(60s);
  ASSERT_TRUE(status && status->success());
  std::ifstream in(report);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, std::to_string(default_workers()));
  std::vector<cpu_list> workers;
  while (std::getline(in, line)) {
    std::istringstream numbers(line);
    workers.emplace_back(std::istream_iterator<int>(numbers), std::istream_iterator<int>());
  }
  const cpu_list own = worker_cpus(2, all);
  const std::vector<cpu_list> pinned{{own[0]}, {own[1]}}, free{all, all};
  EXPECT_EQ(workers, GetParam() ? pinned : free);
}

INSTANTIATE_TEST_SUITE_P(pinned_and_not, bound_program, testing::Bool());

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role placement_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  if (argc == 4 && std::string_view(argv[1]) == "--look") return look(argv[2], *argv[3] != '\0');
  return worker_main<logistic>(argc, argv);
});
