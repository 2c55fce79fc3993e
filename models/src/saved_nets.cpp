// SPDX-License-Identifier: Apache-2.0
#include "saved_nets.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include <hogwild/core/error.hpp>

namespace hogwild::detail {
namespace {

struct plain_block {
  std::span<const float> w;
  void copy_to(std::span<float> out) const { std::ranges::copy(w, out.begin()); }
};
/// Reads parameters that nobody writes any more.
struct plain_reader {
  std::span<const float> w;
  plain_block block(std::size_t offset, std::size_t n) const { return {w.subspan(offset, n)}; }
};

/// Workspaces for as many threads as ask at the same time. Whoever asks borrows one.
template <class Net>
class shared_net final : public saved_net {
 public:
  shared_net(const Net& m, const saved_model& saved) : model_(m), columns_(saved.columns), parameters_(saved.weights) {
    parameters_.insert(parameters_.end(), saved.bias.begin(), saved.bias.end());
    if (parameters_.size() != m.dim() || saved.labels.kind() != m.labels || saved.labels.classes() > m.classes)
      throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
    give_back(make(1));  // a net that does not suit the columns is refused now
  }

  row_verdict verdict(const sparse_row<float>& z) override {
    auto space = borrow();
    model_.take(*space, 0, z, counter_random(0, 0));
    row_verdict verdict;
    model_.judge(plain_reader{parameters_}, *space, 1, {&verdict, 1});
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
            model_.judge(plain_reader{parameters_}, *space, verdicts.size(), verdicts);
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

void require_parameters(bool fit) {
  if (!fit) throw config_error("these parameters are not those of this net");
}

}  // namespace

saved_model net_to_saved(const mlp& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks) {
  require_parameters(parameters.size() == m.dim() && ranks.size() == m.features);
  saved_model saved;
  saved.model_options.emplace_back("scale", static_cast<double>(m.scale));
  std::string name = "hidden1";
  for (const std::uint32_t width : m.hidden) {
    if (width == 0) continue;
    saved.model_options.emplace_back(name, static_cast<double>(width));
    ++name.back();
  }
  saved.width = m.groups().front().width;
  for (const std::uint32_t rank : ranks) {
    const auto row = parameters.subspan(rank * saved.width, saved.width);
    saved.weights.insert(saved.weights.end(), row.begin(), row.end());
  }
  const auto rest = parameters.subspan(saved.weights.size());
  saved.bias.assign(rest.begin(), rest.end());
  return saved;
}

saved_model net_to_saved(const convnet& m, std::span<const float> parameters, std::span<const std::uint32_t>) {
  require_parameters(parameters.size() == m.dim());
  saved_model saved;
  saved.model_options.emplace_back(m.net().name, 1.0);
  saved.width = 0;
  saved.bias.assign(parameters.begin(), parameters.end());
  return saved;
}

void choose_net(const saved_model& saved, model_choice& choice) {
  choice.classes = saved.labels.classes();
  choice.hidden.clear();
  for (const auto& [name, value] : saved.model_options) {
    if (name == "scale") choice.scale = value;
    if (name.starts_with("hidden") && value >= 1.0 && value <= 65'536.0)
      choice.hidden.push_back(static_cast<std::uint32_t>(value));
    for (const image_net* net : image_nets)
      if (name == net->name) choice.net = name;
  }
}

std::shared_ptr<saved_net> read_net(const mlp& m, const saved_model& saved) {
  return std::make_shared<shared_net<mlp>>(m, saved);
}
std::shared_ptr<saved_net> read_net(const convnet& m, const saved_model& saved) {
  return std::make_shared<shared_net<convnet>>(m, saved);
}

}  // namespace hogwild::detail
