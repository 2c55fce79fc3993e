// SPDX-License-Identifier: Apache-2.0
#include <hogwild/collectives/nested.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <hogwild/collectives/typed.hpp>

namespace hogwild {

namespace {

/// The first member of a process speaks for it.
class nested_member final : public detail::typed_collective<nested_member> {
 public:
  nested_member(std::unique_ptr<collective> own, collective* across, std::size_t processes, std::size_t process)
      : own_(std::move(own)), across_(across), processes_(processes), process_(process) {}

  std::size_t rank() const noexcept override { return process_ * own_->size() + own_->rank(); }
  std::size_t size() const noexcept override { return processes_ * own_->size(); }
  bool shares_memory() const noexcept override { return processes_ == 1 && own_->shares_memory(); }

  template <class T>
  void sum_to_all(std::span<T> x) {
    own_->reduce(x, 0);
    if (across_ != nullptr) across_->all_reduce(x);
    own_->broadcast(x, 0);
  }

  template <class T>
  void send_from(std::span<T> x, std::size_t root) {
    if (process_of(root) == process_) own_->broadcast(x, root % own_->size());
    if (across_ != nullptr) across_->broadcast(x, process_of(root));
    if (process_of(root) != process_) own_->broadcast(x, 0);
  }

  template <class T>
  void sum_to(std::span<T> x, std::size_t root) {
    std::vector<T> sum(x.begin(), x.end());
    sum_to_all(std::span(sum));
    if (rank() == root) std::ranges::copy(sum, x.begin());
  }

  template <class T>
  void collect(std::span<const T> x, std::span<T> all, std::size_t root) {
    const bool here = process_of(root) == process_;
    std::vector<T> of_process(across_ != nullptr ? own_->size() * x.size() : 0);
    std::vector<T> of_all(here ? size() * x.size() : 0);
    own_->gather(x, std::span(of_process), 0);
    if (across_ != nullptr) across_->gather(std::span<const T>(of_process), std::span(of_all), process_of(root));
    if (here) own_->broadcast(std::span(of_all), 0);
    if (rank() == root) std::ranges::copy(of_all, all.begin());
  }

  template <class T>
  void collect_all(std::span<const T> x, std::span<T> all) {
    std::vector<T> of_process(across_ != nullptr ? own_->size() * x.size() : 0);
    own_->gather(x, std::span(of_process), 0);
    if (across_ != nullptr) across_->all_gather(std::span<const T>(of_process), all);
    own_->broadcast(all, 0);
  }

  void barrier() override {
    own_->barrier();
    if (across_ != nullptr) across_->barrier();
    own_->barrier();
  }

  void fail(const std::string& reason) noexcept override {
    own_->fail(reason);
    if (across_ != nullptr) across_->fail(reason);
  }

 private:
  std::size_t process_of(std::size_t rank) const { return rank / own_->size(); }

  std::unique_ptr<collective> own_;
  collective* across_;
  std::size_t processes_, process_;
};

}  // namespace

std::unique_ptr<collective> nest(std::unique_ptr<collective> own, collective* across, std::size_t processes,
                                 std::size_t process) {
  return std::make_unique<nested_member>(std::move(own), across, processes, process);
}

}  // namespace hogwild
