// SPDX-License-Identifier: Apache-2.0
// Runs on a CUDA device with a stand-in for CUDA's runtime, whose calls fail one after the other.
#include <hogwild/cuda/engine.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "kernels/loss_rows.hpp"
#include "kernels/replica_meeting.hpp"
#include "runtime.hpp"
#include "support/fake_cuda.hpp"
#include "support/refusal.hpp"
#include "support/serial_band.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::size_t much = std::size_t{1} << 30, too_little_for_all_rows = 3000;

const test::toy_rows cuda_rows = test::planted_classification({.rows = 120, .columns = 30, .per_row = 6, .seed = 20});
/// For runs that are repeated for each of their calls.
const test::toy_rows few_cuda_rows =
    test::planted_classification({.rows = 60, .columns = 30, .per_row = 6, .seed = 20});

/// A machine whose kernels do what their host form does.
test::fake_machine cuda_machine(int devices = 1, std::size_t memory = much) {
  test::fake_machine m;
  m.devices = devices, m.memory_bytes = memory;
  m.kernel = [](void** arguments) {
    static const logistic model;
    const auto& work = *static_cast<const device::margin_work*>(arguments[0]);
    if (work.updates == nullptr)  // nothing to change: the rows are measured
      return std::function<void()>([losses = static_cast<const device::loss_work<device::margin_work>&>(work)] {
        device::add_margin_losses(losses, margin_loss(model), 0, 1);
      });
    return std::function<void()>([work] { device::train_margin_rows(work, margin_loss(model), 0, 1); });
  };
  m.meeting = [](void** arguments) {
    return [work = *static_cast<const device::replica_meeting*>(arguments[0])] { device::meet_replica(work, 0, 1); };
  };
  return m;
}

train_result train_on_cuda(const cuda_engine& engine, std::size_t epochs, const test::toy_rows& rows = cuda_rows) {
  return train(logistic{}, rows.csr(), engine,
               {.epochs = epochs, .step = {.initial = 0.5, .decay = 0.8}, .bias = true});
}

/// The error of the run on this machine, which must fail; empty if it does not.
std::string refusal_of(const test::fake_machine& machine, const cuda_engine& engine) {
  test::set_fake_machine(machine);
  const std::string said = test::refusal_of<resource_error>([&] { train_on_cuda(engine, 1, few_cuda_rows); }, "");
  EXPECT_EQ(test::left_on_fake_devices(), test::fake_leftovers{}) << said;
  return said;
}

/// The memory in which a run keeps its parameters, and the size of the device's.
struct way_of_memory {
  const char* name;
  memory_kind memory;
  std::size_t device_bytes;
  int devices = 1;
  std::size_t stride = 1;  ///< between calls that fail, after the first ones of each function
};
constexpr way_of_memory ways_of_memory[] = {{"replica", memory_kind::device, much},
                                            {"streamed", memory_kind::device, too_little_for_all_rows, 1, 7},
                                            {"pinned", memory_kind::pinned, much},
                                            {"managed", memory_kind::managed, much},
                                            {"peers", memory_kind::device, much, 2, 9}};

TEST(cuda_runtime, brings_rows_for_each_launch_where_memory_is_too_small_for_all) {
  test::set_fake_machine(cuda_machine(1, too_little_for_all_rows));
  const train_result streamed = train_on_cuda({.device = 0}, 5);
  EXPECT_GT(streamed.devices[0].block_bytes, 0u);
  test::set_fake_machine(cuda_machine());
  const train_result resident = train_on_cuda({.device = 0}, 5);
  EXPECT_EQ(resident.devices[0].block_bytes, 0u);
  EXPECT_EQ(streamed.parameters, resident.parameters);
}

