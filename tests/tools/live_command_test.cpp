// SPDX-License-Identifier: Apache-2.0
// hogwild predict --live: rows are scored by the parameters of a run, and by those that a killed run has left.
#include <sys/mman.h>

#include <csignal>
#include <string>

#include <gmock/gmock.h>

#include "small_data.hpp"
#include "support/eventually.hpp"
#include "support/kept_segment.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class predict_live : public with_small_data {
 protected:
  const std::string segment = "hogwild-live-command-" + std::to_string(::getpid());
  ~predict_live() override { ::shm_unlink(("/" + segment).c_str()); }

  outcome predict(const command_words& more = {}) const { return hogwild({"predict --live", segment, test(), more}); }
};

TEST_F(predict_live, scores_rows_by_a_run_while_it_trains_and_after_its_death) {
  for (const std::string engine : {"threads", "processes"}) {
    running_command trains({"train", train(), "--engine", engine, "--workers 2 --segment", segment,
                            "--epochs 1000000 --step 0.05 --bias"});
    outcome scored;
    // Once the run is ready, and has left its first steps behind.
    ASSERT_TRUE(trains.says("epoch 5/"));
    scored = predict({"--probabilities"});
    EXPECT_EQ(scored.code, 0) << scored.err;
    EXPECT_THAT(scored.err, HasSubstr("the run trains"));
    EXPECT_EQ(lines_of(scored.out).size(), lines_of(read_file(test())).size());
    EXPECT_GT(fraction_right(predict("--quiet").out, test()), 0.75);

    if (engine == "threads") {
      const outcome worker = hogwild({"worker --attach", segment});
      EXPECT_NE(worker.code, 0);
      EXPECT_THAT(worker.err, HasSubstr("is of threads, whom no worker process can join"));
    }
    trains.signal(SIGKILL);
    const kept_segment kept(segment);
    trains.wait();
    EXPECT_TRUE(eventually(std::chrono::seconds(5), [&] {
      scored = predict();
      return scored.code == 0 && scored.err.find("has been killed") != std::string::npos;
    })) << scored.err;
    ::shm_unlink(("/" + segment).c_str());
  }
}

}  // namespace
}  // namespace hogwild::test
