// SPDX-License-Identifier: MIT
#include "client/approval/core/policy.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>

#include "client/agent/scenarios/scenario_files.h"
#include "client/approval/approval_files.h"
#include "client/approval/core/rule_names.h"
#include "client/approval/core/shown_approval.h"
#include "client/approval/led_paths.h"
#include "client/approval/policy_files.h"
#include "client/cli/agent_actions.h"
#include "client/cli/agent_setup.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/params_option.h"
#include "client/cli/subcommands.h"
#include "client/core/tool_reach.h"
#include "client/report/text_layout.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"
#include "os/clock.h"
#include "os/regular_file.h"
#include "spool/client_files.h"
#include "spool/group_root.h"
#include "spool/root.h"
#include "yaml/yaml_document.h"

namespace filecall::client {
namespace {

constexpr std::size_t kPolicyFileBytes = std::size_t{4} << 20;

/// What the worker's catalog says of its own commands, for when none is asked.
bool has_effects_by_name(const std::string& tool, const Json& params) {
  if (only_lists(tool, params)) return false;
  constexpr std::string_view kChanging[] = {"tool.run",
                                            "file.create",
                                            "file.edit",
                                            "file.delete",
                                            "file.apply",
                                            "git.commit",
                                            "git.branch",
                                            "git.worktree",
                                            "kube.createResource",
                                            "kube.patchResource",
                                            "kube.deleteResource",
                                            "kube.scale",
                                            "kube.rolloutRestart",
                                            "kube.rolloutUndo",
                                            "kube.evict",
                                            "kube.exec"};
  for (const std::string_view one : kChanging) {
    if (one == tool) return true;
  }
  if (reaches_others(tool)) return true;
  return !find_schema("command." + tool);
}

constexpr std::string_view kProposing = "file.propose";

/// A call, and what was assumed of it.
struct Explained {
  CallToDecide call;
  std::vector<std::string> assumed;
};

Result<PolicyPlaces> policy_places(const Arguments& arguments, const std::string& project) {
  PolicyPlaces places;
  places.option = arguments.text("policy");
  places.configuration = configuration_folder(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME"));
  places.project = project;
  return places;
}

void assume(const Arguments& arguments, Explained& out) {
  out.call.now = wall_now();
  out.call.has_effects = has_effects_by_name(out.call.tool, out.call.args);
  std::error_code status;
  if (out.call.working_directory.empty()) {
    out.call.working_directory = std::filesystem::current_path(status).string();
    out.assumed.push_back("the working directory is " + out.call.working_directory);
  }
  if (out.call.tool != "tool.run") return;
  if (arguments.has("sandbox")) {
    const std::string level = arguments.text("sandbox");
    out.call.sandbox = {level, level != "none", level == "none"};
    return;
  }
  out.call.sandbox = {"workspace-write", true, false};
  out.assumed.emplace_back(
      "a sandbox that hides the root, without network; --sandbox none explains the call without");
}

/// What is explained may be no call that a worker takes.
void doubt_call(Explained& out) {
  const auto text = find_schema("command." + out.call.tool);
  if (!text) {
    out.assumed.push_back(
        fmt::format("the worker has a command {}; none of this version is named so",
                    one_line(out.call.tool, 60)));
    return;
  }
  const auto schema = SchemaValidator::compile(*text, SchemaOwner::kOurs);
  const auto violation = schema ? schema->check(out.call.args) : std::nullopt;
  if (!violation) return;
  out.assumed.push_back(fmt::format("the worker would take the params; it refuses them: {}: {}",
                                    violation->pointer.empty() ? "/" : violation->pointer,
                                    violation->rule));
}

/// RUN.STEP.N of an approval, or the id of a request of the root.
Result<Explained> call_named(const Arguments& arguments, const std::string& id) {
  TRY_ASSIGN(
      const spool::Root root,
      spool::Root::open(chosen_root(arguments),
                        {.allow_shared = arguments.has("allow-shared-root"), .create = false}));
  TRY_ASSIGN(const ApprovalFiles files, ApprovalFiles::open(root.layout(), false));
  const std::size_t dot = id.rfind('.');
  if (dot != std::string::npos && dot > 0) {
    if (const auto request = files.read_request(id.substr(0, dot))) {
      for (const Json& call : (*request)["calls"]) {
        if (call.value("id", std::string()) != id) continue;
        Explained out;
        out.call = call_to_decide(*request, call);
        out.call.now = wall_now();
        // What waits of a proposal is applied when it is allowed.
        out.call.has_effects =
            has_effects_by_name(out.call.tool, out.call.args) || out.call.tool == kProposing;
        return out;
      }
    }
  }
  TRY_ASSIGN(const auto file, spool::read_request_file(*root.directories(), id));
  if (!file) {
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: neither a call of an approval (RUN.STEP.N) nor a request of the "
                            "root; write --tool NAME --params JSON for a call that was not made",
                            one_line(id, 100)));
  }
  auto parsed = parse_json_strict(file->bytes, limits::kDepth);
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", id, parsed.error().message));
  }
  Explained out;
  out.call.tool = parsed->is_object() ? parsed->value("command", std::string()) : "";
  out.call.args = parsed->is_object() ? parsed->value("params", Json::object()) : Json::object();
  assume(arguments, out);
  return out;
}