TEST(cuda_runtime, trains_on_the_device_of_this_number_and_leaves_nothing_there) {
  const double serial = train(logistic{}, cuda_rows.csr(), serial_engine{},
                              {.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .bias = true})
                            .objective;
  test::fake_machine machine = cuda_machine(2);
  for (const cuda_engine& engine :
       {cuda_engine{.device = 0}, cuda_engine{.workers = 1, .device = 1}, cuda_engine{.memory = memory_kind::pinned},
        cuda_engine{.workers = 1, .device = 1, .memory = memory_kind::managed}}) {
    test::set_fake_machine(machine);
    const train_result r = train_on_cuda(engine, 10);
    EXPECT_LE(r.objective, test::serial_band(1 + engine.workers) * serial);
    EXPECT_EQ(r.devices[0].name, "stand-in " + std::to_string(engine.device.numbers[0]));
    EXPECT_EQ(test::left_on_fake_devices(), test::fake_leftovers{});
  }
}

std::vector<int> numbers_up_to(int devices) {
  std::vector<int> numbers(static_cast<std::size_t>(devices));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

struct cuda_calls : testing::TestWithParam<std::tuple<way_of_memory, bool>> {};

TEST_P(cuda_calls, that_fail_end_the_run_with_a_sentence_and_leave_nothing_behind) {
  // Calls that only release something, or choose the device for that, have no effect on the result.
  std::vector<std::string_view> without_effect{
      "cudaFree",         "cudaStreamDestroy", "cudaStreamSynchronize",      "cudaHostUnregister",
      "cudaEventDestroy", "cudaSetDevice",     "cudaDeviceDisablePeerAccess"};
  const auto [way, for_good] = GetParam();
  const bool each = std::getenv("HOGWILD_EVERY_CALL") != nullptr;
  // Copies then go through memory that is not registered.
  if (way.memory == memory_kind::device)
    without_effect.insert(without_effect.end(), {"cudaHostRegister", "cudaHostGetDevicePointer"});
  std::map<std::string, std::size_t> failures;
  std::size_t call = 0, refused = 0;
  std::string failed;
  do {
    test::fake_machine machine = cuda_machine();
    // If all further calls fail, neighbouring calls end alike.
    call += each || failures[failed] < 10 ? 1 : way.stride * (for_good ? 5 : 1);
    machine.failing_call = call;
    machine.memory_bytes = way.device_bytes;
    machine.devices = way.devices;
    machine.for_good = for_good;
    const std::string said = refusal_of(machine, {.device = numbers_up_to(way.devices), .memory = way.memory});
    failed = test::failed_fake_call();
    ++failures[failed];
    SCOPED_TRACE("call " + std::to_string(call) + ", " + failed);
    if (said.empty()) {
      EXPECT_TRUE(failed.empty() || std::ranges::count(without_effect, failed) == 1);
      continue;
    }
    ++refused;
    EXPECT_THAT(said, AllOf(HasSubstr("something that was planned"), HasSubstr("cudaError719"), Not(HasSubstr("\n"))));
    if (!failed.starts_with("cudaHost")) {
      EXPECT_THAT(said, HasSubstr("the device failed to "));
    }
  } while (!failed.empty() && call < 10'000);
  EXPECT_TRUE(failed.empty());
  EXPECT_GE(refused, 50u);
  EXPECT_EQ(failures.contains("cudaDeviceEnablePeerAccess"), way.devices > 1);
  RecordProperty("refused", std::to_string(refused));
}

INSTANTIATE_TEST_SUITE_P(each, cuda_calls, testing::Combine(testing::ValuesIn(ways_of_memory), testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) ? "_for_good" : "_once");
                         });

TEST(cuda_runtime, says_what_is_missing_and_what_to_do) {
  const auto with = [](const auto& change) {
    test::fake_machine machine = cuda_machine();
    change(machine);
    return machine;
  };
  using machine = test::fake_machine;
  const std::string other = ", or take --device emulated";
  EXPECT_EQ(refusal_of(with([](machine& m) { m.driver = 0; }), {.device = 0}),
            "there is no driver for CUDA devices on this machine: install NVIDIA's" + other);
  EXPECT_EQ(refusal_of(with([](machine& m) { m.driver = 12020; }), {.device = 0}),
            "the driver for CUDA devices is too old for this build: it knows CUDA 12.2: install a newer one" + other);
  EXPECT_EQ(refusal_of(cuda_machine(0), {.device = 0}),
            "the driver finds no CUDA device: look at nvidia-smi and CUDA_VISIBLE_DEVICES" + other);
  EXPECT_EQ(refusal_of(cuda_machine(), {.device = 99}),
            "there is no device 99: this machine has 1 device, counted from 0" + other);
  EXPECT_EQ(refusal_of(cuda_machine(2), {.device = 2}),
            "there is no device 2: this machine has 2 devices, counted from 0" + other);
  EXPECT_EQ(refusal_of(with([](machine& m) { m.has_code = false; }), {.device = 0}),
            "this build has no code for that device: build with its architecture in CMAKE_CUDA_ARCHITECTURES");
}

