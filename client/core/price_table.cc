// SPDX-License-Identifier: MIT
#include "client/core/price_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

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
  // More tokens than any answer has; what is counted here is added up.
  constexpr std::int64_t kCountMax = 1'000'000'000'000;
  if (!value.is_number_integer() || value.get<double>() <= 0) return 0;
  return value.get<double>() < static_cast<double>(kCountMax) ? value.get<std::int64_t>()
                                                              : kCountMax;
}

std::string word_of(const Json& data, const char* name) {
  const Json& value = named(data, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// US$. An answer is anybody's word, and a limit on what a run may cost is held against the sum.
constexpr double kCostMax = 1e12;

Result<void> read_price(const std::string& model, const Json& members, TokenPrices& prices) {
  TokenPrice price;
  std::vector<std::string> names = {model};
  for (const auto& [name, value] : members.items()) {
    const bool is_price = name == "input" || name == "output" || name == "cached_input";
    if (name == "aliases" && value.is_array() &&
        std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); })) {
      for (const Json& alias : value) names.push_back(alias.get<std::string>());
      continue;
    }
    if (!is_price || !value.is_number() || value < 0) {
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format("{}: '{}' is not a price; write input, output and cached_input, in US$ "
                      "a million tokens, and aliases, a list of other names",
                      model, name));
    }
    const double number = value.get<double>();
    if (name == "input") price.input = number;
    if (name == "output") price.output = number;
    if (name == "cached_input") price.cached_input = number;
  }
  for (const std::string& name : names) {
    if (prices.add(name, price)) continue;
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: '{}' has two prices", model, name));
  }
  return {};
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

Result<TokenPrices> parse_prices(std::string_view text) {
  auto parsed = parse_json_strict(text, 8);
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument, parsed.error().message);
  }
  const Json& json = *parsed;
  if (!json.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "must be an object of models and their prices");
  }
  TokenPrices prices;
  for (const auto& [model, members] : json.items()) {
    if (!members.is_object()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: must be an object", model));
    }
    TRY(read_price(model, members, prices));
  }
  return prices;
}

std::optional<double> said_cost(const Json& data) {
  const Json& cost = named(data, "cost");
  if (!cost.is_number()) return std::nullopt;
  return std::clamp(cost.get<double>(), 0.0, kCostMax);
}

std::optional<double> cost_of_data(const Json& data, const TokenPrices& prices) {
  if (const auto cost = said_cost(data)) return cost;
  const Json& usage = named(data, "usage");
  const bool says_tokens = named(usage, "input_tokens").is_number_integer() ||
                           named(usage, "output_tokens").is_number_integer();
  if (!says_tokens) return std::nullopt;
  const TokenPrice* price = prices.find(word_of(data, "provider"), word_of(data, "requested_model"),
                                        word_of(data, "model"));
  if (price == nullptr) return std::nullopt;
  return price->cost(count_of(usage, "input_tokens"), count_of(usage, "cached_input_tokens"),
                     count_of(usage, "output_tokens"));
}

Spend spend_of(const Response& response, const TokenPrices& prices) {
  const Json& data =
      response.is_success() ? response.data : named(response.failure->details, "answer");
  const Json& usage = named(data, "usage");
  Spend spend;
  // What came from a cache was paid for once.
  if (!usage.is_object() || named(data, "cached") == true) return spend;
  spend.calls = 1;
  spend.input_tokens = count_of(usage, "input_tokens");
  spend.output_tokens = count_of(usage, "output_tokens");
  const auto cost = cost_of_data(data, prices);
  spend.cost = cost.value_or(0);
  spend.unpriced = cost ? 0 : 1;
  return spend;
}

Spend priced_again(Spend counted, const Response& last, const TokenPrices& prices) {
  if (counted.unpriced == 0 || counted.unpriced < counted.calls) return counted;
  const Spend now = spend_of(last, prices);
  if (now.calls == 0 || now.unpriced > 0) return counted;
  counted.cost += now.cost;
  --counted.unpriced;
  return counted;
}

}  // namespace filecall::client
