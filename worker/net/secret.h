// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace filecall::worker {

/// A key or a password. Prints as "***" and compares by content; the text itself comes out only
/// where reveal() is called, which is where it is put on the wire. The bytes are overwritten when
/// it is destroyed. Copies are allowed: every request needs one.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(const Secret&) = default;
  Secret(Secret&&) = default;
  Secret& operator=(const Secret&) = default;
  Secret& operator=(Secret&&) = default;
  ~Secret();

  bool empty() const { return text_.empty(); }
  const std::string& reveal() const { return text_; }
  /// `text` with every occurrence of the secret replaced by "***": for what a peer sends back. A
  /// secret of less than eight characters is left alone, since it would be found everywhere.
  std::string redact(std::string text) const;
  /// Whether redact() would change it.
  bool stands_in(std::string_view text) const;

  bool operator==(const Secret&) const = default;

 private:
  std::string text_;
};

}  // namespace filecall::worker

template <>
struct fmt::formatter<filecall::worker::Secret> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  template <typename Context>
  auto format(const filecall::worker::Secret& secret, Context& context) const {
    const std::string_view shown = secret.empty() ? "" : "***";
    return std::copy(shown.begin(), shown.end(), context.out());
  }
};
