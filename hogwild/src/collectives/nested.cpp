// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/nested.hpp>

#include <algorithm>
#include <exception>
#include <list>
#include <type_traits>
#include <utility>
#include <vector>

namespace hogwild {

namespace {

/// Arrays that a member makes for a call, and that other members may still read when the call throws.
struct made_numbers {
  std::list<std::vector<float>> floats{};
  std::list<std::vector<double>> doubles{};

  template <class T>
  std::list<std::vector<T>>& of() {
    if constexpr (std::is_same_v<T, float>)
      return floats;
    else
      return doubles;
  }
};

/// One such array for the time of a call; if the call throws, the array stays.
template <class T>
class numbers_of_call {
 public:
  numbers_of_call(made_numbers& all, std::vector<T> numbers)
      : all_(all.of<T>()), here_(all_.insert(all_.begin(), std::move(numbers))) {}
  numbers_of_call(const numbers_of_call&) = delete;
  numbers_of_call& operator=(const numbers_of_call&) = delete;
  ~numbers_of_call() {
    if (std::uncaught_exceptions() == exceptions_) all_.erase(here_);
  }

  std::span<T> span() const { return *here_; }

 private:
  std::list<std::vector<T>>& all_;
  typename std::list<std::vector<T>>::iterator here_;
  int exceptions_ = std::uncaught_exceptions();
};

/// Arrays that the members of a process keep for each other, each in its own place.
using shared_numbers = std::shared_ptr<std::vector<made_numbers>>;

/// A member of the whole group; the first one of a process represents the process in the group across processes.
class nested_member final : public detail::typed_collective<nested_member> {
 public:
  nested_member(std::unique_ptr<collective> own, collective& across, shared_numbers made)
      : made_(std::move(made)),
        own_(std::move(own)),
        across_(own_->rank() == 0 ? &across : nullptr),
        processes_(across.size()),
        process_(across.rank()) {}

  std::size_t rank() const noexcept override { return process_ * own_->size() + own_->rank(); }
  std::size_t size() const noexcept override { return processes_ * own_->size(); }
  bool has_common_memory() const noexcept override { return processes_ == 1 && own_->has_common_memory(); }

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
    const numbers_of_call<T> sum(made(), {x.begin(), x.end()});
    sum_to_all(sum.span());
    if (rank() == root) std::ranges::copy(sum.span(), x.begin());
  }

  template <class T>
  void collect(std::span<const T> x, std::span<T> all, std::size_t root) {
    const bool here = process_of(root) == process_;
    const numbers_of_call<T> of_process(made(), room<T>(across_ != nullptr ? own_->size() * x.size() : 0));
    const numbers_of_call<T> of_all(made(), room<T>(here ? size() * x.size() : 0));
    own_->gather(x, of_process.span(), 0);
    if (across_ != nullptr) across_->gather(std::span<const T>(of_process.span()), of_all.span(), process_of(root));
    if (here) own_->broadcast(of_all.span(), 0);
    if (rank() == root) std::ranges::copy(of_all.span(), all.begin());
  }

  template <class T>
  void collect_all(std::span<const T> x, std::span<T> all) {
    const numbers_of_call<T> of_process(made(), room<T>(across_ != nullptr ? own_->size() * x.size() : 0));
    own_->gather(x, of_process.span(), 0);
    if (across_ != nullptr) across_->all_gather(std::span<const T>(of_process.span()), all);
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
  made_numbers& made() const { return (*made_)[own_->rank()]; }
  template <class T>
  static std::vector<T> room(std::size_t n) {
    return std::vector<T>(n);
  }

  shared_numbers made_;  // declared first: destroyed when the last member has left its group
  std::unique_ptr<collective> own_;
  collective* across_;  ///< only the first member's
  std::size_t processes_, process_;
};

}  // namespace

std::vector<std::unique_ptr<collective>> nest(std::vector<std::unique_ptr<collective>> own, collective& across) {
  const auto made = std::make_shared<std::vector<made_numbers>>(own.size());
  std::vector<std::unique_ptr<collective>> nested;
  for (auto& member : own) nested.push_back(std::make_unique<nested_member>(std::move(member), across, made));
  return nested;
}

}  // namespace hogwild
