// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/param_store.hpp>
#include <hogwild/margin_job.hpp>

#include <utility>

#include <hogwild/evaluate.hpp>
#include <hogwild/sharing/dispatch.hpp>
#include <hogwild/train.hpp>
#include <hogwild/vector_passes.hpp>
#include <hogwild/worker_loop.hpp>

namespace hogwild {

margin_job::margin_job(std::shared_ptr<const void> kept, const margin_loss& loss, task_facts facts,
                       const sparse_view& data, label_map labels, const loop_options& options)
    : job(std::move(facts), data, std::move(labels), options), kept_(std::move(kept)), loss_(loss) {}

std::unique_ptr<job> margin_job::on(const sparse_view& rows) const {
  task_facts facts = facts_;
  facts.measured_rows = rows.rows();
  return std::make_unique<margin_job>(kept_, loss_, std::move(facts), rows, labels_, options_alone());
}

std::unique_ptr<job> make_margin_job(std::shared_ptr<const void> kept, const margin_loss& loss, task_facts facts,
                                     const sparse_view& data, label_map labels, const loop_options& options) {
  return std::make_unique<margin_job>(std::move(kept), loss, std::move(facts), data, std::move(labels), options);
}

template <template <class> class Step, class Sharing>
void margin_job::row_by_row(const worker_context& at, const Sharing& sharing) const {
  const step_context context{labels_, data_.degree, all_rows(), at.plan.options};
  Step<Sharing> step(sharing, loss_, context);
  worker_loop(at.store, at.slot, data_, at.plan.chunks, at.plan.options, step);
}

template <class Sharing>
void margin_job::by_batches(const worker_context& at, const Sharing& sharing) const {
  const step_context context{labels_, data_.degree, all_rows(), at.plan.options};
  const auto run = [&]<class Index, class Value>() {
    margin_batch_step<Sharing, Index, Value> step(sharing, loss_, context, data_);
    worker_loop(at.store, at.slot, data_, at.plan.chunks, at.plan.options, step);
  };
  if (data_.has_narrow_index())
    data_.has_narrow_value() ? run.template operator()<std::uint16_t, half>()
                             : run.template operator()<std::uint16_t, float>();
  else
    data_.has_narrow_value() ? run.template operator()<std::uint32_t, half>()
                             : run.template operator()<std::uint32_t, float>();
}

void margin_job::work(const worker_context& at) const {
  // A chunk of rows in another order than they are stored has no run of columns of its own.
  const std::size_t frequent = at.plan.options.order == row_order::chunked ? data_.frequent : data_.columns;
  with_sharing<float, sharing_choices::and_head>(at, facts_.groups, frequent, [&](const auto& sharing) {
    if (at.plan.options.optimizer != optimizer_kind::sgd) {
      if constexpr (requires { sharing.state(0); }) row_by_row<margin_adagrad_step>(at, sharing);
    } else if constexpr (requires { sharing.values(); }) {
      // On an array that nobody else writes meanwhile kernels train several rows at once.
      by_batches(at, sharing);
    } else {
      row_by_row<margin_sgd_step>(at, sharing);
    }
  });
}

measurement margin_job::evaluate(const param_store& store, double scale, const sparse_view& rows, team& crew,
                                 bool all_measures, const std::stop_token& stop) const {
  const param_reader<float> v = param_view<float>(store.parameters<float>()).reader();
  const auto a = static_cast<float>(scale);
  const float bias = options_.bias ? v[v.size() - 1] : 0.0f;
  return evaluate_rows(
      rows, labels_, options_.weight_positive, crew,
      [&](const sparse_row<float>& z) -> row_verdict {
        const float margin = a * dot(v, z) + bias;
        return {loss_.loss(margin, z.label), loss_.prediction(margin)};
      },
      all_measures, measure_scores, stop);
}

double margin_job::squared_norm(const param_store& store, double scale, team& crew) const {
  return scale * scale * sum_of_squares(store.parameters<float>().first(data_.columns), crew);
}

void margin_job::fold(const param_store& store, double scale, team& crew) const {
  multiply_all(store.parameters<float>().first(data_.columns), static_cast<float>(scale), crew);
}

std::vector<float> margin_job::parameters_of(const param_store& store, double scale) const {
  const auto stored = store.parameters<float>();
  std::vector<float> w(stored.begin(), stored.end());
  for (std::size_t j = 0; j < data_.columns; ++j) w[j] *= static_cast<float>(scale);
  return w;
}

}  // namespace hogwild
