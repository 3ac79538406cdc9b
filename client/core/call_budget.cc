// SPDX-License-Identifier: MIT
#include "client/core/call_budget.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

/// Texts in English have four bytes a token, others fewer; each message has a few of its own.
constexpr std::int64_t kBytesPerToken = 3;
constexpr std::int64_t kTokensPerMessage = 8;
constexpr std::int64_t kTokensPerImage = 2000;
/// What a call may use beyond the most that one of its model has used.
constexpr double kMargin = 1.5;
/// Sums of prices are not exact.
constexpr double kRoundingShare = 1e-9;

std::int64_t tokens_of(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.starts_with("data:")) return kTokensPerImage;
    return static_cast<std::int64_t>(text.size()) / kBytesPerToken + 1;
  }
  std::int64_t tokens = value.is_object() ? kTokensPerMessage : 0;
  if (value.is_structured()) {
    for (const Json& inner : value) tokens += tokens_of(inner);
  }
  return tokens;
}

std::string param_text(const Json& params, const char* name) {
  const auto found = params.find(name);
  return found != params.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// More than any answer has; what is counted here is added up.
constexpr std::int64_t kTokensMax = 1'000'000'000'000;

std::int64_t whole_of(const Json& params, const char* name, std::int64_t fallback) {
  const auto found = params.find(name);
  return found != params.end() && found->is_number_integer() ? found->get<std::int64_t>()
                                                             : fallback;
}

/// The most that one choice may have; -1: it is not said.
std::int64_t most_output(const Json& params) {
  const auto body = params.find("responses_body");
  const bool has_body = body != params.end() && body->is_object();
  const std::int64_t in_body = has_body ? whole_of(*body, "max_output_tokens", -1) : -1;
  return whole_of(params, "max_tokens", in_body);
}

/// Four decimals, and for less than a cent as many as show two digits.
std::string dollars(double cost) {
  const int decimals =
      cost > 0 && cost < 0.01 ? 1 - static_cast<int>(std::floor(std::log10(cost))) : 4;
  return fmt::format("{:.{}f}", cost, std::clamp(decimals, 4, 12));
}

std::string key_of(const CallEstimate& call) { return call.provider + "/" + call.model; }

}  // namespace

CallEstimate estimate_call(std::string_view request_text) {
  CallEstimate call;
  const auto parsed = parse_json_strict(request_text, limits::kDepth);
  if (!parsed || !parsed->is_object()) return call;
  const std::string command = param_text(*parsed, "command");
  const auto params = parsed->find("params");
  call.asks_model = command == "llm.chat" || command == "llm.embed";
  if (!call.asks_model || params == parsed->end() || !params->is_object()) return call;
  call.model = param_text(*params, "model");
  call.provider = param_text(*params, "provider");
  call.input_tokens = tokens_of(*params);
  if (command == "llm.embed") {
    call.output_tokens = 0;
  } else if (const std::int64_t most = most_output(*params); most >= 0) {
    call.output_tokens =
        std::min(most, kTokensMax) * std::max<std::int64_t>(1, whole_of(*params, "n", 1));
  }
  return call;
}

CallBudget::CallBudget(const RunLimits& limits, TokenPrices prices, const Spend& earlier)
    : limits_(limits), prices_(std::move(prices)) {
  if (earlier.calls == 0) return;
  const auto calls = static_cast<double>(earlier.calls);
  earlier_mean_ = Amount{earlier.cost / calls, static_cast<double>(earlier.tokens()) / calls};
}

const CallBudget::Amount* CallBudget::most_used(const CallEstimate& call) const {
  const auto found = most_used_.find(key_of(call));
  if (found != most_used_.end()) return &found->second;
  return earlier_mean_ ? &*earlier_mean_ : nullptr;
}

bool CallBudget::is_bounded(const CallEstimate& call) const {
  const bool is_priced = !limits_.cost || prices_.find(call.provider, call.model, "") != nullptr;
  return call.output_tokens && is_priced;
}

