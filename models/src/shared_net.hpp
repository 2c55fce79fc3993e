// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/core/dataset.hpp>
#include <hogwild/core/isa.hpp>
#include <hogwild/core/model.hpp>
#include <hogwild/core/random.hpp>

#include "quiet_reader.hpp"
#include "saved_nets.hpp"

namespace hogwild::detail {

/// A model with a workspace and its parameters, and workspaces for as many threads as ask at the same time. Whoever
/// asks borrows one.
template <workspace_model Net>
class shared_net final : public saved_net {
 public:
  /// `columns` are the input numbers of the model's columns.
  shared_net(const Net& m, std::vector<std::uint32_t> columns, std::vector<float> parameters)
      : model_(m), columns_(std::move(columns)), parameters_(std::move(parameters)) {
    give_back(make(1));  // a model that does not suit the columns is refused now
  }

  row_verdict verdict(const sparse_row<float>& z) override {
    auto space = borrow();
    model_.take(*space, 0, z, counter_random(0, 0));
    row_verdict verdict;
    model_.judge(quiet_reader{parameters_}, *space, 1, {&verdict, 1});
    give_back(std::move(space));
    return verdict;
  }

  predictor::batch_judge judge(std::size_t most) override {
    const std::shared_ptr<workspace> space = make(most);
    return
        [this, space](std::size_t k, const sparse_row<float>* z, std::size_t number, std::span<row_verdict> verdicts) {
          if (z != nullptr)
            model_.take(*space, k, *z, counter_random(0, number));
          else
            model_.judge(quiet_reader{parameters_}, *space, verdicts.size(), verdicts);
        };
  }

  void require_data(const sparse_view& rows, std::string_view source) const override {
    model_.require_data(rows, source);
  }

 private:
  using workspace = typename Net::workspace;

  std::unique_ptr<workspace> make(std::size_t most) const {
    sparse_view data;
    data.columns = columns_.size();
    data.original = columns_;
    return std::make_unique<workspace>(model_.make_workspace(data, isa::automatic, most));
  }
  std::unique_ptr<workspace> borrow() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto space = std::move(idle_.back());
        idle_.pop_back();
        return space;
      }
    }
    return make(1);
  }
  void give_back(std::unique_ptr<workspace> space) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(space));
  }

  Net model_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> parameters_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<workspace>> idle_;
};

}  // namespace hogwild::detail
