// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

#include <dlfcn.h>

#include <type_traits>

#include <hogwild/error.hpp>

namespace hogwild::nccl {

functions load(const std::string& library) {
  void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* const why = ::dlerror();
    throw resource_error("NCCL cannot be loaded: " + std::string(why != nullptr ? why : library) +
                         "; install it (libnccl2), name its folder in LD_LIBRARY_PATH, or leave out --collective nccl");
  }
  const auto set = [&](auto& function, const char* name) {
    void* const symbol = ::dlsym(opened, name);
    if (symbol == nullptr)
      throw resource_error(library + " has no " + name + ": NCCL 2.14 or newer is needed, install that");
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  functions f{};
  set(f.get_unique_id, "ncclGetUniqueId");
  set(f.init, "ncclCommInitRankConfig");
  set(f.async_error, "ncclCommGetAsyncError");
  set(f.group_start, "ncclGroupStart");
  set(f.group_end, "ncclGroupEnd");
  set(f.send, "ncclSend");
  set(f.receive, "ncclRecv");
  set(f.all_reduce, "ncclAllReduce");
  set(f.finalize, "ncclCommFinalize");
  set(f.destroy, "ncclCommDestroy");
  set(f.abort, "ncclCommAbort");
  set(f.error_text, "ncclGetErrorString");
  set(f.last_error, "ncclGetLastError");
  return f;
}

}  // namespace hogwild::nccl