Result<Explained> explained_call(const Arguments& arguments) {
  if (arguments.words().size() > 1) {
    if (arguments.has("tool") || arguments.has("params")) {
      return fail(ErrorCode::kInvalidArgument,
                  "policy explain: give the id of a call, or --tool and --params, not both");
    }
    return call_named(arguments, arguments.words()[1]);
  }
  if (!arguments.has("tool")) {
    return fail(ErrorCode::kInvalidArgument,
                "policy explain: give the id of a call, or --tool NAME --params JSON");
  }
  Explained out;
  out.call.tool = arguments.text("tool");
  TRY_ASSIGN(out.call.args, params_option(arguments));
  assume(arguments, out);
  doubt_call(out);
  return out;
}

void print_verdict(const Explained& explained, const Verdict& verdict) {
  print(fmt::format("{}  {}  risk {}\n", to_string(verdict.decision),
                    one_line(explained.call.tool, 100), to_string(verdict.risk)));
  if (verdict.rule.empty()) {
    print("decided by the default: no rule matches, or none is enough\n");
  } else {
    print(fmt::format("decided by {}:{}: {}\n", verdict.file, verdict.line,
                      without_controls(verdict.rule)));
  }
  if (!verdict.deny_reason.empty()) print(fmt::format("reason: {}\n", verdict.deny_reason));
  for (const std::string& reason : verdict.reasons) {
    print(fmt::format("- {}\n", one_line(reason, 300)));
  }
  for (const MatchedRule& one : verdict.matched) {
    print(fmt::format("{} {}:{}: {}\n", one.is_possible_only ? "may match" : "matches", one.file,
                      one.line, without_controls(one.text)));
  }
  for (const std::string& text : explained.assumed) print(fmt::format("assumed: {}\n", text));
}

/// A run with editing: proposal applies what file.propose shows: what is decided of it there.
void assume_no_proposal(const Policy& policy, Explained& explained) {
  if (explained.call.tool != kProposing || explained.call.has_effects) return;
  CallToDecide applied = explained.call;
  applied.has_effects = true;
  const Verdict verdict = policy.decide(applied);
  explained.assumed.push_back(fmt::format(
      "the call only shows changes. In a run with editing: proposal the decision is {} (risk {}), "
      "and a proposal that is allowed is applied without a person",
      to_string(verdict.decision), to_string(verdict.risk)));
}

/// The policies of the run whose call it is: --policy of its beginning goes into `places`, and its
/// scenario's own comes back; nothing when it is a call of no run.
Result<std::optional<PolicyText>> policies_of_run(const Arguments& arguments, const std::string& id,
                                                  PolicyPlaces& places) {
  using None = std::optional<PolicyText>;
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  const std::string run = id.substr(0, id.find('.'));
  const auto thread = thread_of_known_run(layout, run);
  if (!thread) return None();
  TRY_ASSIGN(const AgentState state, read_agent_state(layout, *thread, run));
  if (places.option.empty()) places.option = state.settings().policy_file;
  TRY_ASSIGN(const Scenario scenario,
             find_scenario(state.settings().scenario, places.configuration));
  if (scenario.policy.is_null()) return None();
  return None({scenario.file, scenario.text, PolicyText::Kind::kScenario});
}

