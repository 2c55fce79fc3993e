// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/loop/rating_blocks.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/matrix_factorization.hpp>

#include "bringing.hpp"
#include "kernel_family.hpp"
#include "kernels/factor_rows.hpp"
#include "kernels/loss_rows.hpp"

namespace hogwild::device {
namespace {

matrix_factorization factorization_of(const training_task& task) {
  matrix_factorization model;
  std::memcpy(&model, task.facts().model_bytes.data(), sizeof model);
  return model;
}

/// How often users and items occur.
struct popularity {
  explicit popularity(const sparse_view& ratings) {
    // They may not have been counted yet.
    const std::vector<std::uint32_t> counted =
        ratings.degree.empty() ? count_columns(ratings) : std::vector<std::uint32_t>();
    for (const std::uint32_t degree : ratings.degree.empty() ? std::span(counted) : ratings.degree) {
      const double fraction = static_cast<double>(degree) / static_cast<double>(ratings.rows());
      largest = std::max(largest, fraction);
      in_common += fraction * fraction;
    }
  }
  double largest = 0.0;    ///< fraction of all ratings that the most popular one has
  double in_common = 0.0;  ///< mean number of users and items that two ratings have in common
};

class factors_on_device final : public device_model {
 public:
  factors_on_device(runtime& device, const training_task& task, const device_arrays& arrays, const loop_options& o,
                    std::uint64_t block_bytes)
      : device_(device), epoch_rows_(static_cast<double>(std::max<std::size_t>(task.data().rows(), 1))) {
    const matrix_factorization model = factorization_of(task);
    read_ratings(task.data(), model);
    if (block_bytes == 0)
      work_.ratings = brought<rating>(device, ratings_, device_ratings_);
    else
      blocks_.emplace(device, block_bytes);
    arrays.name_in(work_);
    if (arrays.halves) work_.halves = arrays.halves->data();
    if (o.optimizer == optimizer_kind::row_adagrad) work_.sums = arrays.values[1].data();
    work_.users = model.users;
    work_.columns = model.users + model.items;
    work_.width = static_cast<std::uint32_t>(model.width());
    work_.bias = model.bias;
    work_.mean = model.mean;
    work_.l2 = static_cast<float>(o.l2);
    if (o.form == l2_form::by_degree && o.l2 != 0.0) {
      degree_.assign(task.data().degree.begin(), task.data().degree.end());
      work_.degree = brought<std::uint32_t>(device, degree_, device_degree_);
      work_.l2_rows = static_cast<float>(o.l2 * static_cast<double>(task.all_rows()));
    }
    work_.update = o.update;
    work_.rows_in_flight = std::max(o.rows_in_flight, 1u);
    if (device.facts().host_memory) return;
    device.wait(device.mark());
    if (!blocks_) ratings_ = {};
    degree_ = {};
  }

  void begin(const round_plan& round, double position) override {
    work_.step = static_cast<float>(round.step_at(position / epoch_rows_));
    work_.epoch_step = static_cast<float>(round.step);
  }

  std::size_t room_for(std::size_t, std::size_t count) const override {
    return blocks_ ? std::min<std::size_t>(count, blocks_->bytes() / sizeof(rating)) : count;
  }

  kernel_launch train(std::size_t first, std::size_t count) override {
    if (blocks_) {
      rating* const block = reinterpret_cast<rating*>(blocks_->next());
      device_.upload_ahead(block, ratings_.data() + first, count * sizeof(rating));
      work_.ratings = counted_from(block, first);
    }
    work_.first = first;
    work_.count = count;
    kernel_launch launch{.warps = work_.rows_in_flight, .on_host = [work = work_](std::size_t part, std::size_t parts) {
                           train_factor_rows(work, part, parts);
                         }};
#if defined(HOGWILD_HAS_CUDA)
    launch.on_device = [work = work_](void* stream) {
      return work.halves != nullptr ? launch_half_factor_rows(work, stream) : launch_factor_rows(work, stream);
    };
#endif
    return launch;
  }

  bool measures() const override {
    return !blocks_;
  }

  kernel_launch measure(const rows_to_measure& rows) override {
    loss_work<factor_work> work{work_};
    work.first = rows.first;
    work.count = rows.count;
    work.loss_sums = rows.sums;
    work.rows_in_flight = static_cast<std::uint32_t>(loss_sums_of(rows.count));
    work.updates = nullptr;
    kernel_launch launch{.warps = work.rows_in_flight, .on_host = [work](std::size_t part, std::size_t parts) {
                           add_factor_losses(work, part, parts);
                         }};
#if defined(HOGWILD_HAS_CUDA)
    launch.on_device = [work](void* stream) { return launch_factor_losses(work, stream); };
#endif
    return launch;
  }

