// SPDX-License-Identifier: MIT
#include "client/approval/core/approval_decision.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client/approval/core/bundle.h"
#include "client/approval/core/signature.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr ApprovalScope kScopes[] = {ApprovalScope::kOnce, ApprovalScope::kRun,
                                     ApprovalScope::kThread, ApprovalScope::kProject};

const Json* call_of(const Json& request, int n) {
  for (const Json& call : request["calls"]) {
    if (call["n"] == n) return &call;
  }
  return nullptr;
}

std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Unexpected<Error> not_valid(std::string text) {
  return fail(ErrorCode::kInvalidArgument, "the decision: " + std::move(text));
}

Result<void> check_call(const Json& shown, const CallDecision& one) {
  if (!one.approved && (one.modified_arguments || !one.hunks.empty())) {
    return not_valid(fmt::format("call {} is denied; leave out its arguments and hunks", one.n));
  }
  if (one.modified_arguments && !one.modified_arguments->is_object()) {
    return not_valid(fmt::format("the arguments of call {} must be an object", one.n));
  }
  const Json offered = shown.value("hunks", Json::array());
  for (const std::string& hunk : one.hunks) {
    if (std::find(offered.begin(), offered.end(), hunk) == offered.end()) {
      return not_valid(fmt::format("call {} has no hunk {}", one.n, excerpt(hunk, 60)));
    }
  }
  return {};
}

/// One entry for each call, and the rules of the scope.
Result<ApprovalDecision> completed(const Json& request, ApprovalDecision decision,
                                   bool default_approved) {
  std::vector<CallDecision> given = std::exchange(decision.calls, {});
  std::set<int> numbers;
  for (const CallDecision& one : given) {
    const Json* shown = call_of(request, one.n);
    if (shown == nullptr) {
      return not_valid(fmt::format("there is no call {}; 'filecall approvals' lists them", one.n));
    }
    if (!numbers.insert(one.n).second) {
      return not_valid(fmt::format("call {} is decided twice", one.n));
    }
    TRY(check_call(*shown, one));
  }
  decision.rules.clear();
  for (const Json& shown : request["calls"]) {
    const int n = shown["n"].get<int>();
    const auto found = std::find_if(given.begin(), given.end(),
                                    [n](const CallDecision& one) { return one.n == n; });
    CallDecision one;
    if (found != given.end()) {
      one = std::move(*found);
    } else {
      one.n = n;
      one.approved = default_approved;
    }
    if (one.approved && decision.scope != ApprovalScope::kOnce) {
      const auto storable = shown.find("storable");
      if (storable == shown.end() || one.modified_arguments) {
        return not_valid(fmt::format("call {} can be approved only once: {}", n,
                                     one.modified_arguments ? "its arguments were changed"
                                                            : text_member(shown, "notStorable")));
      }
      decision.rules.push_back((*storable)["rule"]);
    }
    decision.calls.push_back(std::move(one));
  }
  return decision;
}

Result<CallDecision> read_call(const Json& json) {
  CallDecision one;
  if (!json.is_object() || !json.contains("n") || !json["n"].is_number_integer() ||
      !json.contains("approved") || !json["approved"].is_boolean()) {
    return not_valid("each of calls needs n and approved");
  }
  const std::int64_t n = json["n"].get<std::int64_t>();
  if (n < 1 || n > 1'000'000) return not_valid("n counts from 1");
  one.n = static_cast<int>(n);
  one.approved = json["approved"].get<bool>();
  if (json.contains("modifiedArguments")) one.modified_arguments = json["modifiedArguments"];
  for (const Json& hunk : json.value("hunks", Json::array())) {
    if (!hunk.is_string()) return not_valid("hunks are texts");
    one.hunks.push_back(hunk.get<std::string>());
  }
  one.reason = text_member(json, "reason");
  return one;
}

Result<ApprovalDecision> read_decision(const Json& file, const Json& request) {
  ApprovalDecision decision;
  decision.id = text_member(file, "id");
  decision.digest = text_member(file, "digest");
  decision.reason = text_member(file, "reason");
  decision.source = text_member(file, "source");
  decision.by = text_member(file, "by");
  const auto scope = parse_scope(file.contains("scope") ? text_member(file, "scope") : "once");
  const auto at = parse_rfc3339(text_member(file, "decidedAt"));
  if (!scope) return not_valid("scope is once, run, thread or project");
  if (!at) return not_valid("decidedAt is no time");
  decision.scope = *scope;
  decision.decided_at = *at;
  if (!file.contains("approved") || !file["approved"].is_boolean()) {
    return not_valid("approved must be true or false");
  }
  const Json calls = file.value("calls", Json::array());
  if (!calls.is_array()) return not_valid("calls must be a list");
  for (const Json& one : calls) {
    TRY_ASSIGN(CallDecision call, read_call(one));
    decision.calls.push_back(std::move(call));
  }
  if (file.contains("modifiedArguments")) {
    if (request["calls"].size() != 1 || !decision.calls.empty()) {
      return not_valid("modifiedArguments beside several calls belong into calls");
    }
    CallDecision one;
    one.n = request["calls"][0]["n"].get<int>();
    one.approved = file["approved"].get<bool>();
    one.modified_arguments = file["modifiedArguments"];
    decision.calls.push_back(std::move(one));
  }
  return decision;
}

}  // namespace