// 30 columns and a bias take 31 floats, and the number of updates is added.
TEST(cuda_runtime, says_how_much_memory_is_needed_and_how_much_is_free) {
  EXPECT_THAT(refusal_of(cuda_machine(1, 200), {.device = 0}),
              AllOf(HasSubstr("the device is too small for this run: parameters and state need 132 bytes, two blocks "
                              "of its longest row "),
                    HasSubstr("200 bytes are free; train on fewer columns, or by threads")));
  EXPECT_EQ(test::failed_fake_call(), "");
}

TEST(cuda_runtime, says_how_much_is_free_when_memory_is_gone_meanwhile) {
  test::set_fake_machine(cuda_machine(1, 1000));
  const auto device = device::open_cuda(0);
  const device::buffer<float> first(*device, 200);
  EXPECT_EQ(test::refusal_of<resource_error>([&] { device::buffer<float>(*device, 51); }),
            "the device has no room for 204 bytes: 200 are free; train on fewer rows or columns");
  EXPECT_EQ(device->free_bytes(), 200u);
}

TEST(cuda_runtime, that_has_no_memory_left_says_so_whatever_it_was_for) {
  test::set_fake_machine(cuda_machine(1, 1000));
  EXPECT_THAT(test::refusal_of<resource_error>([&] { device::open_cuda(0)->allocate_managed(1001); }),
              HasSubstr("memory is used up: look at nvidia-smi"));
}

