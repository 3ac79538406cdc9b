// SPDX-License-Identifier: MIT
#include "client/approval/core/risk.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "client/approval/core/kind_names.h"
#include "client/approval/core/program_models.h"
#include "client/approval/core/text_glob.h"
#include "client/core/tool_reach.h"
#include "ipc/json_member.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kFilesMany = 20;
constexpr std::size_t kBytesMany = std::size_t{1} << 20;

std::string small_letters(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return text;
}

void assess_place(const CallToDecide& call, const std::string& path, RiskAssessment& out) {
  const std::string plain = plain_path(path);
  const std::string shown = excerpt(plain, 100);
  if (const std::string what = protected_place(plain); !what.empty()) {
    out.raise(Risk::kCritical, fmt::format("{} is {}", shown, what));
  }
  if (is_of_policy(plain)) out.must_prompt = true;
  const std::string whole = absolute_path(call.working_directory, plain);
  if (std::find(call.own_files.begin(), call.own_files.end(), whole) != call.own_files.end()) {
    out.raise(Risk::kCritical, fmt::format("{} is a policy or the scenario of this run", shown));
    out.must_prompt = true;
  }
  const bool is_above = plain == ".." || plain.starts_with("../");
  const bool is_elsewhere = plain.starts_with('/') && !call.working_directory.empty() &&
                            relative_path(call.working_directory, plain).empty();
  if (is_above || is_elsewhere) {
    out.raise(Risk::kHigh, fmt::format("{} lies outside {}", shown,
                                       call.working_directory.empty() ? "the working directory"
                                                                      : call.working_directory));
  }
}

void assess_path(const CallToDecide& call, const std::string& path, RiskAssessment& out) {
  assess_place(call, path, out);
  const auto led = call.led_paths.find(path);
  if (led == call.led_paths.end()) return;
  out.raise(Risk::kMedium,
            fmt::format("{} leads to {}", excerpt(path, 100), excerpt(led->second, 100)));
  assess_place(call, led->second, out);
}

void assess_files(const CallToDecide& call, RiskAssessment& out) {
  if (!call.has_effects) return;
  out.raise(Risk::kMedium, "it changes files");
  if (call.tool == "file.propose") {
    out.raise(Risk::kMedium, "the run applies the proposal as soon as it is allowed");
  }
  std::size_t files = 0;
  if (const std::string path = string_member(call.args, "path"); !path.empty()) {
    assess_path(call, path, out);
    ++files;
  }
  if (call.tool == "file.delete") out.raise(Risk::kHigh, "it deletes a file");
  const auto changes = call.args.find("changes");
  if (changes != call.args.end() && changes->is_array()) {
    for (const Json& change : *changes) {
      assess_path(call, string_member(change, "path"), out);
      if (string_member(change, "operation") == "delete")
        out.raise(Risk::kHigh, "it deletes a file");
      ++files;
    }
  }
  if (files > kFilesMany) out.raise(Risk::kHigh, fmt::format("it changes {} files", files));
  const std::size_t bytes = call.args.dump(-1, ' ', false, Json::error_handler_t::replace).size();
  if (bytes > kBytesMany) out.raise(Risk::kHigh, fmt::format("its arguments have {} bytes", bytes));
}

bool is_of_whole_cluster(std::string_view kind) {
  return has_word(
      "apiservice certificatesigningrequest clusterrole clusterrolebinding csidriver csinode "
      "customresourcedefinition deviceclass flowschema ingressclass mutatingadmissionpolicy "
      "mutatingadmissionpolicybinding mutatingwebhookconfiguration namespace node persistentvolume "
      "priorityclass prioritylevelconfiguration runtimeclass servicecidr storageclass "
      "validatingadmissionpolicy validatingadmissionpolicybinding validatingwebhookconfiguration "
      "volumeattachment volumeattributesclass",
      plain_kind(kind));
}

void assess_cluster(const CallToDecide& call, RiskAssessment& out) {
  const std::string kind = string_member(call.args, "kind");
  const std::string plain = plain_kind(kind);
  if (!call.has_effects) {
    const auto reveals = call.args.find("revealSecrets");
    if (reveals != call.args.end() && *reveals == true) {
      out.raise(Risk::kHigh, "it shows the values of secrets");
    } else if (plain == "secret") {
      out.raise(Risk::kMedium, "it reads a Secret; its values stay hidden");
    }
    return;
  }
  out.raise(Risk::kMedium, "it changes a cluster");
  const auto dry = call.args.find("dryRun");
  if (dry != call.args.end() && *dry == true) return;
  const bool is_delete = call.tool == "kube.deleteResource";
  if (is_delete) out.raise(Risk::kHigh, "it deletes an object");
  if (call.tool == "kube.evict") out.raise(Risk::kHigh, "it ends a pod");
  if (call.tool == "kube.exec") out.raise(Risk::kHigh, "it runs a program in a container");
  if (is_of_whole_cluster(kind)) {
    out.raise(is_delete ? Risk::kCritical : Risk::kHigh,
              fmt::format("a {} belongs to the whole cluster", excerpt(kind, 60)));
  }
  if (plain == "secret" || plain.starts_with("role") || plain.starts_with("serviceaccount")) {
    out.raise(Risk::kHigh, fmt::format("a {} says who may do what", excerpt(kind, 60)));
  }
  const auto force = call.args.find("force");
  if (force != call.args.end() && *force == true) {
    out.raise(Risk::kHigh, "it takes fields from other managers (force)");
  }
  const std::string space = string_member(call.args, "namespace");
  if (space.starts_with("kube-")) {
    out.raise(Risk::kHigh,
              fmt::format("the namespace {} is the cluster's own", excerpt(space, 60)));
  }
}

