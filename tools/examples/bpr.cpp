// SPDX-License-Identifier: Apache-2.0
// Learns which items to recommend from files of pairs, "user item" or "user item item ...": bpr TRAIN TEST
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include <hogwild/embeddings.hpp>
#include <hogwild/formats/pairs.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>

/// log(1 + e^-x) with x = p_u . (q_i - q_j) for a pair of a user u and an item i, where j is drawn among the items that
/// u does not have, and l2 of the three vectors.
struct bpr : hogwild::pair_shape {
  using kernel_model = bpr;  // the library has loops for this loss, which several times outrun gradient()
  static constexpr hogwild::training_defaults defaults{
      .step = 0.05, .schedule = hogwild::schedule_kind::constant, .l2 = 0.01, .form = hogwild::l2_form::per_occurrence};
  struct compared {
    std::array<std::size_t, 3> rows{};               // where the parameters of u, i and j begin
    float weight = 0.0f;                             // 0: one of them is unknown
    std::array<std::array<float, 64>, 3> vectors{};  // the parameters, and later their gradients
  };
  struct workspace {
    std::shared_ptr<const hogwild::pair_side> side;
    std::vector<compared> pairs;
    hogwild::row_sums sums;
  };
  workspace make_workspace(const auto& in, auto set, auto n) const { return make_workspace(in, make_side(in), set, n); }
  workspace make_workspace(const auto&, const auto& side, hogwild::isa, std::size_t batch) const {
    return {side, std::vector<compared>(batch), hogwild::row_sums(width())};
  }
  std::optional<std::uint32_t> other_item(const auto& side, std::uint32_t user, const auto& random) const {
    for (std::size_t k = 0; k < 16; ++k)
      if (const auto item = side.items.draw(random.bits(k)); !side.known.contains(user, item)) return item;
    return std::nullopt;
  }
  void take(workspace& s, std::size_t k, const hogwild::sparse_row<float>& z, const auto& random) const {
    const auto pair = pair_of(z.index);
    const auto other = pair ? other_item(*s.side, pair->first, random) : std::nullopt;
    s.pairs[k].weight = other ? z.weight * z.label * s.side->per_weight : 0.0f;
    if (other) s.pairs[k].rows = {user_row(pair->first), item_row(pair->second), item_row(*other)};
  }
  float read(const auto& w, compared& c) const {
    for (std::size_t i = 0; i < 3; ++i) w.block(c.rows[i], width()).copy_to(c.vectors[i]);
    float x = 0.0f;
    for (std::size_t f = 0; f < width(); ++f) x += c.vectors[0][f] * (c.vectors[1][f] - c.vectors[2][f]);
    return x;
  }
  void gradient(const auto& w, workspace& s, std::size_t n, const auto& emit) const {
    for (compared& c : std::span(s.pairs).first(n)) {
      if (c.weight == 0.0f) continue;
      const float slope = -c.weight / (1.0f + std::exp(read(w, c)));
      for (std::size_t f = 0; f < width(); ++f) {
        const float p = c.vectors[0][f], q = c.vectors[1][f] - c.vectors[2][f];
        c.vectors[0][f] = slope * q, c.vectors[1][f] = slope * p, c.vectors[2][f] = -slope * p;
      }
      for (std::size_t i = 0; i < 3; ++i) s.sums.add(c.rows[i], c.vectors[i], 1.0f);
    }
    s.sums.emit(emit);
  }
  void score(const auto& w, workspace& s, std::size_t n, std::span<hogwild::row_score> scores) const {
    for (std::size_t k = 0; k < n; ++k)
      scores[k].loss = s.pairs[k].weight == 0.0f ? 0.0 : std::log1p(std::exp(-read(w, s.pairs[k])));
  }
  double squares_touched(std::span<const float> w, const workspace& s, std::size_t k) const {
    double sum = 0.0;
    if (s.pairs[k].weight == 0.0f) return sum;
    for (const std::size_t row : s.pairs[k].rows)
      for (const float v : w.subspan(row, width())) sum += static_cast<double>(v * v);
    return sum;
  }
};

int main(int argc, char** argv) {
  if (argc < 3) return std::puts("usage: bpr TRAIN TEST"), 2;
  const auto data = hogwild::open_pairs(argv[1]);
  const auto numbering = data.numbering();
  const auto test = hogwild::open_pairs(argv[2], {}, {.numbering = &numbering});
  const std::size_t users = hogwild::count_users(data.view().original), items = data.features() - users;
  const auto run = hogwild::train(bpr{{.users = users, .items = items, .bias = false}}, data, hogwild::thread_engine{},
                                  {.epochs = 40, .test = test.view()});
  std::printf("loss %.4f, recall@20 %.4f\n", run.train_loss, run.test->recall_at_20.value());
}
