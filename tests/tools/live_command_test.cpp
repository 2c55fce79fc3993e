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

  outcome predict(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"predict", "--live", segment, test()};
    words.insert(words.end(), more.begin(), more.end());
    return hogwild(words);
  }
};

TEST_F(predict_live, scores_rows_by_a_run_while_it_trains_and_after_its_death) {
  for (const std::string engine : {"threads", "processes"}) {
    running_command trains({"train", train(), "--engine", engine, "--workers", "2", "--segment", segment, "--epochs",
                            "1000000", "--step", "0.05", "--bias"});
    outcome scored;
    // Once the run is ready, and has left its first steps behind.
    ASSERT_TRUE(trains.says("epoch 5/"));
    scored = predict({"--probabilities"});
    EXPECT_EQ(scored.code, 0) << scored.err;
    EXPECT_THAT(scored.err, HasSubstr("the run trains"));
    const auto rows = lines_of(read_file(test()));
    const auto said = lines_of(scored.out);
    ASSERT_EQ(said.size(), rows.size());
    std::size_t right = 0;
    const auto labels = lines_of(predict({"--quiet"}).out);
    for (std::size_t r = 0; r < rows.size(); ++r) right += rows[r].substr(0, rows[r].find(' ')) == labels[r];
    EXPECT_GT(right, rows.size() * 3 / 4);

    if (engine == "threads") {
      const outcome worker = hogwild({"worker", "--attach", segment});
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

TEST_F(predict_live, refuses_what_cannot_be_with_a_sentence) {
  const outcome missing = predict();
  EXPECT_EQ(missing.code, 3);  // as a file that is not there
  EXPECT_THAT(missing.err, HasSubstr("there is no segment named"));
  EXPECT_EQ(hogwild({"predict", "--live", "mine", test()}).code, 4);
  const outcome two = hogwild({"predict", "--live", segment, "model", test()});
  EXPECT_EQ(two.code, 2);
  const outcome serial = hogwild({"train", train(), "--engine", "serial", "--segment", segment});
  EXPECT_EQ(serial.code, 2);
  EXPECT_THAT(serial.err, HasSubstr("--engine threads or processes"));
}

}  // namespace
}  // namespace hogwild::test
