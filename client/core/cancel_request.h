// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/core/answer_version.h"

namespace filecall::client {

/// What is asked of the worker.
enum class CancelWish : std::uint8_t {
  kEnd,              ///< That the request ends.
  kWithdrawWaiting,  ///< That it does not begin; the next run asks again.
  kWithdraw,         ///< That it ends, whether it has begun or not; the next run asks again.
};

/// The id of the control request that cancels `attempt` of `id`: "{id}.cancel-{attempt}" (or
/// ".withdraw-", ".stop-"), or with a hash in place of the id's end where that would be longer than
/// an id may be. Pure.
std::string cancel_id(std::string_view id, int attempt, CancelWish wish = CancelWish::kEnd);
/// The text of that request.
std::string cancel_request(std::string_view id, int attempt, CancelWish wish = CancelWish::kEnd);
/// The id of the control request that has a response discarded, where only the worker may delete
/// it. Pure.
std::string discard_id(std::string_view id, const AnswerVersion& version);
/// The text of that request.
std::string discard_request(std::string_view id, const AnswerVersion& version);

}  // namespace filecall::client
