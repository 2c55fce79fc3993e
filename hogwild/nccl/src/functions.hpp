// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

// The parts of NCCL that are needed, declared here so that no build needs its header and the command starts without its
// library. Types, numbers and prototypes are those of nccl.h; they are the same from 2.14 on.

namespace hogwild::nccl {

// ncclResult_t; all others are errors, too.
inline constexpr int success = 0, remote_error = 6, in_progress = 7;
inline constexpr int bytes_type = 0, floats_type = 7;  ///< ncclInt8, ncclFloat32
inline constexpr int sum_operation = 0;                ///< ncclSum

/// ncclUniqueId, handed over by value.
struct unique_id {
  char bytes[128];
};

/// ncclConfig_t as of 2.14. Later versions only add members: they read no more than `size` bytes, and use their
/// defaults for what a configuration of `version` lacks (parseCommConfig in NCCL's init.cc).
struct config {
  std::size_t size = sizeof(config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;  ///< NCCL_VERSION(2, 14, 0)
  int blocking = 0;          ///< 0: calls return at once, and async_error gives their results
};
static_assert(sizeof(config) == 24 && offsetof(config, blocking) == 16);

/// The functions of one library. `comm` is an ncclComm_t, `stream` a cudaStream_t.
struct functions {
  int (*get_unique_id)(unique_id* id);
  int (*init)(void** comm, int size, unique_id id, int rank, config* with);
  int (*async_error)(void* comm, int* state);
  int (*group_start)();
  int (*group_end)();
  int (*send)(const void* from, std::size_t count, int type, int peer, void* comm, void* stream);
  int (*receive)(void* to, std::size_t count, int type, int peer, void* comm, void* stream);
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation, void* comm, void* stream);
  int (*finalize)(void* comm);
  int (*destroy)(void* comm);
  int (*abort)(void* comm);
  const char* (*error_text)(int result);
  const char* (*last_error)(void* comm);
};

/// Loads a library of this name or path, which stays for the life of the process. Throws resource_error if it is not
/// found, or is older than 2.14.
functions load(const std::string& library);

}  // namespace hogwild::nccl
