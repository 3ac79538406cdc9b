// SPDX-License-Identifier: MIT
#include "client/batch/run_plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/core/call_budget.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kBytesPerToken = 4;
constexpr double kTokensMax = 1e12;  // More than any model answers; the limits are added up.

/// Bytes of all texts but images written into the request.
std::int64_t text_bytes(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return text.starts_with("data:") ? 0 : static_cast<std::int64_t>(text.size());
  }
  std::int64_t bytes = 0;
  if (value.is_structured()) {
    for (const Json& inner : value) bytes += text_bytes(inner);
  }
  return bytes;
}

std::string word_of(const Json& params, const char* name) {
  const auto found = params.find(name);
  return found != params.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double priced(const TokenPrice& price, double input, double output) {
  return (input * price.input + output * price.output) / 1e6;
}

double mean_of_calls(const PlanRow& row, double sum) {
  return sum / static_cast<double>(row.earlier.calls) * static_cast<double>(row.left());
}

}  // namespace

EstimatedRange estimated_tokens(const PlanRow& row) {
  if (row.earlier.calls > 0) {
    const double mean = mean_of_calls(row, static_cast<double>(row.earlier.tokens()));
    return {mean, mean};
  }
  const auto input = static_cast<double>(row.input_tokens);
  if (row.unlimited > 0) return {input, std::nullopt};
  return {input, input + static_cast<double>(row.output_tokens_max)};
}

std::optional<EstimatedRange> estimated_cost(const PlanRow& row, const TokenPrices& prices) {
  if (row.earlier.calls > 0 && row.earlier.unpriced == 0) {
    const double mean = mean_of_calls(row, row.earlier.cost);
    return EstimatedRange{mean, mean};
  }
  const TokenPrice* price = prices.find(row.provider, row.model, "");
  if (price == nullptr) return std::nullopt;
  const auto input = static_cast<double>(row.input_tokens);
  EstimatedRange estimate{priced(*price, input, 0), std::nullopt};
  if (row.unlimited == 0) {
    estimate.most = priced(*price, input, static_cast<double>(row.output_tokens_max));
  }
  return estimate;
}

void RunPlan::add(std::string_view request_text, const std::optional<Spend>& ended) {
  const auto parsed = parse_json_strict(request_text, limits::kDepth);
  if (!parsed || !parsed->is_object()) return;
  const Json& request = *parsed;
  const Json params = request.value("params", Json::object());
  const std::string command = word_of(request, "command");
  const bool asks_model = command == "llm.chat" || command == "llm.embed";
  const std::string model = asks_model ? word_of(params, "model") : "";
  const std::string provider = asks_model ? word_of(params, "provider") : "";
  const std::string name = !asks_model        ? command
                           : provider.empty() ? (model.empty() ? "(default model)" : model)
                                              : provider + "/" + model;
  PlanRow& row = rows_[name];
  row.name = name;
  row.model = model;
  row.provider = provider;
  row.asks_model = asks_model;
  ++row.requests;
  if (ended) {
    ++row.ended;
    row.earlier += *ended;
    return;
  }
  if (sample_.empty()) sample_ = request_text;
  if (!asks_model) return;
  row.input_tokens += text_bytes(params) / kBytesPerToken + 1;
  if (command == "llm.embed") return;
  if (const auto limit = estimate_call(request_text).output_tokens) {
    const double tokens = std::clamp(static_cast<double>(*limit), 0.0, kTokensMax);
    row.output_tokens_max += static_cast<std::int64_t>(tokens);
  } else {
    ++row.unlimited;
  }
}

PlanRow RunPlan::total() const {
  PlanRow total;
  total.name = "all";
  for (const auto& [name, row] : rows_) {
    total.requests += row.requests;
    total.ended += row.ended;
    total.earlier += row.earlier;
  }
  return total;
}

Result<RunPlan> plan_run(
    SubmissionFeed& feed,
    const std::function<Result<std::optional<Spend>>(const std::string& id)>& ended) {
  RunPlan plan;
  for (;;) {
    TRY_ASSIGN(const Offer offer, feed.next());
    if (offer.kind != Offer::Kind::kSubmission) return plan;
    TRY_ASSIGN(const auto used, ended(offer.submission.request_id));
    plan.add(offer.submission.bytes, used);
  }
}

}  // namespace filecall::client
