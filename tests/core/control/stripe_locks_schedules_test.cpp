// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/update_policy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/detail/control/worker_slot.hpp>

#include "support/every_schedule.hpp"
#include "support/model_atomics.hpp"
#include "support/modelled_workers.hpp"

// A stripe under every schedule of workers that add under it. One may die, and one may be left out at any moment and
// come back at any later one. See model_checker.hpp.

using namespace hogwild;
using test::model_atomics;
using test::model_checker;
using test::schedule_options;

namespace {

using slot_type = basic_worker_slot<model_atomics>;

constexpr const char* stripe_has_one_owner = "of those who count, one has a stripe at a time";
constexpr const char* keeps_it = "who counts keeps its stripe until it gives it back";
constexpr const char* taken_over = "nobody waits for ever";
constexpr const char* no_add_lost = "no add is lost while nobody dies or is left out";

struct sound_stripe {
  using locks = basic_stripe_locks<model_atomics>;
  static void come_back(slot_type& slot) { slot.come_back(); }
};

template <class Stripe>
class stripe_schedules {
 public:
  stripe_schedules(std::size_t workers, std::uint64_t adds, std::uint64_t left_out, const schedule_options& options)
      : workers_(workers), adds_(adds), left_out_(left_out), deaths_(options.deaths), checker_(world_, options) {
    for (std::size_t w = 0; w < workers; ++w) {
      world_.slots[w].state.value = worker_state::active;
      world_.slots[w].generation.value = 1;
      checker_.add(true, [this, w](model_checker::memory& kept) { return add(w, kept); });
    }
    test::add_coordinator(checker_, world_, workers, left_out, options.deaths);
    checker_.always([this](bool all_ended) {
      if (all_ended && left_out_ == 0 && deaths_ == 0)
        checker_.require(world_.sum.value == adds_ * workers_, no_add_lost);
    });
  }
  model_checker& checker() { return checker_; }

 private:
  struct shared {
    std::array<slot_type, 3> slots{};
    std::array<std::uint32_t, 1> stripe{};
    model_atomics::atomic<std::uint32_t> sum{};
    std::array<std::uint32_t, 3> holds{};  ///< by which tag
    std::uint32_t at_work = 0;
  };

  static bool is_live(const void* slots, std::uint32_t tag) noexcept {
    return slot_type::is_live(static_cast<const slot_type*>(slots), tag);
  }
  /// The same from the actual state, without an operation.
  bool counts(std::size_t w, std::uint32_t tag) const {
    return world_.slots[w].state.value == worker_state::active && world_.slots[w].generation.value == tag >> 12;
  }

  bool add(std::size_t w, model_checker::memory& kept) {
    std::uint64_t &done = kept[0], &step = kept[1], &own_tag = kept[2];
    if (step == 0 && done == adds_) return checker_.note([this] { ++world_.at_work; }), false;
    if (step == 0) {  // between two rounds
      Stripe::come_back(world_.slots[w]);
      own_tag = world_.slots[w].tag(w);
      step = 1;
      return true;
    }
    const auto tag = static_cast<std::uint32_t>(own_tag);
    const typename Stripe::locks locks(world_.stripe, tag, is_live, world_.slots.data());
    locks.lock(0);
    checker_.note([&] {
      world_.holds[w] = tag;
      for (std::size_t v = 0; v < workers_; ++v)
        checker_.require(v == w || world_.holds[v] == 0 || !counts(v, world_.holds[v]) || !counts(w, tag),
                         stripe_has_one_owner);
    });
    const std::uint32_t before = world_.sum.load(std::memory_order_relaxed);
    world_.sum.store(before + 1, std::memory_order_relaxed);
    checker_.note([&] {
      checker_.require(!counts(w, tag) || world_.stripe[0] == tag, keeps_it);
      world_.holds[w] = 0;
    });
    locks.unlock(0);
    step = 0, ++done;
    return true;
  }

  std::size_t workers_;
  std::uint64_t adds_, left_out_;
  int deaths_;
  shared world_{};
  model_checker checker_;
};

using stripe_under = test::under_every_schedule;

TEST_P(stripe_under, every_schedule_keeps_its_sentences) {
  const auto holds = [&](std::size_t workers, std::uint64_t adds, std::uint64_t left_out, int deaths) {
    expect_sound(
        stripe_schedules<sound_stripe>(workers, adds, left_out, {.store_buffers = GetParam(), .deaths = deaths})
            .checker());
  };
  holds(3, 1, 0, 0);
  holds(2, 2, 0, 1);
  holds(2, 2, 2, 0);
  holds(3, 1, 1, 0);
}

INSTANTIATE_TEST_SUITE_P(control, stripe_under, testing::Bool(), test::name_of_buffers);

// The checker finds the fault of each of these stripes.

template <class Stripe>
std::set<std::string> stripe_broken_by(std::uint64_t left_out, int deaths = 0) {
  return stripe_schedules<Stripe>(2, 2, left_out, {.deaths = deaths}).checker().broken_sentences();
}

/// Gives back whatever it finds.
struct unlocked_by_store : sound_stripe {
  struct locks : sound_stripe::locks {
    locks(std::span<std::uint32_t> stripes, tag self, liveness alive, const void* context)
        : sound_stripe::locks(stripes, self, alive, context), all(stripes) {}
    void unlock(std::size_t) const { model_atomics::atomic_ref<std::uint32_t>(all[0]).store(0); }
    std::span<std::uint32_t> all;
  };
};
TEST(broken_stripe, that_is_unlocked_whosever_it_is_is_found) {
  EXPECT_EQ(stripe_broken_by<unlocked_by_store>(0), std::set<std::string>{});
  EXPECT_EQ(stripe_broken_by<unlocked_by_store>(1), (std::set<std::string>{keeps_it, stripe_has_one_owner}));
}

/// Counts again under the tag that others found dead.
struct old_generation : sound_stripe {
  static void come_back(slot_type& slot) {
    auto left_out = worker_state::left_out;
    slot.state.compare_exchange_strong(left_out, worker_state::active);
  }
};
TEST(broken_stripe, whose_owner_comes_back_under_its_old_generation_is_found) {
  EXPECT_EQ(stripe_broken_by<old_generation>(1), std::set<std::string>{stripe_has_one_owner});
}

/// Waits for the owner.
struct never_taken_over : sound_stripe {
  struct locks : sound_stripe::locks {
    locks(std::span<std::uint32_t> stripes, tag self, liveness, const void* context)
        : sound_stripe::locks(
              stripes, self, [](const void*, tag) noexcept { return true; }, context) {}
  };
};
TEST(broken_stripe, that_nobody_takes_over_is_found) {
  EXPECT_EQ(stripe_broken_by<never_taken_over>(0), std::set<std::string>{});
  EXPECT_EQ(stripe_broken_by<never_taken_over>(0, 1), std::set<std::string>{taken_over});
}

}  // namespace