void assess_git(const CallToDecide& call, RiskAssessment& out) {
  if (!call.has_effects) return;
  out.raise(Risk::kMedium, "it changes a repository; the commits stay in it");
  const std::string action = string_member(call.args, "action");
  if (action == "switch" || action == "remove") {
    out.raise(Risk::kHigh, fmt::format("'{}' changes files of a working tree", action));
  }
}

void assess_impact(const CallToDecide& call, RiskAssessment& out) {
  if (!call.impact_error.empty()) {
    out.raise(Risk::kHigh,
              "what depends on the object is not known: " + excerpt(call.impact_error, 200));
  }
  if (!call.impact || !call.impact->is_object()) return;
  const std::string severity = string_member(*call.impact, "severity");
  if (const auto risk = parse_risk(severity)) {
    out.raise(*risk, fmt::format("the impact on the cluster is {}", severity));
  }
  const auto complete = call.impact->find("complete");
  if (complete == call.impact->end() || !(*complete == true)) {
    out.raise(Risk::kHigh, "the impact on the cluster is not known to the end");
  }
}

void assess_preview(const CallToDecide& call, RiskAssessment& out) {
  if (!call.preview || !call.preview->is_object()) return;
  const auto owners = call.preview->find("fieldOwners");
  if (owners != call.preview->end() && owners->is_object() && owners->contains("others") &&
      !(*owners)["others"].empty()) {
    out.raise(Risk::kHigh, "it changes fields that another manager has set");
  }
  const auto changes = call.preview->find("changes");
  if (changes != call.preview->end() && changes->size() > kFilesMany) {
    out.raise(Risk::kHigh, fmt::format("it makes {} changes", changes->size()));
  }
}

}  // namespace

void RiskAssessment::raise(Risk to, std::string reason) {
  if (std::find(reasons.begin(), reasons.end(), reason) != reasons.end()) return;
  const bool is_worst = to > risk;
  risk = std::max(risk, to);
  if (is_worst) {
    reasons.insert(reasons.begin(), std::move(reason));
  } else {
    reasons.push_back(std::move(reason));
  }
}

RiskAssessment assess_risk(const CallToDecide& call, const ArgvReading& reading) {
  RiskAssessment out;
  if (call.tool == "tool.run") {
    assess_program(call, reading, out);
  } else if (call.tool.starts_with("file.")) {
    assess_files(call, out);
  } else if (call.tool.starts_with("kube.")) {
    assess_cluster(call, out);
    if (call.tool == "kube.exec") assess_program(call, reading, out);
  } else if (call.tool.starts_with("git.")) {
    assess_git(call, out);
  } else if (call.tool.starts_with("llm.")) {
    out.raise(Risk::kMedium, "it asks a model, which may cost money");
  } else if (reaches_others(call.tool)) {
    out.raise(Risk::kHigh, "it ends or drops requests, which may be somebody else's");
  } else if (call.has_effects) {
    out.raise(Risk::kHigh,
              fmt::format("what {} changes is not known here", excerpt(call.tool, 60)));
  }
  // Of a program that is kept from the root its worker has said more than this one word.
  const bool is_confined = call.tool == "tool.run" && call.sandbox.hides_root;
  const auto listed = parse_risk(call.catalog_risk);
  if (listed && *listed > out.risk && !is_confined) {
    out.raise(*listed,
              fmt::format("the worker lists {} as {}", excerpt(call.tool, 60), call.catalog_risk));
  }
  assess_preview(call, out);
  assess_impact(call, out);
  if (call.args_from_outside && call.has_effects) {
    const Risk next = out.risk == Risk::kCritical
                          ? Risk::kCritical
                          : static_cast<Risk>(static_cast<int>(out.risk) + 1);
    out.raise(next, "an argument occurs in a result that came from outside");
  }
  const auto least = parse_risk(call.least_risk);
  if (least && *least > out.risk) {
    out.raise(*least, fmt::format("a person was asked for it as {}", call.least_risk));
  }
  return out;
}

Risk with_opinion(Risk computed, std::string_view opinion) {
  return std::max(computed, parse_risk(opinion).value_or(Risk::kLow));
}

std::string protected_place(std::string_view path) {
  constexpr std::string_view kFolders[] = {".git", ".hg",   ".svn",    ".ssh",     ".gnupg",
                                           ".aws", ".kube", ".docker", ".filecall"};
  constexpr std::string_view kFiles[] = {
      ".env",       ".netrc",          ".npmrc",           ".pypirc",
      ".gitconfig", ".gitmodules",     ".bashrc",          ".profile",
      ".zshrc",     ".bash_profile",   ".git-credentials", "crontab",
      "sudoers",    "authorized_keys", "known_hosts",      "passwd",
      "shadow"};
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string name = small_letters(std::string(path.substr(at, end - at)));
    at = end + 1;
    if (std::find(std::begin(kFolders), std::end(kFolders), name) != std::end(kFolders)) {
      return fmt::format("in a protected folder ({})", name);
    }
    if (std::find(std::begin(kFiles), std::end(kFiles), name) != std::end(kFiles) ||
        name.starts_with(".env.") || name.starts_with("id_") || name.ends_with(".pem") ||
        name.ends_with(".key")) {
      return "a protected file";
    }
  }
  if (path.find("approvals/") != std::string_view::npos || path == "approvals") {
    return "where decisions lie";
  }
  if (path.find(".github/workflows") != std::string_view::npos) return "run by CI";
  if (is_of_policy(path)) return "a policy or a scenario, which say what is asked";
  return {};
}

bool is_of_policy(std::string_view path) {
  const std::string plain = "/" + plain_path(path) + "/";
  return plain.find("/filecall/policy.") != std::string::npos ||
         plain.find("/filecall/scenarios/") != std::string::npos;
}

}  // namespace filecall::client
