// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/visible_text.h"
#include "client/approval/approval_files.h"
#include "client/approval/core/shown_approval.h"
#include "client/approval/core/stored_rule.h"
#include "client/approval/led_paths.h"
#include "client/approval/policy_files.h"
#include "client/cli/approval_origin.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/login_name.h"
#include "client/cli/output.h"
#include "client/cli/params_option.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"
#include "os/clock.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

std::string decider(const Arguments& arguments) {
  if (arguments.has("by")) return arguments.text("by");
  return login_name();
}

/// The numbers that --call names; all of the bundle without it.
Result<std::set<int>> chosen_calls(const Arguments& arguments, const Json& request) {
  std::set<int> all;
  for (const Json& call : request["calls"]) all.insert(call["n"].get<int>());
  const std::vector<std::string> texts = arguments.all("call");
  if (texts.empty()) return all;
  std::set<int> chosen;
  for (const std::string& text : texts) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&text](int n) { return std::to_string(n) == text; });
    if (found == all.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--call {}: the approval has {}", one_line(text, 40),
                              all.size() == 1 ? "call 1 only"
                                              : fmt::format("calls {}", fmt::join(all, ", "))));
    }
    chosen.insert(*found);
  }
  return chosen;
}

std::string project_of(const Json& call) {
  return call.value("project", call.value("workingDirectory", std::string()));
}

Result<PolicyPlaces> places_of(const Json& call) {
  PolicyPlaces places;
  places.configuration = configuration_folder(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME"));
  places.project = project_of(call);
  return places;
}

/// What a run would refuse later is refused at once: by the command's schema and by the policy.
Result<void> check_arguments(const Json& request, const Json& call, const Json& arguments) {
  const std::string tool = call.value("toolId", std::string());
  if (const auto text = find_schema("command." + tool)) {
    TRY_ASSIGN(const SchemaValidator schema, SchemaValidator::compile(*text, SchemaOwner::kOurs));
    if (const auto violation = schema.check(arguments)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--args: {}: {}; see 'filecall schema command.{}'",
                              violation->pointer.empty() ? "/" : violation->pointer,
                              violation->rule, tool));
    }
  }
  TRY_ASSIGN(const PolicyPlaces places, places_of(call));
  TRY_ASSIGN(const std::vector<PolicyText> texts, read_policy_texts(places));
  TRY_ASSIGN(const Policy policy, Policy::read(texts));
  CallToDecide asked = call_to_decide(request, call);
  asked.now = wall_now();
  asked.led_paths = led_paths(arguments, asked.working_directory);
  TRY_ASSIGN(const Verdict verdict, decide_modified(policy, asked, arguments));
  print_note(fmt::format("The changed arguments have risk {}.\n", to_string(verdict.risk)));
  return {};
}

const Json& call_numbered(const Json& request, int n) {
  const Json& calls = request["calls"];
  return *std::find_if(calls.begin(), calls.end(),
                       [n](const Json& call) { return call["n"] == n; });
}

/// The hunk that a person means: an id, or the beginning that no other one has.
Result<std::string> hunk_named(const Json& call, const std::string& word) {
  constexpr std::size_t kBytesMin = 4;
  const Json offered = call.value("hunks", Json::array());
  std::vector<std::string> fitting;
  for (const Json& hunk : offered) {
    if (hunk == word) return word;
    const bool fits = word.size() >= kBytesMin && hunk.get<std::string>().starts_with(word);
    if (fits) fitting.push_back(hunk.get<std::string>());
  }
  if (fitting.size() == 1) return fitting.front();
  const std::string why = fitting.size() > 1        ? "several hunks begin so"
                          : offered.empty()         ? "the call has no hunks to choose from"
                          : word.size() < kBytesMin ? "write four characters of an id, or more"
                                                    : "the call has no such hunk";
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("--hunks '{}': {}{}{}", one_line(word, 60), why,
                          offered.empty() ? "" : "; it has ",
                          offered.empty() ? "" : visible_line(dump_json(offered))));
}

/// Failure: none is named, which must not mean all.
Result<std::vector<std::string>> chosen_hunks(const Arguments& arguments, const Json& call) {
  std::vector<std::string> hunks;
  for (const std::string& text : arguments.all("hunks")) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      TRY_ASSIGN(std::string hunk, hunk_named(call, text.substr(at, end - at)));
      hunks.push_back(std::move(hunk));
      at = end + 1;
    }
  }
  return hunks;
}

