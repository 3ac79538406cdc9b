// SPDX-License-Identifier: MIT
#include "client/eval/judge_record.h"

#include <utility>

#include "client/eval/judge_prompt.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

/// Of a judge's own words, in the record.
constexpr std::size_t kJudgeReasonBytesMax = 1000;

void put_param(const Json& params, const char* name, const char* as, Json& out) {
  const auto found = params.find(name);
  if (found != params.end() && found->is_string()) out[as] = *found;
}

/// Adds what a reply says it used; false: it was given up, or says nothing.
bool add_usage(const Reply* reply, Json& usage, std::optional<double>& cost) {
  if (reply == nullptr || !reply->response || !reply->response->data.is_object()) return false;
  const Json& data = reply->response->data;
  const auto cost_member = data.find("cost");
  const bool has_cost = cost_member != data.end() && cost_member->is_number();
  if (!has_cost) cost.reset();
  if (cost) *cost += cost_member->get<double>();
  const auto found = data.find("usage");
  if (found == data.end() || !found->is_object()) return false;
  for (const char* name : {"input_tokens", "cached_input_tokens", "output_tokens"}) {
    const auto member = found->find(name);
    if (member == found->end() || !member->is_number_integer()) continue;
    usage[name] = usage.value(name, std::int64_t{0}) + member->get<std::int64_t>();
  }
  return true;
}

/// `AnyJson`: Json, or const Json. Choices have no choices of their own.
template <typename AnyJson, typename Visit>
void visit_records(AnyJson& details, const Visit& visit, bool may_have_choices = true) {
  if (!details.is_object()) return;
  const auto judges = details.find("judges");
  if (judges != details.end() && judges->is_array()) {
    for (auto& record : *judges) {
      if (record.is_object()) visit(record);
    }
  }
  const auto choices = details.find("choices");
  if (!may_have_choices || choices == details.end() || !choices->is_array()) return;
  for (auto& choice : *choices) visit_records(choice, visit, false);
}

}  // namespace

Question question_for(const Judge& judge, Json messages,
                      const std::optional<JudgeScale>& structured, bool again) {
  Json params = judge.params;
  params["messages"] = std::move(messages);
  if (structured) params["response_format"] = verdict_format(*structured);
  return make_question("llm.chat", std::move(params),
                       "judge " + judge.name + (again ? ", asked again" : ""));
}

Json judge_record(const Judge& judge, const JudgeVerdict& verdict, std::string_view request_id,
                  const Reply* first, std::string_view second_id, const Reply* second) {
  Json record = {{"judge", judge.name},
                 {"request_id", request_id},
                 {"verdict", verdict.score ? Json(verdict.said) : Json()},
                 {"score", verdict.score ? Json(*verdict.score) : Json()},
                 {"reason", excerpt(verdict.reason, kJudgeReasonBytesMax)}};
  if (!verdict.model.empty()) record["model"] = verdict.model;
  put_param(judge.params, "model", "asked_model", record);
  put_param(judge.params, "provider", "provider", record);
  if (second != nullptr) record["second_request_id"] = second_id;
  Json usage = Json::object();
  std::optional<double> cost = 0;
  bool has_usage = add_usage(first, usage, cost);
  if (second != nullptr) has_usage = add_usage(second, usage, cost) && has_usage;
  if (has_usage && !usage.empty()) record["usage"] = std::move(usage);
  if (cost && has_usage) record["cost"] = *cost;
  return record;
}

void each_judge_record(Json& details, const std::function<void(Json& record)>& visit) {
  visit_records(details, visit);
}

void each_judge_record(const Json& details, const std::function<void(const Json& record)>& visit) {
  visit_records(details, visit);
}

std::optional<double> cost_of_record(const Json& record, const TokenPrices& prices) {
  if (const auto cost = record.find("cost"); cost != record.end() && cost->is_number()) {
    return cost->get<double>();
  }
  const auto usage = record.find("usage");
  if (usage == record.end() || !usage->is_object()) return std::nullopt;
  const auto text = [&record](const char* name) {
    const auto found = record.find(name);
    return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto tokens = [&usage](const char* name) {
    const auto found = usage->find(name);
    return found != usage->end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  };
  const TokenPrice* price = prices.find(text("provider"), text("asked_model"), text("model"));
  if (price == nullptr) return std::nullopt;
  return price->cost(tokens("input_tokens"), tokens("cached_input_tokens"),
                     tokens("output_tokens"));
}

void price_judges(Json& details, const TokenPrices& prices) {
  if (prices.empty()) return;
  each_judge_record(details, [&](Json& record) {
    if (const auto cost = cost_of_record(record, prices)) record["cost"] = *cost;
  });
}

}  // namespace filecall::client
