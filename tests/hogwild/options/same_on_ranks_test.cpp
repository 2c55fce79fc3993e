// SPDX-License-Identifier: Apache-2.0
// Ranks that train together compare every option that they share, their models and engines before anything else.
#include <hogwild/detail/options/option_list.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cross_validation.hpp>
#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/rank_failure.hpp>
#include <hogwild/several_models.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/changed_options.hpp"
#include "support/ranks.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using detail::between_ranks;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t listed = decltype(detail::run_options)::size;

TEST(run_options, are_listed_each_once) {
  const train_options options;
  std::set<std::string_view> names;
  std::set<const void*> places;
  detail::for_each_run_option([&](const auto& option) {
    names.insert(option.name);
    places.insert(static_cast<const void*>(&option.of(options)));
  });
  EXPECT_EQ(names.size(), listed);
  EXPECT_EQ(places.size(), listed);
}

/// The errors of two ranks, the second with changed options; "" for a rank that trains.
std::vector<std::string> thrown_by(const std::function<void(const test::rank_place&)>& train) {
  std::vector<std::string> said;
  for (const std::exception_ptr& e : test::as_ranks(2, train)) {
    try {
      if (e) std::rethrow_exception(e);
      said.emplace_back();
    } catch (const rank_failure& failure) {
      said.push_back((failure.code() == exit_code::usage ? "usage: " : "") + std::string(failure.what()));
    } catch (const std::exception& other) {
      said.push_back(std::string("not a failure of a rank: ") + other.what());
    }
  }
  return said;
}

struct ranks_of_one_run : testing::Test {
  test::toy_rows toy = test::planted_classification({.rows = 200, .columns = 40, .per_row = 5});
  csr_rows rows = toy.csr();
  train_options options{.epochs = 2, .seed = 7};

  void SetUp() override { options.step.initial = 0.125; }
  sparse_view part(std::size_t rank) const { return rows.view().slice(100 * rank, 100 * (rank + 1)); }
};

TEST_F(ranks_of_one_run, name_the_first_of_all_options_that_differs_with_both_values) {
  for (const test::changed_option& one : test::changed_options(options)) {
    // A rank with an l2 by folds refuses it before it hears of the others.
    if (one.ranks == between_ranks::own || one.name == "l2_by_folds") continue;
    SCOPED_TRACE(one.name);
    for (const bool averages : {false, true}) {
      const auto said = thrown_by([&](const test::rank_place& place) {
        const train_options& own = place.rank == 0 ? options : one.options;
        if (averages)
          train(logistic{}, part(place.rank), local_sgd_engine{.workers = 1, .ranks = &place.ranks}, own);
        else
          train(logistic{}, part(place.rank), all_reduce_engine{.workers = 1, .ranks = &place.ranks}, own);
      });
      EXPECT_THAT(said, Each(AllOf(HasSubstr("usage: rank 1 of 2: " + std::string(one.name) + ": "),
                                   HasSubstr(" here, "), HasSubstr(" on rank 0"))));
      EXPECT_EQ(said[0], said[1]);
    }
  }
}

TEST_F(ranks_of_one_run, tell_the_values_as_they_were_given) {
  train_options other = options;
  other.l2 = 0.1;
  other.seed = 8;
  const auto said = thrown_by([&](const test::rank_place& place) {
    train(logistic{}, part(place.rank), all_reduce_engine{.workers = 1, .ranks = &place.ranks},
          place.rank == 0 ? options : other);
  });
  EXPECT_THAT(said, Each(HasSubstr("l2: 0.1 here, not given on rank 0; give all ranks the same")));
}

TEST_F(ranks_of_one_run, train_with_what_each_may_have_of_its_own) {
  std::vector<float> first, second;
  const auto said = thrown_by([&](const test::rank_place& place) {
    train_options own = options;
    if (place.rank == 1) own.isa = isa::scalar, own.telemetry = false, own.data_name = "elsewhere";
    const auto run = train(logistic{}, part(place.rank), all_reduce_engine{.workers = 1, .ranks = &place.ranks}, own);
    (place.rank == 0 ? first : second) = run.parameters;
  });
  EXPECT_THAT(said, Each(""));
  EXPECT_EQ(first, second);
}

