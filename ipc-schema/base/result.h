// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace filecall {

/// Marks what it holds as a Result's failure: `return Unexpected(Error{...})`.
template <typename E = Error>
struct Unexpected {
  explicit Unexpected(E e) : error(std::move(e)) {}
  E error;
};

/// Short form of `Unexpected(Error{code, message})`.
inline Unexpected<Error> fail(ErrorCode code, std::string message) {
  return Unexpected(Error{code, std::move(message)});
}
inline Unexpected<Error> fail_errno(int errno_value, std::string_view what) {
  return Unexpected(errno_error(errno_value, what));
}

namespace detail {

/// How a failure of one kind becomes one of another: by conversion, or by `E::of(failure)`, so that
/// TRY hands an Error on from a function that fails with more than an Error.
template <typename E, typename G>
concept FailsAs = std::convertible_to<G, E> || requires(G&& g) {
  { E::of(std::forward<G>(g)) } -> std::same_as<E>;
};

template <typename E, typename G>
E failure_as(G&& failure) {
  if constexpr (std::convertible_to<G, E>) {
    return std::forward<G>(failure);
  } else {
    return E::of(std::forward<G>(failure));
  }
}

}  // namespace detail

/// Either a value or the failure that explains its absence, an Error unless it says more. Member
/// names are those of std::expected<T, E> (C++23, P0323), which g++ 12 lacks in C++20 mode. Asking
/// a failed Result for its value, or a good one for its error, is a programmer error and aborts.
///
/// Made from exactly an E it has failed, also where a T could be made of one (a Json of a
/// std::string); what could become either must be written as `T(...)` or `Unexpected(...)`.
template <typename T, typename E = Error>
class [[nodiscard]] Result {
  static_assert(!std::is_same_v<T, E>, "which of the two would it be?");

 public:
  using value_type = T;
  using error_type = E;

  Result() requires std::default_initializable<T>
  = default;
  template <typename U = T>
  requires std::convertible_to<U, T> &&
      (std::same_as<std::remove_cvref_t<U>, T> ||
       !std::convertible_to<U, E>)&&(!std::same_as<std::remove_cvref_t<U>, Result>)Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(E error) requires(!std::same_as<E, Error>)
      : state_(std::in_place_index<1>, std::move(error)) {}
  template <typename G>
  requires detail::FailsAs<E, G> Result(Unexpected<G> failure)
      : state_(std::in_place_index<1>, detail::failure_as<E>(std::move(failure.error))) {}

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

  E& error() & { return check_error(), *std::get_if<1>(&state_); }
  const E& error() const& { return check_error(), *std::get_if<1>(&state_); }
  E&& error() && { return check_error(), std::move(*std::get_if<1>(&state_)); }

  template <typename U>
  T value_or(U&& fallback) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
  }
  template <typename U>
  T value_or(U&& fallback) && {
    return has_value() ? std::move(*this).value() : static_cast<T>(std::forward<U>(fallback));
  }

 private:
  void check_value() const { CHECK(has_value(), "a failed Result has no value"); }
  void check_error() const { CHECK(!has_value(), "a good Result has no error"); }

  std::variant<T, E> state_;
};

/// A Result without a value: good, or a failure. A default-constructed one is good.
template <typename E>
class [[nodiscard]] Result<void, E> {
 public:
  using value_type = void;
  using error_type = E;

  Result() = default;
  Result(E error) requires(!std::same_as<E, Error>) : error_(std::move(error)) {}
  template <typename G>
  requires detail::FailsAs<E, G> Result(Unexpected<G> failure)
      : error_(detail::failure_as<E>(std::move(failure.error))) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  const E& error() const& { return check_error(), *error_; }
  E&& error() && { return check_error(), std::move(*error_); }

 private:
  void check_error() const { CHECK(error_.has_value(), "a good Result has no error"); }

  std::optional<E> error_;
};

}  // namespace filecall

#define FILECALL_CONCAT_INNER(a, b) a##b
#define FILECALL_CONCAT(a, b) FILECALL_CONCAT_INNER(a, b)

/// `TRY(expression)`: returns the failure of a failed Result from the enclosing function, as the
/// kind of failure that one returns.
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
  declaration = *std::move(name)
