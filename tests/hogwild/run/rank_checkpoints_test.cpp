// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/rank_checkpoints.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/error.hpp>

#include "support/ranks.hpp"
#include "support/scratch_folder.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

constexpr std::size_t three = 3;

struct rank_checkpoints : testing::Test {
  const test::scratch_folder folder;
  const std::string path = folder / "run";

  static void write(const std::string& file, std::uint64_t epoch) {
    write_checkpoint(file, checkpoint{.epoch = epoch});
  }
  void write_all(std::uint64_t epoch, bool alike = false) const {
    test::as_sound_ranks(three, [&](const test::rank_place& place) {
      const agreement ranks(&place.ranks);
      write(checkpoint_of_rank(path, ranks), epoch);
      name_epoch(path, epoch, alike, ranks);
    });
  }
  /// The files that the ranks resume from, or their exceptions.
  std::vector<std::string> resumed(std::size_t ranks = three) const {
    std::vector<std::string> all(ranks);
    test::as_sound_ranks(ranks, [&](const test::rank_place& place) {
      try {
        all[place.rank] = resume_of_rank(path, agreement(&place.ranks)).path;
      } catch (const error& e) {
        all[place.rank] = e.what();
      }
    });
    return all;
  }
  std::string of(std::size_t rank) const { return path + ".rank" + std::to_string(rank); }
};

TEST_F(rank_checkpoints, of_one_rank_are_the_file_itself) {
  const agreement alone(nullptr);
  EXPECT_EQ(checkpoint_of_rank(path, alone), path);
  write(path, 4);
  name_epoch(path, 4, false, alone);
  EXPECT_EQ(resume_of_rank(path, alone).path, path);
  EXPECT_EQ(read_checkpoint(path).epoch, 4u);
}

TEST_F(rank_checkpoints, are_those_of_the_named_epoch) {
  write_all(1);
  write_all(2);
  for (std::size_t r = 0; r < three; ++r) EXPECT_EQ(resumed()[r], of(r));
  // Rank 1 came further before the run was killed: the epoch before is whole on all ranks.
  write(of(1), 3);
  EXPECT_EQ(resumed()[0], of(0));
  EXPECT_EQ(read_checkpoint(of(1)).epoch, 2u);
  // And it is killed once more, after rank 0 alone has written the next.
  write(of(0), 3);
  for (std::size_t r = 0; r < three; ++r) EXPECT_EQ(resumed()[r], of(r));
  for (std::size_t r = 0; r < three; ++r) EXPECT_EQ(read_checkpoint(of(r)).epoch, 2u);
}

// Rank 1 was killed while it put its third file in place: the second is being moved to where the first still is.
TEST_F(rank_checkpoints, are_found_between_their_places) {
  write_all(1);
  const std::string first = folder / "first";
  std::filesystem::copy_file(of(1), first);
  write_all(2);
  write(of(1), 3);
  const std::string previous = of(1) + ".previous";
  std::filesystem::rename(previous, atomic_file::next_of(previous));
  std::filesystem::rename(first, previous);
  for (std::size_t r = 0; r < three; ++r) EXPECT_EQ(resumed()[r], of(r));
  for (std::size_t r = 0; r < three; ++r) EXPECT_EQ(read_checkpoint(of(r)).epoch, 2u);
  write_all(3);
  EXPECT_EQ(read_checkpoint(previous).epoch, 2u);
  EXPECT_FALSE(std::filesystem::exists(atomic_file::next_of(previous)));
}

// Going on from the one before puts that one in the file's place, not in the link's.
TEST_F(rank_checkpoints, lie_where_a_link_leads_to) {
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_symlink("elsewhere/state", of(1));
  for (const std::uint64_t epoch : {1u, 2u}) write_all(epoch);
  write(of(1), 3);
  EXPECT_EQ(resumed()[1], folder / "elsewhere/state");
  EXPECT_TRUE(std::filesystem::is_symlink(of(1)));
  EXPECT_EQ(read_checkpoint(of(1)).epoch, 2u);
}

TEST_F(rank_checkpoints, that_are_missing_are_an_error_for_all) {
  write_all(1);
  std::filesystem::remove(of(2));
  const auto all = resumed();
  EXPECT_THAT(all[2], HasSubstr("not whole checkpoints of epoch 1"));
  for (const std::size_t r : {0u, 1u}) EXPECT_THAT(all[r], HasSubstr("another rank has no whole checkpoint"));
}

