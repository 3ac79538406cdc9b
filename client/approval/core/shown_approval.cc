// SPDX-License-Identifier: MIT
#include "client/approval/core/shown_approval.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/approval/core/signature.h"

namespace filecall::client {
namespace {

std::string member_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json hidden(const Json& value, std::string_view key) {
  const std::string text = value.is_string() ? value.get<std::string>() : dump_json(value);
  if (key.empty()) return fmt::format("(hidden: {} bytes)", text.size());
  const std::string hash = signature_of({{"value", text}}, key);
  return fmt::format("(hidden: {} bytes, {})", text.size(), hash.substr(5, 15));
}

/// All that is named data or stringData, however deep, and the copy that kubectl keeps of it.
void hide_values(Json& object, std::string_view key) {
  if (object.is_array()) {
    for (Json& one : object) hide_values(one, key);
    return;
  }
  if (!object.is_object()) return;
  for (auto& [name, value] : object.items()) {
    if (name == "kubectl.kubernetes.io/last-applied-configuration") {
      value = hidden(value, key);
    } else if (name != "data" && name != "stringData") {
      hide_values(value, key);
    } else if (value.is_object()) {
      for (auto& [inner_name, inner] : value.items()) inner = hidden(inner, key);
    } else {
      value = hidden(value, key);
    }
  }
}

}  // namespace

CallToDecide call_to_decide(const Json& request, const Json& call) {
  CallToDecide out;
  out.tool = member_text(call, "toolId");
  out.args = call.value("arguments", Json::object());
  out.least_risk = member_text(call, "riskLevel");
  out.working_directory = member_text(call, "workingDirectory");
  out.project = member_text(call, "project");
  if (const auto sandbox = call.find("sandbox"); sandbox != call.end() && sandbox->is_object()) {
    out.sandbox = {member_text(*sandbox, "level"), sandbox->value("hidesRoot", false),
                   sandbox->value("hasNetwork", true),
                   sandbox->value("roots", std::vector<std::string>())};
  }
  out.scenario = member_text(request, "scenario");
  out.thread = member_text(request, "thread");
  out.run = member_text(request, "run");
  out.args_from_outside = call.value("argumentsFromOutside", false);
  if (call.contains("preview")) out.preview = call["preview"];
  if (call.contains("impact")) out.impact = call["impact"];
  out.impact_error = member_text(call, "impactError");
  return out;
}

Json arguments_to_show(const Json& call, std::string_view key) {
  return arguments_to_show(member_text(call, "toolId"), call.value("arguments", Json::object()),
                           key);
}

Json arguments_to_show(std::string_view tool, Json args, std::string_view key) {
  std::string kind = member_text(args, "kind");
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (!tool.starts_with("kube.") || !kind.starts_with("secret")) return args;
  hide_values(args, key);
  for (const char* member : {"values", "patch"}) {
    const bool is_text = args.contains(member) && !args[member].is_structured();
    if (is_text) args[member] = hidden(args[member], key);
  }
  if (args.contains("manifestYaml")) args["manifestYaml"] = hidden(args["manifestYaml"], key);
  return args;
}

void hide_secrets(Json& record, std::string_view key) {
  if (record.is_object()) {
    std::string tool = member_text(record, "tool");
    if (tool.empty()) tool = member_text(record, "toolId");
    if (tool.empty()) tool = member_text(record, "command");
    if (tool.empty()) tool = "kube.";  // A decision names no tool; the kind says enough.
    for (const char* member : {"args", "arguments", "params", "modifiedArguments"}) {
      const auto found = record.find(member);
      const bool is_call = found != record.end() && found->is_object();
      if (is_call) *found = arguments_to_show(tool, std::move(*found), key);
    }
  }
  if (!record.is_structured()) return;
  for (auto& inner : record) hide_secrets(inner, key);
}

std::string outcome_text(const ApprovalDecision& decision) {
  const auto count = std::count_if(decision.calls.begin(), decision.calls.end(),
                                   [](const CallDecision& one) { return one.approved; });
  const std::size_t approved = static_cast<std::size_t>(count);
  if (approved == 0) return "denied";
  if (approved == decision.calls.size()) return "approved";
  return fmt::format("approved in part ({} of {} calls)", approved, decision.calls.size());
}

std::string changed_outcome_text(const ApprovalDecision& decision) {
  const bool has_args = std::ranges::any_of(
      decision.calls, [](const CallDecision& one) { return one.modified_arguments.has_value(); });
  const bool has_hunks = std::ranges::any_of(
      decision.calls, [](const CallDecision& one) { return !one.hunks.empty(); });
  return outcome_text(decision) + (has_args ? ", with altered arguments" : "") +
         (has_hunks ? ", some hunks alone" : "");
}

Json decision_to_show(const ApprovalDecision& decision) {
  Json json = {{"id", decision.id},
               {"outcome", outcome_text(decision)},
               {"scope", to_string(decision.scope)},
               {"source", decision.source},
               {"by", decision.by},
               {"decidedAt", format_rfc3339(decision.decided_at)},
               {"calls", Json::array()}};
  if (!decision.reason.empty()) json["reason"] = decision.reason;
  for (const CallDecision& one : decision.calls) {
    Json call = {{"n", one.n}, {"approved", one.approved}};
    if (one.modified_arguments) call["modifiedArguments"] = *one.modified_arguments;
    if (!one.hunks.empty()) call["hunks"] = one.hunks;
    if (!one.reason.empty()) call["reason"] = one.reason;
    json["calls"].push_back(std::move(call));
  }
  if (!decision.rules.empty()) json["rules"] = decision.rules;
  return json;
}

Json verdict_json(const Verdict& verdict) {
  Json json = {{"decision", to_string(verdict.decision)},
               {"riskLevel", to_string(verdict.risk)},
               {"reasons", verdict.reasons},
               {"matched", Json::array()}};
  if (!verdict.rule.empty()) {
    json["decidedBy"] = {{"rule", verdict.rule}, {"file", verdict.file}, {"line", verdict.line}};
  }
  if (!verdict.deny_reason.empty()) json["denyReason"] = verdict.deny_reason;
  for (const MatchedRule& one : verdict.matched) {
    Json rule = {{"decision", to_string(one.decision)},
                 {"rule", one.text},
                 {"file", one.file},
                 {"line", one.line}};
    if (!one.reason.empty()) rule["reason"] = one.reason;
    if (one.is_possible_only) rule["possibleOnly"] = true;
    json["matched"].push_back(std::move(rule));
  }
  return json;
}

}  // namespace filecall::client
