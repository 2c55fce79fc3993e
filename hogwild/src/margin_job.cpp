// SPDX-License-Identifier: Apache-2.0
#include <hogwild/margin_job.hpp>

#include <hogwild/evaluate.hpp>
#include <hogwild/sharing/direct.hpp>
#include <hogwild/step.hpp>
#include <hogwild/vector_passes.hpp>
#include <hogwild/worker_loop.hpp>

namespace hogwild {

margin_job_base::margin_job_base(const sparse_view& data, label_map labels, const loop_options& options)
    : job(data, std::move(labels), options) {}

void margin_job_base::work(const param_store& store, std::size_t slot) const {
  const step_context context{labels_, data_.degree, data_.rows(), options_};
  with_update(options_.update, [&]<class Update>() {
    const direct_sharing<float, Update> sharing(store, slot);
    if (options_.optimizer == optimizer_kind::sgd) {
      margin_sgd_step step(sharing, loss(), context);
      worker_loop(store, slot, data_, plan_, options_, step);
    } else {
      margin_adagrad_step step(sharing, loss(), context);
      worker_loop(store, slot, data_, plan_, options_, step);
    }
  });
}

measurement margin_job_base::evaluate(const param_store& store, double scale, const sparse_view& rows, team& crew,
                                      bool all_measures) const {
  const param_reader<float> v = param_view<float>(store.parameters<float>()).reader();
  const margin_loss of = loss();
  const auto a = static_cast<float>(scale);
  const float bias = options_.bias ? v[v.size() - 1] : 0.0f;
  return evaluate_rows(
      rows, labels_, options_.weight_positive, crew,
      [&](const sparse_row<float>& z) -> row_verdict {
        const float margin = a * dot(v, z) + bias;
        return {of.loss(margin, z.label), margin};
      },
      all_measures);
}

double margin_job_base::squared_norm(const param_store& store, double scale, team& crew) const {
  return scale * scale * sum_of_squares(store.parameters<float>().first(data_.columns), crew);
}

void margin_job_base::fold(const param_store& store, double scale, team& crew) const {
  multiply_all(store.parameters<float>().first(data_.columns), static_cast<float>(scale), crew);
}

std::vector<float> margin_job_base::parameters_of(const param_store& store, double scale) const {
  const auto stored = store.parameters<float>();
  std::vector<float> w(stored.begin(), stored.end());
  for (std::size_t j = 0; j < data_.columns; ++j) w[j] *= static_cast<float>(scale);
  return w;
}

}  // namespace hogwild
