// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/evaluate.hpp>
#include <hogwild/job.hpp>
#include <hogwild/sharing/direct.hpp>
#include <hogwild/vector_passes.hpp>
#include <hogwild/worker_loop.hpp>

namespace hogwild {

/// A general model on its data.
template <general_model M>
class general_job final : public job {
 public:
  using scalar = typename M::scalar_type;

  general_job(const M& m, const sparse_view& data, label_map labels, const loop_options& options)
      : job(data, std::move(labels), options), model_(m) {}

  std::string_view model_name() const override { return hogwild::model_name<M>(); }
  std::size_t parameters() const override { return model_.dim(); }
  std::size_t scalar_bytes() const override { return sizeof(scalar); }
  std::span<const std::byte> model_bytes() const override {
    if constexpr (segment_storable<M>) return std::as_bytes(std::span(&model_, 1));
    return {};
  }
  bool scaled() const override { return false; }

  void initialise(const param_store& store) const override {
    if constexpr (requires(param_view<scalar> w, counter_random r) { model_.init(w, r); }) {
      model_.init(param_view<scalar>(store.parameters<scalar>()), counter_random(options_.seed, 0x696e6974u));
    }
  }

  void work(const param_store& store, std::size_t slot) const override {
    const step_context context{labels_, data_.degree, data_.rows(), options_};
    with_update(options_.update, [&]<class Update>() {
      using sharing_type = direct_sharing<scalar, Update>;
      const sharing_type sharing(store, slot);
      const auto run = [&](auto optimizer) {
        general_step<M, sharing_type, decltype(optimizer)> step(sharing, model_, optimizer, context);
        worker_loop(store, slot, data_, plan_, options_, step);
      };
      if (options_.optimizer == optimizer_kind::sgd)
        run(sgd<scalar, Update>(sharing.parameters()));
      else
        run(adagrad<scalar, Update>(sharing.parameters(), sharing.state(0)));
    });
  }

  measurement evaluate(const param_store& store, double, const sparse_view& rows, team& crew,
                       bool all_measures) const override {
    const auto w = param_view<scalar>(store.parameters<scalar>()).reader();
    constexpr bool predicts = requires(typename M::example_type z) {
      {model_.predict(w, z)};
    };
    return evaluate_rows(
        rows, labels_, options_.weight_positive, crew,
        [&](const typename M::example_type& z) -> row_verdict {
          row_verdict v{model_.loss(w, z), 0.0f};
          if constexpr (predicts) v.score = static_cast<float>(model_.predict(w, z));
          return v;
        },
        all_measures&& predicts);
  }

  double squared_norm(const param_store& store, double, team& crew) const override {
    double sum = 0.0;
    for (const parameter_group& g : groups_of(model_)) {
      if (g.l2) sum += sum_of_squares(store.parameters<scalar>().subspan(g.offset, g.rows * g.width), crew);
    }
    return sum;
  }

  void fold(const param_store&, double, team&) const override {}

  std::vector<float> parameters_of(const param_store& store, double) const override {
    const auto stored = store.parameters<scalar>();
    return {stored.begin(), stored.end()};
  }

  std::unique_ptr<job> on(const sparse_view& rows) const override {
    return std::make_unique<general_job>(model_, rows, labels_, options_);
  }

 private:
  M model_;
};

}  // namespace hogwild