TEST_F(ranks_of_one_run, have_one_model_with_the_same_numbers) {
  auto said = thrown_by([&](const test::rank_place& place) {
    const all_reduce_engine engine{.workers = 1, .ranks = &place.ranks};
    place.rank == 0 ? train(logistic{}, part(0), engine, options) : train(hinge_svm{}, part(1), engine, options);
  });
  EXPECT_THAT(said, Each(HasSubstr("the model: hinge_svm here, logistic on rank 0")));
  said = thrown_by([&](const test::rank_place& place) {
    huber model;
    if (place.rank == 1) model.delta = 3.5f;
    train(model, part(place.rank), all_reduce_engine{.workers = 1, .ranks = &place.ranks}, options);
  });
  EXPECT_THAT(said, Each(HasSubstr("the model's delta: 3.5 here, ")));
}

TEST_F(ranks_of_one_run, have_one_engine_with_the_same_options) {
  const auto refused = [&](const auto& zero, const auto& one) {
    return thrown_by([&](const test::rank_place& place) {
      const auto with = [&](auto engine) {
        engine.ranks = &place.ranks;
        if constexpr (requires { engine.link; }) engine.link = &place.link;
        train(logistic{}, part(place.rank), engine, options);
      };
      place.rank == 0 ? with(zero) : with(one);
    });
  };
  const all_reduce_engine gradients{.workers = 1};
  EXPECT_THAT(refused(gradients, local_sgd_engine{.workers = 1}),
              Each(HasSubstr("the engine: local_sgd here, all_reduce on rank 0")));
  EXPECT_THAT(refused(gradients, ring_engine{.workers = 1}),
              Each(HasSubstr("the engine: ring here, all_reduce on rank 0")));
  EXPECT_THAT(refused(gradients, all_reduce_engine{.workers = 1, .rows = 16}),
              Each(HasSubstr("the rows between two meetings: 16 here, 64 on rank 0")));
  EXPECT_THAT(refused(gradients, all_reduce_engine{.workers = 1, .scale_step = true}),
              Each(HasSubstr("scale_step: true here, false on rank 0")));
  EXPECT_THAT(refused(ring_engine{.workers = 1}, ring_engine{.workers = 1, .message_values = delta_values::as_half}),
              Each(HasSubstr("the values of messages: half here, float on rank 0")));
}

TEST_F(ranks_of_one_run, have_columns_divided_by_the_same) {
  const std::vector<float> halves(40, 2.0f), quarters(40, 4.0f);
  const auto refused = [&](column_scaling scaling, const std::vector<float>& scale) {
    return thrown_by([&](const test::rank_place& place) {
      sparse_view own = part(place.rank);
      own.scaling = column_scaling::max_abs, own.scale = halves;
      if (place.rank == 1) own.scaling = scaling, own.scale = scale;
      train(logistic{}, own, all_reduce_engine{.workers = 1, .ranks = &place.ranks}, options);
    });
  };
  EXPECT_THAT(refused(column_scaling::max_abs, halves), Each(""));
  EXPECT_THAT(refused(column_scaling::max_abs, quarters), Each(HasSubstr("rank 1 of 2: scale: max_abs, checksum ")));
  EXPECT_THAT(refused(column_scaling::none, {}),
              Each(AllOf(HasSubstr("rank 1 of 2: scale: none here, max_abs, checksum "), HasSubstr(" on rank 0"))));
}

TEST_F(ranks_of_one_run, begin_with_the_same_parameters) {
  const auto refused = [&](const auto& of_both) {
    return thrown_by([&](const test::rank_place& place) {
      auto engine = of_both;
      train_options own = options;
      own.initial = [&](std::span<float> w) { std::ranges::fill(w, place.rank == 0 ? 1.0f : 2.0f); };
      engine.ranks = &place.ranks;
      if constexpr (requires { engine.link; }) engine.link = &place.link;
      train(logistic{}, part(place.rank), engine, own);
    });
  };
  const auto told = Each(AllOf(HasSubstr("usage: rank 1 of 2: the parameters to begin with"), HasSubstr(": checksum "),
                               HasSubstr(" here, checksum "), HasSubstr(" on rank 0; give all ranks the same")));
  EXPECT_THAT(refused(all_reduce_engine{.workers = 1}), told);
  EXPECT_THAT(refused(local_sgd_engine{.workers = 1}), told);
  EXPECT_THAT(refused(ring_engine{.workers = 1}), told);
}