Result<ApprovalDecision> made_decision(const Arguments& arguments, const Json& request,
                                       bool approves) {
  TRY_ASSIGN(const std::set<int> chosen, chosen_calls(arguments, request));
  ApprovalDecision decision;
  decision.source = "cli";
  decision.by = decider(arguments);
  decision.decided_at = wall_now();
  decision.reason = arguments.text("reason");
  if (arguments.has("scope")) {
    const auto scope = parse_scope(arguments.text("scope"));
    if (!scope) {
      return fail(ErrorCode::kInvalidArgument, "--scope: must be once, run, thread or project");
    }
    decision.scope = *scope;
  }
  const bool is_changed = arguments.has("args") || arguments.has("hunks");
  if (is_changed && chosen.size() != 1) {
    return fail(ErrorCode::kInvalidArgument,
                "--args and --hunks change one call; name it with --call");
  }
  for (const Json& call : request["calls"]) {
    CallDecision one;
    one.n = call["n"].get<int>();
    const bool is_chosen = chosen.contains(one.n);
    one.approved = is_chosen == approves;
    if (is_chosen && arguments.has("args") && call.value("toolId", "") == "file.propose") {
      return fail(
          ErrorCode::kInvalidArgument,
          "--args: a change set is made as it was shown; choose some of it with --hunks, or "
          "deny it with a reason");
    }
    if (is_chosen && arguments.has("args")) {
      TRY_ASSIGN(one.modified_arguments, object_option(arguments, "args"));
      TRY(check_arguments(request, call, *one.modified_arguments));
    }
    if (is_chosen) {
      TRY_ASSIGN(one.hunks, chosen_hunks(arguments, call));
    }
    decision.calls.push_back(std::move(one));
  }
  return decision;
}

/// The project's rules, one file for each directory that the calls work in.
Result<void> store_rules(const ApprovalDecision& decision, const Json& request,
                         const std::string& root) {
  std::map<std::string, std::vector<Json>> by_project;
  for (const CallDecision& one : decision.calls) {
    if (!one.approved) continue;
    const Json& call = call_numbered(request, one.n);
    by_project[project_of(call)].push_back(call["storable"]["rule"]);
  }
  for (const auto& [project, rules] : by_project) {
    PolicyPlaces places;
    places.configuration =
        configuration_folder(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME"));
    places.project = project;
    TRY_ASSIGN(const std::string path, store_project_rules(places, root, rules));
    print_note(fmt::format("Stored in {}:\n{}", visible_line(path),
                           visible_text(stored_rules_text(rules, project))));
  }
  return {};
}

Result<int> decide(const Arguments& arguments, bool approves) {
  TRY_ASSIGN(
      const spool::Root root,
      spool::Root::open(chosen_root(arguments),
                        {.allow_shared = arguments.has("allow-shared-root"), .create = false}));
  TRY_ASSIGN(ApprovalFiles files, ApprovalFiles::open(root.layout(), true));
  const std::string& id = arguments.words()[0];
  TRY_ASSIGN(const Json request, files.read_request(id));
  if (const std::string altered = altered_request_text(root.layout(), request); !altered.empty()) {
    return fail(ErrorCode::kFailedPrecondition, fmt::format("{}: {}", id, altered));
  }
  TRY_ASSIGN(const ApprovalDecision wanted, made_decision(arguments, request, approves));
  TRY_ASSIGN(const std::string key, files.key());
  TRY_ASSIGN(const Json file, decision_file(request, wanted, key));
  TRY(files.publish_decision(file));
  if (wanted.scope == ApprovalScope::kProject) {
    if (const auto stored = store_rules(wanted, request, root.layout().root()); !stored) {
      print_error(fmt::format("{}: the decision holds, but no rule was stored: {}", id,
                              stored.error().message));
    }
  }
  TRY_ASSIGN(const ApprovalDecision decision,
             check_decision(file, {request, key, request["policyDigest"].get<std::string>(),
                                   request.value("scenarioDigest", std::string())}));
  if (arguments.has("json")) {
    print_json(decision_to_show(decision));
    return kExitSuccess;
  }
  std::string calls;
  if (decision.calls.size() > 1) {
    for (const CallDecision& one : decision.calls) {
      calls += fmt::format("{}call {} {}", calls.empty() ? ": " : ", ", one.n,
                           one.approved ? "approved" : "denied");
    }
  }
  print(fmt::format("{} is {}{}.\n", id, changed_outcome_text(decision), calls));
  return kExitSuccess;
}

}  // namespace

int approve_command(const Arguments& arguments) {
  const auto code = decide(arguments, true);
  return code ? *code : report_error(code.error());
}

int deny_command(const Arguments& arguments) {
  const auto code = decide(arguments, false);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