Result<int> explain(const Arguments& arguments) {
  TRY_ASSIGN(Explained explained, explained_call(arguments));
  CallToDecide& call = explained.call;
  const std::string& project = call.project.empty() ? call.working_directory : call.project;
  TRY_ASSIGN(PolicyPlaces places, policy_places(arguments, project));
  std::optional<PolicyText> of_scenario;
  if (arguments.words().size() > 1) {
    TRY_ASSIGN(of_scenario, policies_of_run(arguments, arguments.words()[1], places));
  }
  TRY_ASSIGN(std::vector<PolicyText> texts, read_policy_texts(places));
  if (of_scenario) texts.push_back(*std::move(of_scenario));
  TRY_ASSIGN(const Policy policy, Policy::read(texts));
  for (const PolicyText& text : texts) call.own_files.push_back(path_without_links(text.file));
  if (call.tool != "tool.run") call.led_paths = led_paths(call.args, call.working_directory);
  const Verdict verdict = policy.decide(explained.call);
  assume_no_proposal(policy, explained);
  if (!arguments.has("json")) {
    print_verdict(explained, verdict);
    return kExitSuccess;
  }
  Json json = verdict_json(verdict);
  json["tool"] = explained.call.tool;
  json["hasEffects"] = explained.call.has_effects;
  json["policyDigest"] = policy.digest();
  json["files"] = Json::array();
  for (const PolicyText& text : texts) json["files"].push_back(text.file);
  json["assumed"] = explained.assumed;
  print_json(json);
  return kExitSuccess;
}

/// A scenario has more keys than `policy`.
Result<PolicyText> checked_text(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_named_file(path, kPolicyFileBytes));
  PolicyText out{path, text};
  if (const auto document = YamlDocument::parse(text, path)) {
    const Json& top = document->json();
    if (top.is_object() && top.contains("instructions")) out.kind = PolicyText::Kind::kScenario;
    const bool is_stored = top.is_object() && top.contains("rules") && top.contains("project");
    if (is_stored) out.kind = PolicyText::Kind::kStored;
  }
  return out;
}

Result<int> check_policy(const Arguments& arguments) {
  std::vector<PolicyText> texts;
  for (std::size_t i = 1; i < arguments.words().size(); ++i) {
    TRY_ASSIGN(PolicyText text, checked_text(arguments.words()[i]));
    texts.push_back(std::move(text));
  }
  if (texts.empty()) {
    std::error_code status;
    TRY_ASSIGN(const PolicyPlaces places,
               policy_places(arguments, std::filesystem::current_path(status).string()));
    TRY_ASSIGN(texts, read_policy_texts(places));
  }
  TRY_ASSIGN(const Policy policy, Policy::read(texts));
  std::vector<std::string> complaints;
  for (const auto& rule : policy.rules()) {
    for (std::string& one : unknown_names(*rule)) complaints.push_back(std::move(one));
  }
  if (!complaints.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                without_controls(fmt::format("{}", fmt::join(complaints, "\n"))));
  }
  const auto expired =
      std::count_if(policy.rules().begin(), policy.rules().end(),
                    [now = wall_now()](const auto& rule) { return rule->is_expired(now); });
  if (arguments.has("json")) {
    Json json = {{"files", Json::array()},
                 {"rules", policy.rule_count()},
                 {"expired", expired},
                 {"humanInTheLoop", policy.human_in_the_loop()},
                 {"policyDigest", policy.digest()}};
    for (const PolicyText& text : texts) json["files"].push_back(text.file);
    print_json(json);
    return kExitSuccess;
  }
  for (const PolicyText& text : texts) print(fmt::format("{}\n", text.file));
  if (expired > 0) {
    print_error(fmt::format(
        "{} and allow{} nothing any more; take {} out",
        expired == 1 ? "1 rule has expired" : fmt::format("{} rules have expired", expired),
        expired == 1 ? "s" : "", expired == 1 ? "it" : "them"));
  }
  print(fmt::format(
      "{} in {}: {}. human_in_the_loop is {}.\n",
      policy.rule_count() == 1 ? "1 rule" : fmt::format("{} rules", policy.rule_count()),
      texts.size() == 1 ? "1 file" : fmt::format("{} files", texts.size()),
      expired == 0 ? "all hold" : "the others hold", policy.human_in_the_loop()));
  return kExitSuccess;
}

Result<int> run_policy_action(const Arguments& arguments) {
  const std::string& action = arguments.words()[0];
  if (action == "explain") {
    if (arguments.words().size() > 2) {
      return fail(ErrorCode::kInvalidArgument, "policy explain: explains one call");
    }
    return explain(arguments);
  }
  if (action == "check") return check_policy(arguments);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("policy: {} is no action; explain or check", one_line(action, 60)));
}

}  // namespace

int policy_command(const Arguments& arguments) {
  const auto code = run_policy_action(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
