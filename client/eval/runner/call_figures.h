// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "client/core/price_table.h"
#include "client/core/spend.h"
#include "client/eval/subject.h"
#include "client/turns/conversation.h"
#include "ipc/response.h"

namespace filecall::client {

/// How long the call of a response took, and what it cost. `spend`: what its request has used, as
/// the run that asked it reckoned; it tells where the response does not, and before `prices`, if
/// there was one call. Pure.
CallFigures call_figures(const Response& response, int turn, const Spend& spend,
                         const TokenPrices& prices);

/// The same of the result of an agent's run: its request echoes it at once, and it is the run that
/// took time.
void use_run_time(const Request& request, const Response& response, CallFigures& figures);

}  // namespace filecall::client
