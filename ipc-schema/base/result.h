// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace filecall {

/// Marks an Error as a Result's failure: `return Unexpected(Error{...})`.
struct Unexpected {
  explicit Unexpected(Error e) : error(std::move(e)) {}
  Error error;
};

/// Short form of `Unexpected(Error{code, message})`.
inline Unexpected fail(ErrorCode code, std::string message) {
  return Unexpected(Error{code, std::move(message)});
}
inline Unexpected fail_errno(int errno_value, std::string_view what) {
  return Unexpected(errno_error(errno_value, what));
}

/// Either a value or the Error that explains its absence. Member names are those of
/// std::expected<T, Error> (C++23, P0323), which g++ 12 lacks in C++20 mode. Asking a failed
/// Result for its value, or a good one for its error, is a programmer error and aborts.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = Error;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Unexpected failure) : state_(std::in_place_index<1>, std::move(failure.error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return check_value(), *std::get_if<0>(&state_); }
  const T& value() const& { return check_value(), *std::get_if<0>(&state_); }
  T&& value() && { return check_value(), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return check_error(), *std::get_if<1>(&state_); }
  Error&& error() && { return check_error(), std::move(*std::get_if<1>(&state_)); }

  template <typename U>
  T value_or(U&& fallback) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
  }

 private:
  void check_value() const { CHECK(has_value(), "a failed Result has no value"); }
  void check_error() const { CHECK(!has_value(), "a good Result has no error"); }

  std::variant<T, Error> state_;
};

/// A Result without a value: good, or an Error. A default-constructed one is good.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Error;

  Result() = default;
  Result(Unexpected failure) : error_(std::move(failure.error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const& {
    CHECK(error_.has_value(), "a good Result has no error");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace filecall

#define FILECALL_CONCAT_INNER(a, b) a##b
#define FILECALL_CONCAT(a, b) FILECALL_CONCAT_INNER(a, b)

/// `TRY(expression)`: returns the Error of a failed Result from the enclosing function.
#define TRY(expression)                                             \
  do {                                                              \
    if (auto try_result = (expression); !try_result)                \
      return ::filecall::Unexpected(std::move(try_result).error()); \
  } while (false)

/// `TRY_ASSIGN(auto x, expression)`: the same, and binds the value otherwise.
#define TRY_ASSIGN(declaration, expression) \
  TRY_ASSIGN_INNER(FILECALL_CONCAT(try_result_, __LINE__), declaration, expression)
#define TRY_ASSIGN_INNER(name, declaration, expression)              \
  auto name = (expression);                                          \
  if (!name) return ::filecall::Unexpected(std::move(name).error()); \
  declaration = std::move(name).value()
