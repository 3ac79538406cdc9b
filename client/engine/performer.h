// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/channel/request_channel.h"
#include "client/core/request_machine.h"
#include "client/store/request_row.h"

namespace filecall::client {

/// The outcome of performed actions.
struct Performed {
  bool is_other_answer = false;         ///< An answer that nobody has read is there: look at it.
  bool is_copied = false;               ///< failed/ has the final failure: report kCopied.
  std::optional<Response> own_failure;  ///< What was put there, when it was the client's own.
  std::string notice;                   ///< For people; empty: nothing.
};

/// Performs one action of the machine on the channel, its row being durable. Blocking; safe to
/// repeat. Dropping and the timers are the caller's: nothing happens here.
Result<void> perform(RequestChannel& channel, std::string_view id, const RequestProgress& progress,
                     const Action& action, Performed& performed);

/// The row that keeps a control request that the action sends on this channel (a cancel, a discard)
/// from being taken for somebody's request; durable before the action. nullopt: it sends none.
std::optional<RequestRow> control_row(const RequestChannel& channel, std::string_view id,
                                      const Action& action, WallTime now);

}  // namespace filecall::client
