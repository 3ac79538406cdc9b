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

}  // namespace filecall::client
