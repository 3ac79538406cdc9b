// SPDX-License-Identifier: MIT
#include "client/core/price_table.h"

#include <fmt/core.h>

#include <utility>

#include "base/result.h"
#include "ipc/request.h"
#include "ipc/response.h"

namespace filecall::client {
namespace {

const Json& named(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::int64_t count_of(const Json& usage, const char* name) {
  const Json& value = named(usage, name);
  return value.is_number_integer() && value > 0 ? value.get<std::int64_t>() : 0;
}

std::string word_of(const Json& data, const char* name) {
  const Json& value = named(data, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

double cost_of(const PriceTable::Price& price, const Spend& spend, std::int64_t cached) {
  const auto fresh = static_cast<double>(spend.input_tokens - cached);
  return (fresh * price.input +
          static_cast<double>(cached) * price.cached_input.value_or(price.input) +
          static_cast<double>(spend.output_tokens) * price.output) /
         1e6;
}

Result<PriceTable::Price> read_price(const std::string& model, const Json& members) {
  PriceTable::Price price;
  for (const auto& [name, value] : members.items()) {
    const bool is_known = name == "input" || name == "output" || name == "cached_input";
    if (!is_known || !value.is_number() || value < 0) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: '{}' is no price; write input, output and cached_input, in US$ "
                              "a million tokens",
                              model, name));
    }
    const double number = value.get<double>();
    if (name == "input") price.input = number;
    if (name == "output") price.output = number;
    if (name == "cached_input") price.cached_input = number;
  }
  return price;
}

}  // namespace

Spend& Spend::operator+=(const Spend& other) {
  calls += other.calls;
  input_tokens += other.input_tokens;
  output_tokens += other.output_tokens;
  cost += other.cost;
  unpriced += other.unpriced;
  return *this;
}

Result<PriceTable> PriceTable::parse(std::string_view text) {
  auto parsed = parse_json_strict(text, 8);
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument, parsed.error().message);
  }
  const Json& json = *parsed;
  PriceTable table;
  if (!json.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "must be an object of models and their prices");
  }
  for (const auto& [model, members] : json.items()) {
    if (!members.is_object()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: must be an object", model));
    }
    TRY_ASSIGN(table.prices_[model], read_price(model, members));
  }
  return table;
}

const PriceTable::Price* PriceTable::find(std::string_view model, std::string_view provider) const {
  auto found = prices_.find(fmt::format("{}/{}", provider, model));
  if (found == prices_.end()) found = prices_.find(fmt::format("{}/*", provider));
  if (found == prices_.end()) found = prices_.find(model);
  if (found == prices_.end()) found = prices_.find("*");
  return found == prices_.end() ? nullptr : &found->second;
}

Spend spend_of(const Response& response, const PriceTable& prices) {
  const Json& data =
      response.is_success() ? response.data : named(response.failure->details, "answer");
  const Json& usage = named(data, "usage");
  Spend spend;
  // What came from a cache was paid for once.
  if (!usage.is_object() || named(data, "cached") == true) return spend;
  spend.calls = 1;
  spend.input_tokens = count_of(usage, "input_tokens");
  spend.output_tokens = count_of(usage, "output_tokens");
  const Json& cost = named(data, "cost");
  const auto* price = prices.find(word_of(data, "model"), word_of(data, "provider"));
  if (cost.is_number()) {
    spend.cost = cost.get<double>();
  } else if (price != nullptr) {
    spend.cost = cost_of(*price, spend, count_of(usage, "cached_input_tokens"));
  } else {
    spend.unpriced = 1;
  }
  return spend;
}

}  // namespace filecall::client