  std::uint64_t nonzeros(std::size_t, std::size_t count) const override {
    return 2 * count;
  }

 private:
  void read_ratings(const sparse_view& rows, const matrix_factorization& model) {
    ratings_.reserve(rows.rows());
    in_short_parts(device_, rows.rows(), [&](std::size_t first, std::size_t count) {
      const rating_list some = ratings_of(rows.slice(first, first + count), model.users, model.items);
      ratings_.insert(ratings_.end(), some.ratings.begin(), some.ratings.end());
    });
  }

  runtime& device_;
  double epoch_rows_;
  std::vector<rating> ratings_;  ///< empty if all of them stay on the device
  std::vector<std::uint32_t> degree_;
  std::optional<buffer<rating>> device_ratings_;
  std::optional<row_blocks> blocks_;
  std::optional<buffer<std::uint32_t>> device_degree_;
  factor_work work_;
};

class factor_family final : public kernel_family {
 public:
  bool trains(const training_task& task) const override {
    return task.facts().model == matrix_factorization::name &&
           task.facts().model_bytes.size() == sizeof(matrix_factorization);
  }

  void require_options(const loop_options& options) const override {
    if (options.optimizer != optimizer_kind::sgd && options.optimizer != optimizer_kind::row_adagrad)
      throw config_error("a device trains factors by sgd or row_adagrad: choose one of them, or threads or processes");
    if (options.frozen_groups != 0)
      throw config_error(
          "a device trains all groups of factors: leave out the frozen ones, or use threads or processes");
    if (options.ownership == ownership_kind::blocks)
      throw config_error(
          "ratings of a block have few users and items, and a device trains many at once: leave out the "
          "ownership");
  }

  void require_model(const training_task& task, int) const override {
    if (!task.data().weight.empty())
      throw config_error(
          "a device trains ratings that weigh the same: leave out the weights, or use threads or processes");
  }

  std::size_t halves(const training_task& task) const override {
    const matrix_factorization model = factorization_of(task);
    return (model.users + model.items) * model.width();
  }

  double rows_in_flight(run_planner& run) const override {
    const matrix_factorization model = factorization_of(run.task());
    const popularity known(run.task().data());
    // All figures are from simulations on MovieLens 1M. If no add is lost, twice as many ratings in flight as the
    // smaller of users and items end with the same error as one by one; no device has more warps than `most`.
    constexpr double most = 16'384;
    double exact = std::min(2.0 * static_cast<double>(std::min(model.users, model.items)), most);
    // The ratings in flight of one item are one step together, for which the item's bias alone has a curvature of 1
    // each: this is half of what is stable.
    if (run.loop().optimizer == optimizer_kind::sgd)
      exact = std::min(exact, 1.0 / std::max(run.step() * known.largest, 1e-9));
    if (run.loop().update == update_kind::exact) return exact;
    // If lossy updates have a user or an item in common, only one of them counts. If every eighth has one in common
    // with another, the error rises by 0.2 %; with the number that suits exact updates it rises by 9 %.
    const double lossy = std::max(std::min(exact, 0.125 / std::max(known.in_common, 1e-9)), 1.0);
    if (2.0 * lossy < exact)
      run.note(
          "ratings that a device trains at once overwrite each other's lossy updates: so that the error does not "
          "suffer it trains " +
          std::to_string(static_cast<std::uint64_t>(lossy)) + " at once; with exact updates " +
          std::to_string(static_cast<std::uint64_t>(exact)));
    return lossy;
  }

  std::uint64_t bytes(const training_task& task, const loop_options&) const override {
    return task.data().rows() * sizeof(rating) + task.data().degree.size_bytes();
  }

  stream_needs needs_of_stream(const training_task& task, const loop_options&) const override {
    return {.stays = task.data().degree.size_bytes(), .least_block = sizeof(rating)};
  }

  std::unique_ptr<device_model> bring(runtime& device, const training_task& task, const device_arrays& arrays,
                                      const loop_options& options, std::uint64_t block_bytes) const override {
    return std::make_unique<factors_on_device>(device, task, arrays, options, block_bytes);
  }
};

}  // namespace

const kernel_family& rating_kernels() {
  static constexpr factor_family family{};
  return family;
}

}  // namespace hogwild::device
