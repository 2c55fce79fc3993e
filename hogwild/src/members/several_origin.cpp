// SPDX-License-Identifier: Apache-2.0
#include "members/several_origin.hpp"

#include <span>
#include <string>
#include <utility>

#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>

#include "task/require.hpp"

namespace hogwild::detail {

namespace {

void add_models(std::vector<named_value>& all, const several_plan& plan) {
  all.push_back({"the number of models", std::to_string(plan.models)});
  all.push_back({"how the models are combined", std::string(name_of(plan))});
  all.push_back({"the rows of each model", plan.rows == member_rows_kind::classes     ? "a class against the rest"
                                           : plan.rows == member_rows_kind::bootstrap ? "a bootstrap"
                                                                                      : "a shard"});
}

}  // namespace

void complete(several_plan& plan, const prepared_task& all, std::size_t ranks) {
  if (plan.rows == member_rows_kind::classes) {
    require(all.data.labels().classes() > 2,
            "the rows have two labels, for which one model is enough: leave out one class against the rest");
    plan.models = all.data.labels().classes();
  }
  require(plan.models <= all.data.train().rows() || plan.rows != member_rows_kind::shards,
          "there are more shards, " + std::to_string(plan.models) + ", than rows, " +
              std::to_string(all.data.train().rows()));
  require(plan.models >= ranks, "there are more ranks, " + std::to_string(ranks) + ", than models, " +
                                    std::to_string(plan.models) + ", which they divide: start one for each at most");
  if (plan.initial) {
    plan.begin.assign(all.task->facts().parameters * plan.models, 0.0f);
    plan.initial(plan.begin);
  }
}

std::vector<named_value> what_is_trained(const several_plan& plan, const prepared_task& all) {
  const task_facts& facts = all.task->facts();
  std::vector<named_value> mine{compared_build()};
  add_model(mine, facts.model, facts.numbers, facts.hyperparameters);
  add_models(mine, plan);
  mine.push_back({"whether workers may train models of their own", plan.own_models ? "true" : "false"});
  mine.push_back({"the initial parameters",
                  plan.begin.empty() ? "" : "checksum " + std::to_string(checksum(std::span(plan.begin)))});
  mine.push_back({"resume", plan.resume.empty() ? "" : "given"});
  for (named_value& one : compared_options(all.data.options())) mine.push_back(std::move(one));
  mine.push_back({"the rows", text_of_rows(all.data.train()), exit_code::input});
  return mine;
}

checkpoint_origin origin_of(const several_plan& plan, const prepared_task& all, bool side_by_side) {
  const task_facts& facts = all.task->facts();
  std::vector<named_value> same;
  add_numbers_of_model(same, facts.numbers, facts.hyperparameters);
  add_models(same, plan);
  same.push_back({"the initial parameters", plan.begin.empty() ? "" : "given"});
  for (named_value& one : resumed_options(decided_options(all.data.options(), all.data.loop())))
    same.push_back(std::move(one));
  same.push_back({"the labels", "checksum " + std::to_string(checksum(all.data.labels().values()))});
  same.push_back({"the rows", text_of_rows(all.data.train())});
  same.push_back({"how the models are trained", side_by_side ? "side by side" : "one by one"});
  return {facts.model, std::move(same)};
}

}  // namespace hogwild::detail