std::string_view to_string(ApprovalScope scope) {
  constexpr std::string_view kNames[] = {"once", "run", "thread", "project"};
  return kNames[static_cast<int>(scope)];
}

std::optional<ApprovalScope> parse_scope(std::string_view name) {
  for (const ApprovalScope scope : kScopes) {
    if (to_string(scope) == name) return scope;
  }
  return std::nullopt;
}

Result<Json> decision_file(const Json& request, const ApprovalDecision& decision,
                           std::string_view key) {
  TRY(check_bundle(request));
  TRY_ASSIGN(const ApprovalDecision whole, completed(request, decision, false));
  const bool is_approved = std::all_of(whole.calls.begin(), whole.calls.end(),
                                       [](const CallDecision& one) { return one.approved; });
  Json file = {{"id", request["id"]},
               {"digest", request["digest"]},
               {"policyDigest", request["policyDigest"]},
               {"approved", is_approved},
               {"scope", to_string(whole.scope)},
               {"source", whole.source},
               {"by", whole.by},
               {"decidedAt", format_rfc3339(whole.decided_at)},
               {"calls", Json::array()}};
  if (!whole.reason.empty()) file["reason"] = whole.reason;
  for (const CallDecision& one : whole.calls) {
    Json call = {{"n", one.n}, {"approved", one.approved}};
    if (one.modified_arguments) call["modifiedArguments"] = *one.modified_arguments;
    if (!one.hunks.empty()) call["hunks"] = one.hunks;
    if (!one.reason.empty()) call["reason"] = one.reason;
    file["calls"].push_back(std::move(call));
  }
  if (!whole.rules.empty()) file["rules"] = whole.rules;
  file["signature"] = signature_of(file, key);
  return file;
}

Result<ApprovalDecision> check_decision(const Json& file, const DecisionCheck& check) {
  TRY(check_bundle(check.request));
  if (!file.is_object()) return not_valid("it is no object");
  if (!file.contains("signature")) {
    return fail(ErrorCode::kUnauthenticated, "it has no signature; 'filecall approve' signs");
  }
  if (!is_signed(file, check.key)) {
    return fail(ErrorCode::kUnauthenticated,
                "its signature is not by this root's key, or its text was changed afterwards");
  }
  TRY_ASSIGN(ApprovalDecision decision, read_decision(file, check.request));
  const auto refuse = [](std::string text) {
    return fail(ErrorCode::kFailedPrecondition, std::move(text));
  };
  if (decision.id != check.request["id"]) {
    return refuse(fmt::format("it decides {}", excerpt(decision.id, 80)));
  }
  if (decision.digest != check.request["digest"]) {
    return refuse("it decides another bundle than the one that is asked now");
  }
  if (check.request["policyDigest"] != check.policy_digest) {
    return refuse("the policy has changed since the approval was asked for");
  }
  if (check.request.value("scenarioDigest", std::string()) != check.scenario_digest) {
    return refuse("the scenario has changed since the approval was asked for");
  }
  if (file.contains("policyDigest") && file["policyDigest"] != check.request["policyDigest"]) {
    return refuse("it was made under another policy than the approval was asked for");
  }
  // Who writes whole seconds may be up to one behind.
  const auto asked = parse_rfc3339(text_member(check.request, "createdAt"));
  if (asked && decision.decided_at + seconds(1) <= *asked) {
    return refuse(fmt::format("it says {}, before the approval was asked for at {}",
                              text_member(file, "decidedAt"),
                              text_member(check.request, "createdAt")));
  }
  const auto expires = parse_rfc3339(text_member(check.request, "expiresAt"));
  if (expires && decision.decided_at > *expires) {
    return refuse(fmt::format("it came after {}", text_member(check.request, "expiresAt")));
  }
  return completed(check.request, std::move(decision), file["approved"].get<bool>());
}

Result<Verdict> decide_modified(const Policy& policy, CallToDecide call, const Json& arguments) {
  call.args = arguments;
  call.preview = std::nullopt;
  Verdict verdict = policy.decide(call);
  if (verdict.decision == Decision::kDeny) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("the policy denies the changed arguments: {}", verdict.deny_reason));
  }
  return verdict;
}

}  // namespace filecall::client