TEST_F(rank_checkpoints, are_for_as_many_ranks_as_wrote_them) {
  write_all(1);
  for (const std::string& s : resumed(2)) EXPECT_THAT(s, HasSubstr("of a run of 3 ranks, and this one has 2"));
  EXPECT_THROW(resume_of_rank(path, agreement(nullptr)), config_error);
  std::filesystem::remove(path);
  write(path, 1);
  for (const std::string& s : resumed(2)) EXPECT_THAT(s, HasSubstr("of a run of 1 rank, and this one has 2"));
}

TEST_F(rank_checkpoints, that_are_alike_are_for_any_number_of_ranks) {
  write_all(1, true);
  EXPECT_THAT(resumed(2), testing::ElementsAre(of(0), of(1)));
  EXPECT_THAT(resumed(5), testing::ElementsAre(of(0), of(1), of(2), of(0), of(0)));
  EXPECT_EQ(resume_of_rank(path, agreement(nullptr)).path, of(0));
  // A single process, too.
  checkpoint one{.epoch = 7};
  put_alike(one);
  write_checkpoint(path, one);
  EXPECT_THAT(resumed(2), testing::Each(path));
}

TEST_F(rank_checkpoints, that_are_alike_make_up_for_one_that_is_lost) {
  write_all(1, true);
  std::filesystem::remove(of(1));
  EXPECT_THAT(resumed(), testing::ElementsAre(of(0), of(0), of(2)));
  for (const std::size_t r : {0u, 2u}) std::filesystem::remove(of(r));
  EXPECT_THAT(resumed(), testing::Each(HasSubstr("no rank has a whole checkpoint of epoch 1")));
}

// Each rank has a disk of its own, and they have changed places since; one has an older run's epoch.
TEST_F(rank_checkpoints, that_are_alike_are_found_on_whatever_disk_they_lie) {
  const auto on = [&](std::size_t disk) { return std::string(folder / ("disk" + std::to_string(disk) + "/run")); };
  for (std::size_t disk = 0; disk < three; ++disk)
    std::filesystem::create_directory(folder / ("disk" + std::to_string(disk)));
  write_checkpoint(on(1), checkpoint{.epoch = 1});
  test::as_sound_ranks(three, [&](const test::rank_place& place) {
    const agreement ranks(&place.ranks);
    checkpoint mine{.epoch = 6};
    mine.put("number", std::uint64_t{36});
    write_checkpoint(checkpoint_of_rank(on(place.rank), ranks), mine);
    name_epoch(on(place.rank), 6, true, ranks);
  });
  std::filesystem::remove(on(2) + ".rank2");
  std::vector<std::uint64_t> epochs(three), numbers(three);
  test::as_sound_ranks(three, [&](const test::rank_place& place) {
    const auto found = resume_of_rank(on(2 - place.rank), agreement(&place.ranks));
    epochs[place.rank] = found.state.epoch;
    numbers[place.rank] = found.state.get<std::uint64_t>("number");
  });
  EXPECT_THAT(epochs, testing::Each(6u));
  EXPECT_THAT(numbers, testing::Each(36u));
}

// The disk of rank 0 is lost, with PATH on it.
TEST_F(rank_checkpoints, that_are_alike_are_found_by_any_of_them) {
  checkpoint state{.epoch = 7};
  put_alike(state);
  write_checkpoint(of(1), state);
  write(of(2), 9);  // of a run whose ranks have states of their own
  for (const std::size_t ranks : {1u, 2u, 4u})
    for (const std::string& found : resumed(ranks)) EXPECT_EQ(found, of(1)) << ranks;
}

// A longer run before this one has left files that go further.
TEST_F(rank_checkpoints, that_are_named_are_not_those_of_an_earlier_run) {
  checkpoint longer{.epoch = 50};
  put_alike(longer);
  write_checkpoint(of(1) + ".previous", longer);
  write_all(5, true);
  for (const std::string& found : resumed()) EXPECT_EQ(read_checkpoint(found).epoch, 5u);
}

TEST_F(rank_checkpoints, of_which_nothing_is_there_say_so_everywhere) {
  for (const std::string& s : resumed()) EXPECT_THAT(s, HasSubstr(path));
}

}  // namespace
