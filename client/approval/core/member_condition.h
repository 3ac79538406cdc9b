// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/approval/core/call.h"
#include "ipc/json.h"

namespace filecall::client {

/// How a condition is read: towards yes for rules that deny or prompt, towards no for rules that
/// allow.
enum class Leaning : std::uint8_t { kCatch, kCover };

/// Whether a member of that name holds paths (path, files, cwd).
bool is_place_member(std::string_view name);

/// One entry of `where`: a JSON pointer into the arguments ("*" is every element of a list) and the
/// values that fit. Immutable; any thread.
class MemberCondition {
 public:
  /// Failure: invalid_argument, no pointer, or a value that nothing equals (an empty list).
  static Result<MemberCondition> of(const std::string& pointer, const Json& wanted);

  /// kAbsent: it is not said, or what is said may hold it (a folder above) or may be a name of it
  /// (of a custom resource), and the rest is open.
  enum class Answer : std::uint8_t { kNone, kAbsent, kYes };
  /// kCatch: one element fits, in one of its spellings (a path with dots, a kind's short name).
  /// kCover: there is one, and all fit as they are written.
  Answer ask(const CallToDecide& call, Leaning leaning) const;

  /// The first token of the pointer.
  std::string_view member() const;
  const std::string& pointer() const { return pointer_; }
  const std::vector<std::string>& tokens() const { return tokens_; }

 private:
  bool fits(const Json& value, const CallToDecide& call, Leaning leaning) const;
  /// A folder in which lies what the condition is about.
  bool holds(const Json& value, const CallToDecide& call) const;
  /// Both are names of kinds that only the cluster knows: one may be a short name of the other.
  bool may_be_kind(const Json& value) const;
  bool text_fits(const std::string& glob, const std::string& text, const CallToDecide& call,
                 Leaning leaning) const;

  std::string pointer_;
  std::vector<std::string> tokens_;
  std::vector<Json> wanted_;
};

}  // namespace filecall::client
