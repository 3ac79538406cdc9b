// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/answer_owner.h"
#include "ipc/response.h"
#include "spool/layout.h"
#include "spool/root.h"

namespace filecall::spool {

/// Whether a response in a group's root answers the request that it is read for. Everything that
/// reads responses asks here; is_answer_to() decides. Elsewhere than in a group's root each one
/// does. Blocking; any thread.

/// What `bytes` of responses/{stem}.json say, as parse_response() reads them. Failures also:
/// permission_denied, they answer another user, who dropped that id before and removed the request;
/// failed_precondition, nobody can say, since its worker sees other users (other_users()).
Result<Response> read_own_response(const Directories& directories, std::string_view bytes,
                                   std::string_view stem, AskedBy asked);

/// The same for who has no open root, and wants the bytes only. What is no response passes.
Result<void> require_own_response(const Layout& layout, std::string_view bytes,
                                  std::string_view stem, AskedBy asked);

/// Why the users that a group's worker names are not those that this process sees: it runs in
/// another user namespace, where the same user has another number. nullopt: they may be the same.
/// `thorough`: it also counts that the worker sees other ranges of users, which need not concern
/// the users of this root.
std::optional<std::string> other_users(const Layout& layout, bool thorough);

}  // namespace filecall::spool
