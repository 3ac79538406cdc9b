// SPDX-License-Identifier: MIT
#include "client/approval/core/stored_rule.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/approval/core/argv_pattern.h"
#include "client/approval/core/argv_reading.h"
#include "client/approval/core/program_models.h"
#include "client/approval/core/risk.h"
#include "ipc/json_text.h"
#include "yaml/yaml_document.h"

namespace filecall::client {
namespace {

Unexpected<Error> not_stored(std::string_view why) {
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("no rule can be stored for it: {}; approve it once", why));
}

std::string line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return excerpt(line, 120);
}

/// How many words name what is done: git status, npm run test, docker compose up.
std::size_t words_that_name(const std::vector<std::string>& argv) {
  const std::string program = program_name(argv[0]);
  if (find_verb_program(program) == nullptr && !has_free_order(program)) return argv.size();
  std::size_t count = 2;
  if (argv.size() > 2) {
    const std::string& verb = argv[1];
    const bool has_two = verb == "run" || verb == "compose" || verb == "remote" ||
                         verb == "config" || verb == "rollout" || verb == "stash" ||
                         verb == "worktree";
    if (has_two) count = 3;
  }
  return std::min(count, argv.size());
}

Result<StorableRule> rule_of_program(const CallToDecide& call, const ArgvReading& reading) {
  const std::vector<std::string> argv = argv_of(call.args);
  if (argv.empty()) {
    const auto name = call.args.find("tool");
    if (name == call.args.end() || !name->is_string()) return not_stored("it names no program");
    StorableRule out;
    out.rule = {{"tool", call.tool}, {"where", {{"/tool", *name}}}, {"decision", "allow"}};
    out.examples = {fmt::format("{} with any arguments", name->get<std::string>())};
    return out;
  }
  if (!reading.doubts.empty()) return not_stored(reading.doubts.front());
  if (argv[0].find('/') != std::string::npos && argv[0][0] != '/') {
    return not_stored("its program is named relative to a directory");
  }
  for (const char* member : {"env", "stdin", "stdin_base64"}) {
    if (call.args.contains(member)) return not_stored(fmt::format("it comes with {}", member));
  }
  const std::size_t count = words_that_name(argv);
  const std::vector<std::string> words(argv.begin(), argv.begin() + static_cast<long>(count));
  if (std::any_of(words.begin() + 1, words.end(), [&](const std::string& word) {
        return count < argv.size() && word.starts_with("-");
      })) {
    return not_stored("an option stands before what it does");
  }
  StorableRule out;
  out.rule = {{"tool", call.tool}, {"argv", words}, {"decision", "allow"}};
  if (const auto cwd = call.args.find("cwd"); cwd != call.args.end()) {
    out.rule["where"] = {{"/cwd", *cwd}};
  }
  const auto pattern = ArgvPattern::of(out.rule["argv"]);
  if (!pattern) return not_stored("its first word is empty");
  if (const std::string why = pattern->too_wide(); !why.empty()) return not_stored(why);
  if (!pattern->covers({argv, true, false, false})) {
    return not_stored("one of its options can run a program or write a file");
  }
  for (const char* more : {"", " --verbose", " README.md"})
    out.examples.push_back(line_of(words) + more);
  return out;
}

Result<StorableRule> rule_of_object(const CallToDecide& call) {
  if (call.tool == "kube.deleteResource" || call.tool == "kube.evict" || call.tool == "kube.exec") {
    return not_stored("it cannot be taken back");
  }
  Json where = Json::object();
  for (const char* member : {"context", "namespace", "kind", "name"}) {
    const auto found = call.args.find(member);
    if (found == call.args.end() || !found->is_string()) {
      return not_stored(fmt::format("it does not name its {}", member));
    }
    if (found->get_ref<const std::string&>().find_first_of("*?") != std::string::npos) {
      return not_stored(fmt::format("its {} has a wildcard", member));
    }
    where[fmt::format("/{}", member)] = *found;
  }
  StorableRule out;
  out.rule = {{"tool", call.tool}, {"where", where}, {"decision", "allow"}};
  out.examples = {fmt::format("{} of {} {} with any values", call.tool,
                              excerpt(where["/kind"].get<std::string>(), 60),
                              excerpt(where["/name"].get<std::string>(), 60))};
  return out;
}

Result<StorableRule> rule_of_file(const CallToDecide& call) {
  const auto path = call.args.find("path");
  if (call.tool == "file.delete") return not_stored("a delete is decided each time");
  if (path == call.args.end() || !path->is_string()) {
    return not_stored("it is about the files that it shows, and no others");
  }
  if (path->get_ref<const std::string&>().find_first_of("*?") != std::string::npos) {
    return not_stored("its path has a wildcard");
  }
  StorableRule out;
  out.rule = {{"tool", call.tool}, {"where", {{"/path", *path}}}, {"decision", "allow"}};
  out.examples = {fmt::format("any {} of {}", call.tool, excerpt(path->get<std::string>(), 100))};
  return out;
}

}  // namespace

Result<StorableRule> rule_to_store(const CallToDecide& call) {
  const ArgvReading reading = read_argv(argv_of(call.args));
  const RiskAssessment risk = assess_risk(call, reading);
  if (risk.risk == Risk::kCritical) {
    return not_stored(risk.reasons.empty() ? "its risk is critical" : risk.reasons.front());
  }
  if (call.tool == "tool.run") return rule_of_program(call, reading);
  if (call.tool.starts_with("kube.")) return rule_of_object(call);
  if (call.tool.starts_with("file.")) return rule_of_file(call);
  return not_stored(fmt::format("what {} changes is not known here", excerpt(call.tool, 60)));
}

std::string stored_rules_text(const std::vector<Json>& rules, std::string_view project) {
  Json whole = {{"rules", rules}};
  if (!project.empty()) whole["project"] = project;
  return yaml_text(whole);
}

}  // namespace filecall::client
