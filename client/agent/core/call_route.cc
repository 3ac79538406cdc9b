// SPDX-License-Identifier: MIT
#include "client/agent/core/call_route.h"

#include "client/agent/core/record_member.h"

namespace filecall::client {
namespace {

constexpr std::string_view kDiffed[] = {"kube.createResource", "kube.patchResource",
                                        "kube.deleteResource"};
/// Those whose own dry run shows what they would do.
constexpr std::string_view kDryRun[] = {"kube.scale", "kube.evict", "kube.rolloutRestart",
                                        "kube.rolloutUndo"};

template <typename List>
bool is_in(const List& list, std::string_view name) {
  for (const std::string_view one : list) {
    if (one == name) return true;
  }
  return false;
}

const Json& args_of(const AgentCall& call) {
  return call.modified_args.is_null() ? call.args : call.modified_args;
}

Json without(Json params, std::initializer_list<const char*> names) {
  for (const char* name : names) params.erase(name);
  return params;
}

Json diff_params(const AgentCall& call) {
  Json params = without(call.args, {"dryRun", "expectedDigest", "precondition"});
  if (call.tool == "kube.createResource") params["strategy"] = "create";
  if (call.tool == "kube.deleteResource") params["strategy"] = "delete";
  return params;
}

/// The change that a call of file.edit, file.create or file.delete makes.
Json change_of(const AgentCall& call) {
  Json change = {{"path", value_at(call.args, "path")}};
  if (call.tool == "file.create") {
    change["operation"] = "create";
    change["new_content"] = value_at(call.args, "content");
    return change;
  }
  change["operation"] = call.tool == "file.delete" ? "delete" : "update";
  for (const char* name : {"base_sha256", "edits", "patch"}) {
    if (call.args.contains(name)) change[name] = call.args[name];
  }
  if (call.args.contains("content")) change["new_content"] = call.args["content"];
  return change;
}

bool is_file_write(std::string_view tool) {
  return tool == "file.edit" || tool == "file.create" || tool == "file.delete";
}

}  // namespace

bool is_of_files(std::string_view tool) {
  return tool.starts_with("file.") || tool.starts_with("git.");
}

bool changes_files(std::string_view tool, Editing editing) {
  return is_file_write(tool) || tool == "file.apply" ||
         (tool == "file.propose" && editing == Editing::kProposal);
}

std::optional<CallRoute> preview_route(const AgentCall& call, Editing editing) {
  if (!call.args.is_object()) return std::nullopt;
  if (is_in(kDiffed, call.tool)) return CallRoute{"kube.diffResource", diff_params(call)};
  if (is_in(kDryRun, call.tool)) {
    CallRoute route{call.tool, without(call.args, {"expectedDigest"})};
    route.params["dryRun"] = true;
    return route;
  }
  if (is_file_write(call.tool)) {
    return CallRoute{"file.propose", {{"changes", Json::array({change_of(call)})}}};
  }
  if (call.tool == "file.propose" && editing == Editing::kProposal) {
    return CallRoute{"file.propose", call.args};
  }
  return std::nullopt;
}

std::optional<CallRoute> impact_route(const AgentCall& call) {
  const Json& args = call.args;
  if (!args.is_object() || flag_at(args, "dryRun")) return std::nullopt;
  const bool is_end = call.tool == "kube.deleteResource" || call.tool == "kube.evict" ||
                      (call.tool == "kube.scale" && number_at(args, "replicas", 1) == 0);
  if (!is_end) return std::nullopt;
  CallRoute route{"kube.analyzeImpact", Json::object()};
  for (const char* name : {"kind", "name", "namespace", "apiVersion", "context"}) {
    if (args.contains(name)) route.params[name] = args[name];
  }
  if (call.tool == "kube.evict") route.params["kind"] = "Pod";
  return route;
}

Result<CallRoute> call_route(const AgentCall& call, Editing editing) {
  const bool is_modified = !call.modified_args.is_null();
  CallRoute route{call.tool, args_of(call)};
  if (call.tool == "file.propose" && editing == Editing::kProposal) {
    if (is_modified) {
      return fail(ErrorCode::kFailedPrecondition,
                  "a person changed the arguments of a change set; propose them as they are now");
    }
    if (!call.preview.is_object()) {
      return fail(ErrorCode::kFailedPrecondition,
                  "the change set could not be prepared: " + call.preview_error);
    }
    route.command = "file.apply";
    route.params = {{"changes", value_at(call.preview, "changes")},
                    {"digest", value_at(call.preview, "digest")}};
    if (call.hunks.is_array()) route.params["hunks"] = call.hunks;
    return route;
  }
  if (is_modified || !call.preview.is_object()) return route;
  if (is_in(kDiffed, call.tool) || is_in(kDryRun, call.tool)) {
    if (call.preview.contains("digest")) route.params["expectedDigest"] = call.preview["digest"];
    if (call.preview.contains("precondition") && call.tool != "kube.createResource") {
      route.params["precondition"] = call.preview["precondition"];
    }
  }
  return route;
}

std::vector<std::string> files_of(const std::string& command, const Json& params,
                                  const Json& data) {
  std::vector<std::string> files;
  if (is_file_write(command)) {
    files.push_back(text_at(params, "path"));
  } else if (command == "file.apply") {
    for (const Json& one : value_at(data, "applied")) {
      files.push_back(one.is_string() ? one.get<std::string>() : text_at(one, "path"));
    }
  }
  return files;
}

}  // namespace filecall::client
