// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace filecall {

/// A shared library that is loaded when something first needs it (dlopen(3)), as systemd loads its
/// optional ones: libcurl and libgit2 bring thirty others, and a program that is linked with them
/// takes longer to start than most commands of the client take to end. It stays loaded until the
/// process ends. Any thread.
class SharedLibrary {
 public:
  /// `soname`: the name that ld.so looks for, such as "libcurl.so.4". Failure: failed_precondition,
  /// it is not installed, or cannot be loaded.
  static Result<SharedLibrary> load(const char* soname);

  /// Sets `function` to the one of that name, whose type its header declares. Failure:
  /// failed_precondition, there is none.
  template <typename Function>
  Result<void> find(const char* name, Function** function) const {
    TRY_ASSIGN(void* const found, address_of(name));
    *function = reinterpret_cast<Function*>(found);
    return {};
  }

 private:
  SharedLibrary(std::string soname, void* handle) : soname_(std::move(soname)), handle_(handle) {}
  Result<void*> address_of(const char* name) const;

  std::string soname_;
  void* handle_;
};

}  // namespace filecall
