// SPDX-License-Identifier: MIT
#include "base/shared_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace filecall {

Result<SharedLibrary> SharedLibrary::load(const char* soname) {
  void* const handle = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("a library cannot be loaded: {}; install the package that has it",
                            ::dlerror()));
  }
  return SharedLibrary(soname, handle);
}

Result<void*> SharedLibrary::address_of(const char* name) const {
  void* const found = ::dlsym(handle_, name);
  if (found == nullptr) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: has no {}; install the version that this program was built with",
                            soname_, name));
  }
  return found;
}

}  // namespace filecall
