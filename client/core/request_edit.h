// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// One member of a request that is to have another value, or is to go. All of these are pure;
/// failures are invalid_argument and say what to do.
struct MemberChange {
  std::vector<std::string> path;  ///< Names of members, and indices of arrays; not empty.
  std::optional<Json> value;      ///< nullopt: it goes.
};

/// "params.text", or a JSON pointer: "/params/text".
Result<std::vector<std::string>> parse_member_path(std::string_view text);
/// PATH=VALUE; the value is JSON, else a text.
Result<MemberChange> parse_member_value(std::string_view text);

/// The request's text with these changes, one after the other. Objects that a path names and that
/// are not there are made.
Result<std::string> edited_request(std::string_view text, std::span<const MemberChange> changes);

/// The members of the request, not of what is in them, in which two texts differ; sorted.
Result<std::vector<std::string>> changed_members(std::string_view before, std::string_view after);

/// Whether nothing but the priority differs. It says when, not what.
bool is_priority_alone(std::span<const std::string> members);

/// What others hold about a request that waits, and what an edit would make untrue.
struct EditClaims {
  bool is_between_attempts = false;   ///< An attempt has ended, and the next one asks the same.
  std::string_view batch{};           ///< That asked it; empty: none.
  std::string_view waiting_client{};  ///< That lives and knows what it asked; empty: none.
};

/// Whether these members of a request that waits may change. Failure: failed_precondition.
Result<void> admit_edit(std::string_view id, const EditClaims& claims,
                        std::span<const std::string> members);

}  // namespace filecall::client