std::optional<CallBudget::Amount> CallBudget::worst_case(const CallEstimate& call) const {
  if (!is_bounded(call)) {
    const Amount* const used = most_used(call);
    if (used == nullptr) return std::nullopt;
    return Amount{used->cost * kMargin, used->tokens * kMargin};
  }
  const TokenPrice* price = prices_.find(call.provider, call.model, "");
  Amount amount;
  amount.tokens = static_cast<double>(call.input_tokens + *call.output_tokens);
  if (price != nullptr) amount.cost = price->cost(call.input_tokens, 0, *call.output_tokens);
  return amount;
}

bool CallBudget::fits(const Amount& amount, const Amount& others, const Spend& spent) const {
  const auto keeps = [](double used, double limit) { return used <= limit * (1 + kRoundingShare); };
  return (!limits_.cost || keeps(spent.cost + others.cost + amount.cost, *limits_.cost)) &&
         (!limits_.tokens ||
          keeps(static_cast<double>(spent.tokens()) + others.tokens + amount.tokens,
                static_cast<double>(*limits_.tokens)));
}

std::string CallBudget::refusal(const Amount& most, const Spend& spent) const {
  if (limits_.tokens &&
      static_cast<double>(spent.tokens()) + most.tokens > static_cast<double>(*limits_.tokens)) {
    return fmt::format("{} tokens were used and the next call may use {:.0f} (--max-tokens {})",
                       spent.tokens(), most.tokens, *limits_.tokens);
  }
  return fmt::format("US$ {} were spent and the next call may cost {} (--max-cost {})",
                     dollars(spent.cost), dollars(most.cost), limits_.cost.value_or(0));
}

AdmissionVerdict CallBudget::admit(const CallEstimate& call, const Spend& spent,
                                   bool is_running) const {
  if (!is_needed() || !call.asks_model) return {};
  if (alone_ > 0 && is_running) return {Admission::kHold, {}};
  const auto worst = worst_case(call);
  if (worst && fits(*worst, sum_, spent)) return {};
  if (is_running) return {Admission::kHold, {}};
  if (!worst) return {};
  // There will be room when those have ended that wait.
  if (fits(*worst, {}, spent)) return {Admission::kHold, {}};
  // Alone it may use up what is left, without the margin.
  if (!is_bounded(call) && fits(*most_used(call), {}, spent)) return {};
  return {Admission::kStop, refusal(is_bounded(call) ? *worst : *most_used(call), spent)};
}

void CallBudget::reserve(const std::string& id, const CallEstimate& call, const Spend& spent) {
  if (!is_needed() || !call.asks_model) return;
  const auto worst = worst_case(call);
  Reservation made{key_of(call), worst.value_or(Amount{}), !worst || !fits(*worst, sum_, spent)};
  const auto [at, is_new] = reserved_.try_emplace(id, std::move(made));
  if (!is_new) return;
  sum_.cost += at->second.amount.cost;
  sum_.tokens += at->second.amount.tokens;
  alone_ += at->second.is_alone ? 1 : 0;
}

void CallBudget::release(std::string_view id, const Spend& used) {
  const auto found = reserved_.find(id);
  if (found == reserved_.end()) return;
  const Reservation& made = found->second;
  if (used.calls > 0) {
    Amount& most = most_used_[made.model];
    const auto calls = static_cast<double>(used.calls);
    most.cost = std::max(most.cost, used.cost / calls);
    most.tokens = std::max(most.tokens, static_cast<double>(used.tokens()) / calls);
  }
  sum_.cost -= made.amount.cost;
  sum_.tokens -= made.amount.tokens;
  alone_ -= made.is_alone ? 1 : 0;
  reserved_.erase(found);
  if (reserved_.empty()) sum_ = {};
}

bool CallBudget::has_excess(const Spend& spent) const {
  return is_needed() && alone_ == 0 && !fits(Amount{}, sum_, spent);
}

}  // namespace filecall::client