TEST(cuda_runtime, whose_memory_goes_to_others_meanwhile_has_less_for_rows) {
  test::fake_machine machine = cuda_machine(1, 100'000);
  EXPECT_EQ(refusal_of(machine, {.device = 0}), "");
  const std::vector<std::string_view> calls = test::fake_calls();
  machine.code = 2;  // cudaErrorMemoryAllocation
  std::size_t refused = 0;
  for (std::size_t call = 1; call <= calls.size(); ++call) {
    if (calls[call - 1] != "cudaMalloc") continue;
    machine.failing_call = call;
    EXPECT_EQ(refusal_of(machine, {.device = 0}), "") << "call " << call;
    EXPECT_EQ(test::failed_fake_call(), "cudaMalloc");
    ++refused;
  }
  EXPECT_GE(refused, 3u);  // parameters, row counters, the rows themselves
}

TEST(cuda_runtime, works_beside_another_one_on_another_device) {
  test::set_fake_machine(cuda_machine(2));
  const auto first = device::open_cuda(0), second = device::open_cuda(1);
  const device::buffer<float> a(*first, 2), b(*second, 2);
  const std::array<float, 2> given{1.0f, 2.0f};
  std::array<float, 2> of_first{}, of_second{};
  first->upload(a.data(), given.data(), sizeof given);
  second->zero(b.data(), sizeof given);
  second->download(of_second.data(), b.data(), sizeof given);
  first->download(of_first.data(), a.data(), sizeof given);
  const auto behind = first->mark();
  EXPECT_FALSE(first->reached(behind));
  EXPECT_TRUE(first->reached(behind));
  second->wait(second->mark());
  EXPECT_EQ(of_first, given);
  EXPECT_EQ(of_second, (std::array<float, 2>{}));
}

TEST(cuda_runtime, has_replicas_of_two_devices_meet_where_these_reach_each_other) {
  const auto meeting_on = [](const auto& change, update_kind update) {
    test::fake_machine machine = cuda_machine(2);
    change(machine);
    test::set_fake_machine(machine);
    const train_result r = train(logistic{}, cuda_rows.csr(), cuda_engine{.device = {0, 1}},
                                 {.epochs = 5, .step = {.initial = 0.5, .decay = 0.8}, .update = update});
    EXPECT_EQ(test::left_on_fake_devices(), test::fake_leftovers{});
    EXPECT_LT(r.objective, 0.6);
    return r.devices[1].exchange;
  };
  using machine = test::fake_machine;
  EXPECT_EQ(meeting_on([](machine&) {}, update_kind::exact), "peers");
  EXPECT_EQ(meeting_on([](machine& m) { m.reaches = false; }, update_kind::lossy), "host");
  EXPECT_EQ(meeting_on([](machine& m) { m.adds_there = false; }, update_kind::exact), "host");
  EXPECT_EQ(meeting_on([](machine& m) { m.adds_there = false; }, update_kind::lossy), "peers");
  EXPECT_EQ(meeting_on([](machine& m) { m.most_ways = 0; }, update_kind::lossy), "host");
}

TEST(cuda_runtime, leaves_a_way_open_that_others_have_opened) {
  test::set_fake_machine(cuda_machine(2));
  const auto ways = [] { return test::left_on_fake_devices().ways; };
  {
    const auto first = device::open_cuda(0), by_others = device::open_cuda(1);
    EXPECT_EQ(first->reach(device::facts_of_emulated()), device::peer_access::none);
    EXPECT_EQ(first->reach(first->facts()), device::peer_access::atomic);
    EXPECT_EQ(ways(), 0u);
    EXPECT_EQ(by_others->reach(first->facts()), device::peer_access::atomic);
    {
      const auto third = device::open_cuda(1);
      EXPECT_EQ(third->reach(first->facts()), device::peer_access::atomic);
    }
    EXPECT_EQ(ways(), 1u);
  }
  EXPECT_EQ(ways(), 0u);
}

TEST(cuda_runtime, keeps_a_way_open_that_another_one_still_uses) {
  test::set_fake_machine(cuda_machine(2));
  auto of_one_run = device::open_cuda(1);
  const auto of_another = device::open_cuda(1);
  EXPECT_EQ(of_one_run->reach(device::facts_of_cuda(0)), device::peer_access::atomic);
  EXPECT_EQ(of_another->reach(device::facts_of_cuda(0)), device::peer_access::atomic);
  of_one_run.reset();
  EXPECT_EQ(test::left_on_fake_devices().ways, 1u);
}

TEST(cuda_runtime, leaves_a_way_to_the_program_that_has_opened_it) {
  test::set_fake_machine(cuda_machine(2));
  test::open_fake_way(1, 0);
  EXPECT_EQ(device::open_cuda(1)->reach(device::facts_of_cuda(0)), device::peer_access::atomic);
  EXPECT_EQ(test::left_on_fake_devices().ways, 1u);
}

TEST(cuda_runtime, uses_what_others_have_registered_and_leaves_it_to_them) {
  test::set_fake_machine(cuda_machine());
  alignas(4096) std::array<std::byte, 12288> memory{};
  const auto registrations = [] { return test::left_on_fake_devices().registered; };
  const auto first = device::open_cuda(0), second = device::open_cuda(0);
  void* const on_device = first->register_host(memory.data(), 4096);
  EXPECT_EQ(second->register_host(memory.data(), 4096), on_device);
  EXPECT_EQ(second->register_host(&memory[1024], 1024), static_cast<std::byte*>(on_device) + 1024);
  second->unregister_host(&memory[1024]);
  second->unregister_host(memory.data());
  EXPECT_EQ(registrations(), 1u);
  EXPECT_THROW(second->register_host(memory.data(), 8192), device::registered_in_part)
      << "the first half is registered";
  first->register_host(&memory[8192], 4096);
  EXPECT_THROW(second->register_host(memory.data(), 12288), device::registered_in_part) << "between both nothing is";
  first->unregister_host(&memory[8192]);
  first->unregister_host(memory.data());
  EXPECT_EQ(registrations(), 0u);
  second->register_host(memory.data(), 8192);
  EXPECT_EQ(registrations(), 1u);
  second->unregister_host(memory.data());
  EXPECT_EQ(registrations(), 0u);
}

}  // namespace
