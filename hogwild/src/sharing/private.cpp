// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/private.hpp>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/sharing/replica.hpp>
#include <hogwild/detail/sharing/virtual_replica.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {
namespace {

/// The whole arrays of a store.
template <parameter T>
class whole_arrays : public private_arrays<T> {
 protected:
  explicit whole_arrays(const param_store& store) : private_arrays<T>(nullptr) {
    this->values_.push_back(store.parameters<T>());
    for (std::size_t k = 0; k < store.shape().state_arrays; ++k) this->values_.push_back(store.state<T>(k));
  }
};

/// A worker that has the shared arrays alone and exchanges with nobody: takes the place of a replica.
template <parameter T>
class arrays_alone final : public whole_arrays<T> {
 public:
  explicit arrays_alone(const param_store& store) : whole_arrays<T>(store) {}

  void begin_round(const round_plan&) override {}
};

/// A rank of a synchronous engine: its store is the rank's own (param_store::replica_view). After a fixed number of
/// rows all ranks meet, which the hook waits for. A rank that has no more rows goes on meeting the others until they
/// have none, too.
template <parameter T>
class averaged_arrays final : public whole_arrays<T> {
 public:
  averaged_arrays(const param_store& store, exchange_hook& hook) : whole_arrays<T>(store), hook_(hook) {}

  void begin_round(const round_plan& round) override {
    this->period_ = round.exchange_rows;
    this->rows_ = 0;
  }
  void end_round() override { hook_.ended(); }

 private:
  void exchange_now(race_probe&) override {
    this->rows_ = 0;
    hook_.exchanged(0);
  }

  exchange_hook& hook_;
};

}  // namespace

template <parameter T>
std::unique_ptr<private_arrays<T>> private_arrays_of(access_kind kind, const worker_context& at,
                                                     const std::vector<parameter_group>& groups,
                                                     std::size_t first_singleton) {
  if (kind == access_kind::alone) return std::make_unique<arrays_alone<T>>(at.store);
  if (kind == access_kind::deterministic)
    return std::make_unique<virtual_replica<T>>(at.store, at.slot, groups, first_singleton, at.plan.options.halves);
  if (kind == access_kind::averaged) return std::make_unique<averaged_arrays<T>>(at.store, *at.hook);
  return std::make_unique<replica<T>>(at.store, at.slot, at.memory, groups, static_cast<std::size_t>(-1),
                                      first_singleton, at.plan.options.update, at.hook, at.plan.options.halves);
}

template std::unique_ptr<private_arrays<float>> private_arrays_of(access_kind, const worker_context&,
                                                                  const std::vector<parameter_group>&, std::size_t);
template std::unique_ptr<private_arrays<double>> private_arrays_of(access_kind, const worker_context&,
                                                                   const std::vector<parameter_group>&, std::size_t);

}  // namespace hogwild
