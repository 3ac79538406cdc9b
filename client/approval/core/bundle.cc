// SPDX-License-Identifier: MIT
#include "client/approval/core/bundle.h"

#include <fmt/core.h>

#include <set>

#include "base/shell_word.h"
#include "base/visible_text.h"
#include "client/approval/core/stored_rule.h"
#include "client/core/digest.h"

namespace filecall::client {
namespace {

std::string default_preview(const CallToDecide& call) {
  std::string text;
  for (const std::string& word : argv_of(call.args)) {
    text += (text.empty() ? "$ " : " ") + visible_shell_word(word);
  }
  const auto declared = call.args.find("tool");
  if (text.empty() && call.tool == "tool.run" && declared != call.args.end()) {
    // Its program stands where no model writes.
    text = fmt::format(
        "tool: {}, whose program the worker's configuration declares",
        visible_line(declared->is_string() ? declared->get<std::string>() : dump_json(*declared)));
  }
  if (text.empty()) return {};
  const auto cwd = call.args.find("cwd");
  std::string place = call.tool_directory.empty() ? call.working_directory : call.tool_directory;
  if (cwd != call.args.end() && cwd->is_string()) {
    const std::string& named = cwd->get_ref<const std::string&>();
    place = named.starts_with('/') || place.empty() ? named : place + "/" + named;
  }
  if (!place.empty()) text += "\ndirectory: " + visible_line(place);
  if (call.tool == "tool.run") {
    text += fmt::format("\nsandbox: {}{}", visible_line(call.sandbox.level),
                        call.sandbox.has_network ? "" : ", without network");
  }
  return text;
}

Json rule_json(const Verdict& verdict) {
  if (verdict.rule.empty()) return nullptr;
  return {{"rule", verdict.rule}, {"file", verdict.file}, {"line", verdict.line}};
}

Json call_json(const std::string& bundle_id, const BundleCall& one) {
  const CallToDecide& call = one.call;
  Json json = {{"n", one.n},
               {"id", one.id.empty() ? fmt::format("{}.{}", bundle_id, one.n) : one.id},
               {"toolId", call.tool},
               {"toolName", call.tool},
               {"displayName", one.display_name.empty() ? call.tool : one.display_name},
               {"arguments", call.args},
               {"riskLevel", to_string(one.verdict.risk)},
               {"reasons", one.verdict.reasons}};
  if (!one.description.empty()) json["description"] = one.description;
  const std::string preview = one.preview_text.empty() ? default_preview(call) : one.preview_text;
  if (!preview.empty()) json["previewText"] = preview;
  if (call.preview) json["preview"] = *call.preview;
  if (call.impact) json["impact"] = *call.impact;
  if (!call.impact_error.empty()) json["impactError"] = call.impact_error;
  if (!one.hunks.empty()) json["hunks"] = one.hunks;
  if (one.estimated_duration_ms) json["estimatedDurationMs"] = *one.estimated_duration_ms;
  if (Json rule = rule_json(one.verdict); !rule.is_null()) json["decidedBy"] = std::move(rule);
  if (!call.working_directory.empty()) json["workingDirectory"] = call.working_directory;
  if (!call.project.empty()) json["project"] = call.project;
  if (call.tool == "tool.run") json["sandbox"] = sandbox_json(call.sandbox);
  if (call.args_from_outside) json["argumentsFromOutside"] = true;
  if (auto offered = rule_to_store(call)) {
    json["storable"] = {{"rule", offered->rule}, {"examples", offered->examples}};
  } else {
    json["notStorable"] = offered.error().message;
  }
  return json;
}

}  // namespace

Json bundle_request(const Bundle& bundle) {
  Json json = {{"id", bundle.id},
               {"run", bundle.run},
               {"thread", bundle.thread},
               {"scenario", bundle.scenario},
               {"policyDigest", bundle.policy_digest},
               {"scenarioDigest", bundle.scenario_digest},
               {"createdAt", format_rfc3339(bundle.created_at)},
               {"calls", Json::array()}};
  if (bundle.expires_at) json["expiresAt"] = format_rfc3339(*bundle.expires_at);
  for (const BundleCall& one : bundle.calls) json["calls"].push_back(call_json(bundle.id, one));
  json["digest"] = bundle_digest(json);
  return json;
}

std::string bundle_digest(const Json& request) {
  Json bare = request;
  if (bare.is_object()) bare.erase("digest");
  return digest_of(dump_json(bare));
}

Result<void> check_bundle(const Json& request) {
  const auto lost = [](std::string_view why) {
    return fail(ErrorCode::kDataLoss,
                fmt::format("the approval's request is not as it was written: {}", why));
  };
  if (!request.is_object()) return lost("it is no object");
  for (const char* member : {"id", "digest", "policyDigest", "createdAt"}) {
    const auto found = request.find(member);
    if (found == request.end() || !found->is_string()) {
      return lost(fmt::format("no member {}", member));
    }
  }
  const auto calls = request.find("calls");
  if (calls == request.end() || !calls->is_array() || calls->empty()) return lost("no calls");
  std::set<std::int64_t> numbers;
  for (const Json& call : *calls) {
    const bool is_whole = call.is_object() && call.contains("n") && call["n"].is_number_integer() &&
                          call.contains("arguments") && call["arguments"].is_object();
    if (!is_whole || !numbers.insert(call["n"].get<std::int64_t>()).second) {
      return lost("a call without its number or arguments");
    }
  }
  if (request["digest"] != bundle_digest(request)) return lost("its digest is another one");
  return {};
}

}  // namespace filecall::client
