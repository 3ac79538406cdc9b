// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "client/core/spend.h"
#include "ipc/json.h"
#include "ipc/token_prices.h"

namespace filecall {
struct Response;
}

namespace filecall::client {

/// {"model": {"input": 0.4, "output": 1.6, "cached_input": 0.1, "aliases": ["other"]}, ...}, in US$
/// a million tokens; "PROVIDER/MODEL" counts more, "mod*" is any model that begins so. Failure:
/// invalid_argument.
Result<TokenPrices> parse_prices(std::string_view text);

/// What an answer's data say themselves that it costs, in US$, within what can be added up;
/// nullopt: nothing.
std::optional<double> said_cost(const Json& data);
/// What an answer's data (of llm.chat, llm.embed) costs: as it says itself, else by the prices;
/// nullopt: nobody knows.
std::optional<double> cost_of_data(const Json& data, const TokenPrices& prices);

/// What a response says it used: the data's `usage` and `cost`, or those of the answer that a
/// failure kept because it did not fit its schema. Nothing for other commands. Pure.
Spend spend_of(const Response& response, const TokenPrices& prices);

/// What a request used, with the price of its last response where none was known when it was
/// counted. Other calls without a price stay so, and so does all where one of them had a price:
/// it may have been this one. Pure.
Spend priced_again(Spend counted, const Response& last, const TokenPrices& prices);

}  // namespace filecall::client
