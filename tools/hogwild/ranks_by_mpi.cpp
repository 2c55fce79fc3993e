// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <hogwild/mpi/collective.hpp>
#include <hogwild/mpi/transport.hpp>

#include "ranks.hpp"

namespace hogwild::cli {
namespace {

using namespace std::chrono_literals;

/// Reading text may take a while.
constexpr auto long_timeout = 1h;

class mpi_ranks final : public launched_ranks {
 public:
  explicit mpi_ranks(std::chrono::nanoseconds timeout)
      : long_waiting_(join_mpi_group(session_, {.timeout = long_timeout})),
        all_(join_mpi_group(session_, {.timeout = timeout})),
        link_(join_mpi_ring(session_, timeout)) {}

  collective& all() override { return *all_; }
  message_link& link() override { return *link_; }
  std::size_t rank_on_machine() const override { return session_.rank_on_machine(); }
  std::size_t size_on_machine() const override { return session_.size_on_machine(); }
  agreement with_long_timeout() override { return agreement(long_waiting_.get()); }
  [[noreturn]] void abort(exit_code code) noexcept override { session_.abort(code); }

 private:
  mpi_session session_;
  std::unique_ptr<collective> long_waiting_, all_;
  std::unique_ptr<message_link> link_;
};

}  // namespace

std::unique_ptr<launched_ranks> join_ranks(const train_request& request) {
  if (!launched()) {
    require_known_to_mpi(1);
    if (!request.mpi) return nullptr;
    throw config_error(
        "--transport mpi joins the processes that a launcher has started, and none has started this one: 'mpiexec -n 4 "
        "hogwild ...' or 'srun --mpi=pmix -n 4 hogwild ...'; for one process leave out --transport");
  }
  auto ranks = std::make_unique<mpi_ranks>(request.rank_timeout);
  require_known_to_mpi(ranks->all().size());
  if (ranks->all().size() == 1 && !request.mpi) return nullptr;
  return ranks;
}

}  // namespace hogwild::cli
