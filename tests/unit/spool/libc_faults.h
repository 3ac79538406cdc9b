// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <cerrno>
#include <functional>
#include <utility>

/// For programs that define functions of libc themselves, to let them fail and else pass them on.

/// The function of that name that would have been called without ours.
template <typename Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// What a fault says: an errno for once and then nothing, or for ever.
inline std::function<int()> once(int error) {
  return [error]() mutable { return std::exchange(error, 0); };
}
inline std::function<int()> always(int error) {
  return [error] { return error; };
}

inline int failed(int error) {
  errno = error;
  return -1;
}
