// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/choose.hpp>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hogwild;
using testing::HasSubstr;

namespace {

/// A machine with 8 CPUs and 2 MiB of cache each, and a set of text: half a second an epoch for one worker.
sharing_facts facts_of_text() {
  return {.workers = 8,
          .cpus = 8,
          .rows = 500'000,
          .parameters = 50'000,
          .nonzeros = 37'500'000,
          .step = 0.5,
          .curvature = 0.0067,
          .row_ns = 1'000.0,
          .line_ns = 10.0,
          .shared_ns = 30.0,
          .cache_bytes = 2u << 20};
}

struct choice_case {
  const char* name;
  void (*change)(sharing_facts&);
  access_kind kind;
  std::size_t workers;
  const char* reason;
};

/// Degrees of a million columns: `hot` entries in all on the first 262,144, `cold` on the others.
std::vector<std::uint32_t> degrees(std::uint32_t hot, std::uint32_t cold) {
  std::vector<std::uint32_t> d(1'000'000, cold);
  std::fill_n(d.begin(), 262'144, hot);
  return d;
}

const choice_case cases[] = {
    {"many_workers_have_replicas", [](sharing_facts&) {}, access_kind::buffered, 8, "8 replicas of 50000"},
    {"one_worker", [](sharing_facts& f) { f.workers = 1; }, access_kind::alone, 1, "has the parameters alone"},
    {"one_worker_that_asks_for_replicas", [](sharing_facts& f) { f.workers = 1, f.asked = sharing_kind::buffered; },
     access_kind::alone, 1, "has the parameters alone"},
    {"one_worker_that_asks_for_direct", [](sharing_facts& f) { f.workers = 1, f.asked = sharing_kind::direct; },
     access_kind::direct, 1, "asked for"},
    {"racing_kernels_of_a_small_model",
     [](sharing_facts& f) { f.racing = true, f.margin = false, f.arrays = 2, f.parameters = 1'000'000; },
     access_kind::buffered, 8, "8 replicas"},
    {"racing_kernels_of_a_large_model",
     [](sharing_facts& f) { f.racing = true, f.margin = false, f.arrays = 2, f.parameters = 1'100'000; },
     access_kind::direct, 8, "exchanging replicas of a model this large"},
    {"locked", [](sharing_facts& f) { f.update = update_kind::locked; }, access_kind::direct, 8, "locks"},
    {"edge_locked", [](sharing_facts& f) { f.update = update_kind::edge_locked; }, access_kind::direct, 8, "atomic"},
    {"one_worker_that_is_ordered", [](sharing_facts& f) { f.update = update_kind::ordered, f.workers = 1; },
     access_kind::direct, 1, "atomic"},
    {"exact", [](sharing_facts& f) { f.update = update_kind::exact; }, access_kind::buffered, 8, "8 replicas"},
    {"direct_by_name", [](sharing_facts& f) { f.asked = sharing_kind::direct; }, access_kind::direct, 8, "asked for"},
    {"buffered_by_name", [](sharing_facts& f) { f.asked = sharing_kind::buffered; }, access_kind::buffered, 8,
     "asked for; 8 replicas of 50000"},
    {"buffered_by_name_where_it_does_not_fit",
     [](sharing_facts& f) { f.asked = sharing_kind::buffered, f.parameters = 1'000'000; }, access_kind::buffered, 8,
     "8 replicas of 1000000"},
    {"head_by_name", [](sharing_facts& f) { f.asked = sharing_kind::head, f.parameters = 1'000'000; },
     access_kind::head, 8, "8 replicas of 262144"},
    {"head_by_name_where_all_fits", [](sharing_facts& f) { f.asked = sharing_kind::head; }, access_kind::head, 8,
     "8 replicas of 50000"},
    {"by_name_more_than_there_are_cpus", [](sharing_facts& f) { f.asked = sharing_kind::buffered, f.cpus = 2; },
     access_kind::buffered, 8, "8 replicas"},
    {"too_few_rows", [](sharing_facts& f) { f.rows = 20; }, access_kind::alone, 1, "not predicted to beat"},
    {"few_rows_that_take_long", [](sharing_facts& f) { f.rows = 6, f.row_ns = 1e7; }, access_kind::alone, 1,
     "not predicted to beat"},
    {"does_not_fit_a_hot_head",
     [](sharing_facts& f) {
       static const std::vector<std::uint32_t> d = degrees(100, 1);
       f.row_ns = 75.0, f.parameters = 50'000'000, f.degree = d;
     },
     access_kind::head, 8, "8 replicas of 262144"},
    {"does_not_fit_but_is_faster_whole", [](sharing_facts& f) { f.parameters = 1'000'000; }, access_kind::buffered, 8,
     "8 replicas of 1000000"},
    {"does_not_fit_and_nothing_is_known_of_the_columns",
     [](sharing_facts& f) { f.row_ns = 75.0, f.parameters = 50'000'000; }, access_kind::head, 8,
     "8 replicas of 262144"},
    {"does_not_fit_a_rare_head",
     [](sharing_facts& f) {
       static const std::vector<std::uint32_t> d = degrees(1, 8);
       f.parameters = d.size(), f.degree = d;
     },
     access_kind::direct, 8, "hardly meet"},
    {"does_not_fit_a_general_model",
     [](sharing_facts& f) {
       static const std::vector<std::uint32_t> d = degrees(1, 8);
       f.parameters = d.size(), f.degree = d, f.margin = false;
     },
     access_kind::buffered, 8, "8 replicas of 1000000"},
    {"no_cache_known", [](sharing_facts& f) { f.cache_bytes = 0, f.asked = sharing_kind::head; }, access_kind::head, 8,
     "8 replicas of 16 "},
    {"two_sum_on_steep_data_too",
     [](sharing_facts& f) { f.workers = 2, f.curvature = 6.29, f.parameters = 123, f.row_ns = 30.0; },
     access_kind::buffered, 2, "2 replicas of 123 parameters exchange the sum"},
    {"two_sum_on_flat_data", [](sharing_facts& f) { f.workers = 2; }, access_kind::buffered, 2,
     "2 replicas of 50000 parameters exchange the sum"},
    {"more_workers_than_cpus", [](sharing_facts& f) { f.workers = 64; }, access_kind::buffered, 8,
     "56 of 64 workers are left out: there are 8 CPUs"},
    {"one_cpu", [](sharing_facts& f) { f.cpus = 1; }, access_kind::alone, 1, "not predicted to beat"},
};

TEST(predicted_epoch, is_told_where_the_rule_compares_times) {
  sharing_facts facts = facts_of_text();
  facts.workers = 1;
  EXPECT_EQ(choose_sharing(facts).epoch_ns, 5e8);
  facts.workers = 2;
  const double two = choose_sharing(facts).epoch_ns;
  EXPECT_GT(two, 2.5e8);  // exchanges take some time
  EXPECT_LT(two, 3e8);
  facts.asked = sharing_kind::buffered;
  EXPECT_EQ(choose_sharing(facts).epoch_ns, two);
  facts.asked = sharing_kind::direct;
  EXPECT_EQ(choose_sharing(facts).epoch_ns, 0.0);
}

struct choice : testing::TestWithParam<choice_case> {};

TEST_P(choice, follows_from_the_facts) {
  sharing_facts facts = facts_of_text();
  GetParam().change(facts);
  const sharing_choice made = choose_sharing(facts);
  EXPECT_EQ(made.kind, GetParam().kind);
  EXPECT_EQ(made.workers, GetParam().workers);
  EXPECT_THAT(made.reason, HasSubstr(GetParam().reason));
  EXPECT_EQ(made.exchange.gain_weight, 1.0);
  if (made.kind == access_kind::buffered || made.kind == access_kind::head) {
    EXPECT_EQ(made.exchange.workers, made.workers);
    EXPECT_EQ(made.exchange.curvature, facts.curvature);
    EXPECT_TRUE(std::has_single_bit(made.exchange.rows)) << made.exchange.rows;
    EXPECT_LE(made.exchange.rows, 4096u);
    EXPECT_LE(made.exchange.head, facts.parameters);
    EXPECT_GE(exchange_rows(made.exchange, facts.step), 1u);
  } else {
    EXPECT_EQ(made.exchange.workers, 1u);
    EXPECT_EQ(exchange_rows(made.exchange, facts.step), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(every, choice, testing::ValuesIn(cases),
                         [](const auto& tried) { return std::string(tried.param.name); });

TEST(choice_of_workers, leaves_some_idle_where_the_bound_makes_exchanges_dear) {
  // 16 workers on steep data with short rows: each exchange costs more than the rows that the bound allows between two.
  sharing_facts facts = facts_of_text();
  facts.workers = facts.cpus = 16;
  facts.curvature = 0.2;
  facts.row_ns = 200.0;
  const sharing_choice made = choose_sharing(facts);
  EXPECT_LT(made.workers, 16u);
  EXPECT_THAT(made.reason, HasSubstr("with more workers exchanges would cost more than they gain"));
  facts.curvature = 1e-5;
  EXPECT_EQ(choose_sharing(facts).workers, 16u);
}

/// The movement of p replicas along the steepest direction, relative to one pass.
double movement(double step, double curvature, std::size_t workers, double rows) {
  return static_cast<double>(workers) * (1.0 - std::exp(-step * curvature * rows));
}

TEST(choice_of_workers, says_why_some_are_idle) {
  EXPECT_EQ(choose_sharing(facts_of_text()).idle, "");
  sharing_facts few = facts_of_text();
  few.rows = 20;
  EXPECT_EQ(choose_sharing(few).idle,
            "an epoch of one worker alone takes 0.02 ms, which 8 workers are not predicted to beat");
  // So few rows that two workers exchange nothing, whatever a row takes.
  few.rows = 7;
  few.row_ns = 1e9;
  EXPECT_THAT(choose_sharing(few).idle, HasSubstr("8 workers are not predicted to beat"));
  sharing_facts more_than_cpus = facts_of_text();
  more_than_cpus.cpus = 4;
  EXPECT_EQ(choose_sharing(more_than_cpus).workers, 4u);
  EXPECT_EQ(choose_sharing(more_than_cpus).idle, "there are 4 CPUs");
  sharing_facts dear = facts_of_text();
  dear.workers = dear.cpus = 16;
  dear.curvature = 0.2;
  dear.row_ns = 200.0;
  EXPECT_LT(choose_sharing(dear).workers, 16u);
  EXPECT_GT(choose_sharing(dear).workers, 1u);
  EXPECT_EQ(choose_sharing(dear).idle, "with more workers exchanges would cost more than they gain");
}

TEST(longest_exchange, keeps_every_number_of_workers_below_the_bound_of_stability) {
  for (std::size_t p = 2; p <= 256; ++p) {
    for (double z = 1e-7; z < 100.0; z *= 1.7) {
      const double rows = longest_exchange(1.0, z, p);
      ASSERT_GE(rows, 1.0);
      ASSERT_LE(rows, 4096.0);
      if (rows > 1.0) {
        ASSERT_LE(movement(1.0, z, p, rows), 2.0 * (1.0 + 1e-12)) << p << " " << z;
        if (p == 2) {
          ASSERT_LE(z * rows, 2.0 + 1e-12) << z;
        } else if (rows < 4096.0) {
          ASSERT_GT(movement(1.0, z, p, 1.1 * rows), 2.0) << p << " " << z;  // the longest that is allowed
        }
      }
    }
  }
}

TEST(longest_exchange, is_not_bound_for_one_worker_or_on_flat_ground) {
  EXPECT_EQ(longest_exchange(1.0, 5.0, 1), 4096.0);
  EXPECT_EQ(longest_exchange(0.0, 5.0, 8), 4096.0);
  EXPECT_EQ(longest_exchange(1.0, 0.0, 8), 4096.0);
}

TEST(exchange_rows, are_a_power_of_two_that_grows_as_the_step_falls) {
  for (const std::uint64_t rows : {1u, 32u, 512u, 4096u}) {
    for (const std::size_t p : {2u, 3u, 8u, 64u}) {
      for (const double curvature : {1e-3, 0.05, 6.0}) {
        const exchange_options chosen{.rows = rows, .curvature = curvature, .workers = p};
        std::uint32_t last = 1;
        for (double step = 4.0; step > 1e-6; step *= 0.8) {
          const std::uint32_t now = exchange_rows(chosen, step);
          ASSERT_TRUE(std::has_single_bit(now));
          ASSERT_GE(now, last);
          ASSERT_LE(now, rows);
          if (now > 1) {
            ASSERT_LE(movement(step, curvature, p, now), 2.0);
          }
          last = now;
        }
        EXPECT_EQ(last, rows);
      }
    }
  }
}

TEST(exchange_rows, of_two_are_never_so_few_that_they_would_not_pay) {
  const exchange_options chosen{.rows = 64, .least = 32, .curvature = 6.0, .workers = 2};
  EXPECT_EQ(exchange_rows(chosen, 10.0), 32u);
  EXPECT_EQ(exchange_rows(chosen, 1e-6), 64u);
  // Unless the guard has asked for fewer.
  EXPECT_EQ(exchange_rows({.rows = 8, .least = 32, .curvature = 6.0, .workers = 2}, 10.0), 8u);
}

TEST(exchange_rows, do_not_depend_on_the_step_for_the_mean_and_are_none_for_one) {
  const exchange_options mean{.rows = 512, .curvature = 6.0, .gain_weight = 0.5, .workers = 2};
  EXPECT_EQ(exchange_rows(mean, 10.0), 512u);
  EXPECT_EQ(exchange_rows({.rows = 512, .workers = 1}, 1.0), 0u);
}

TEST(choice_by_name, exchanges_after_each_step_where_the_data_do_not_tell_the_curvature) {
  sharing_facts facts = facts_of_text();
  facts.curvature = 0.0;
  facts.asked = sharing_kind::buffered;
  facts.row_ns = 20'000.0;  // of a net: an exchange costs less than 5 per cent of a row or two
  facts.batch = 64;
  EXPECT_EQ(choose_sharing(facts).exchange.rows, 64u);
  EXPECT_EQ(choose_sharing(facts).exchange.gain_weight, 1.0);
  facts.row_ns = 200.0;
  EXPECT_GT(choose_sharing(facts).exchange.rows, 64u) << "where that would cost too much, later";
}

TEST(choice_by_name, never_sums_what_even_an_exchange_after_each_row_would_not_keep_stable) {
  // One row of each of 8 workers moves 8 (1 - exp(-3)) = 7.6 times as far as one pass: no period is short enough.
  sharing_facts facts = facts_of_text();
  facts.curvature = 6.0;
  facts.asked = sharing_kind::buffered;
  EXPECT_EQ(choose_sharing(facts).exchange.gain_weight, 1.0 / 8.0);
  // Slow rows make exchanges cheap, but not sound.
  facts.asked = sharing_kind::automatic;
  facts.row_ns = 1e6;
  const sharing_choice made = choose_sharing(facts);
  EXPECT_TRUE(made.workers <= 2 || made.exchange.gain_weight < 1.0) << made.reason;
}

}  // namespace