TEST_F(ranks_of_one_run, have_labels_of_two_values_in_all) {
  test::toy_rows others = toy;
  for (float& label : others.label) label = label > 0 ? 1.0f : 0.0f;
  const csr_rows of_others = others.csr();
  const auto said = thrown_by([&](const test::rank_place& place) {
    train(logistic{}, place.rank == 0 ? part(0) : of_others.view().slice(100, 200),
          local_sgd_engine{.workers = 1, .ranks = &place.ranks}, options);
  });
  EXPECT_THAT(said, Each(HasSubstr("rank 1 of 2: the labels of the rows: 0 and 1 here, -1 and 1 on rank 0")));
}

/// Several models that ranks divide are trained on the same rows by all.
struct ranks_that_divide : ranks_of_one_run {
  std::vector<std::string> ensemble(const csr_rows& of_second, const train_options& other) const {
    return thrown_by([&](const test::rank_place& place) {
      const sparse_view& own = place.rank == 0 ? rows.view() : of_second.view();
      train_ensemble(logistic{}, own, all_reduce_engine{.workers = 1, .ranks = &place.ranks}, {.models = 4},
                     place.rank == 0 ? options : other);
    });
  }
};

TEST_F(ranks_that_divide, models_or_folds_train_with_no_other_option) {
  for (const auto& [name, ranks, resume, other, changed] : test::changed_options(options)) {
    if (ranks == between_ranks::own) continue;
    SCOPED_TRACE(name);
    // An option that several models refuse is refused by the rank that has it, or reported as different.
    EXPECT_THAT(ensemble(rows, other), Each(HasSubstr("rank 1 of 2: ")));
  }
  for (const auto& [name, changed] : std::vector<std::pair<std::string, std::function<void(train_options&)>>>{
           {"batch", [](train_options& o) { o.batch = 4; }},
           {"weights.of_labels",
            [](train_options& o) {
              o.weights.of_labels = {{1.0, 9.0}};
            }},
           {"constants.momentum", [](train_options& o) { o.constants.momentum = 0.5; }},
           {"update", [](train_options& o) { o.update = update_kind::exact; }}}) {
    train_options other = options;
    changed(other);
    EXPECT_THAT(ensemble(rows, other), Each(HasSubstr("usage: rank 1 of 2: " + name + ": ")));
    const auto of_folds = thrown_by([&](const test::rank_place& place) {
      cross_validate(logistic{}, rows.view(), local_sgd_engine{.workers = 1, .ranks = &place.ranks}, 3,
                     place.rank == 0 ? options : other);
    });
    if (name == "update") continue;  // which folds, of one worker each, do not have
    EXPECT_THAT(of_folds, Each(HasSubstr("rank 1 of 2: ")));
  }
}

TEST_F(ranks_that_divide, models_have_the_same_rows) {
  test::toy_rows other = toy;
  other.label[57] = -other.label[57];
  EXPECT_THAT(ensemble(other.csr(), options), Each(HasSubstr("rank 1 of 2: the rows: 200 rows, ")));
  other = toy;
  other.value[91] += 0.5f;
  EXPECT_THAT(ensemble(other.csr(), options), Each(HasSubstr("rank 1 of 2: the rows: 200 rows, ")));
}

TEST(same_labels, of_a_source_that_all_ranks_have_read_are_found_by_row) {
  const test::toy_rows toy = test::planted_classification({.rows = 300, .columns = 40, .per_row = 5});
  for (const std::size_t row : {0u, 123u, 299u}) {
    const auto said = thrown_by([&](const test::rank_place& place) {
      test::toy_rows own = toy;
      if (place.rank == 1)
        for (std::size_t r = row; r < own.label.size(); r += 7) own.label[r] = 5.0f;
      const csr_rows rows = own.csr();
      detail::require_same_labels(rows.view(), "rows.svm", agreement(&place.ranks));
    });
    EXPECT_THAT(said,
                Each(HasSubstr("rank 1 of 2: the label of row " + std::to_string(row + 1) + " of rows.svm: 5 here, ")));
  }
}

}  // namespace
}  // namespace hogwild
