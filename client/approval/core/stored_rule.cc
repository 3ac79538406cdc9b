// SPDX-License-Identifier: MIT
#include "client/approval/core/stored_rule.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/approval/core/argv_pattern.h"
#include "client/approval/core/argv_reading.h"
#include "client/approval/core/program_models.h"
#include "client/approval/core/risk.h"
#include "client/approval/core/text_glob.h"
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

/// What stays what it is with any operands and options behind it, for as far as these are no doubt.
struct NamedByVerb {
  std::string_view programs;
  std::string_view verbs;
};
constexpr NamedByVerb kNamedByVerb[] = {
    {"git",
     "status log diff show blame ls-files ls-tree rev-parse rev-list describe shortlog name-rev "
     "cat-file"},
    {"cargo", "build test check clippy fmt doc bench tree metadata"},
    {"go", "build test vet list fmt version"},
    {"npm", "test ls outdated"},
    {"docker podman", "ps images version info"},
    {"systemctl", "status is-active is-enabled list-units"},
    {"helm", "list status"},
    {"pip", "list show check"},
    {"apt", "list show search policy"},
    {"terraform", "validate version"},
};

/// A delete, what ends programs, and what takes back what others have: decided each time.
constexpr std::string_view kDecidedEachTime[] = {
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "dd",
    "truncate",
    "mkfs",
    "kill",
    "pkill",
    "killall",
    "shutdown",
    "find -delete",
    "rsync --delete",
    "git push --force",
    "git push --delete",
    "git clean",
    "git reset --hard",
    "git branch -D",
    "git branch -d",
    "git tag -d",
    "git rm",
    "git stash drop",
    "git stash clear",
    "git worktree remove",
    "git reflog expire",
    "git gc",
    "git filter-branch",
    "git checkout",
    "git update-ref",
    "kubectl delete",
    "kubectl drain",
    "kubectl replace --force",
    "kubectl apply --prune",
    "terraform destroy",
    "helm uninstall",
    "helm rollback",
    "docker rm",
    "docker rmi",
    "docker kill",
    "docker volume rm",
    "docker network rm",
    "docker system prune",
    "docker image prune",
    "docker container prune",
    "docker volume prune",
    "podman rm",
    "podman rmi",
    "podman kill",
    "podman volume rm",
    "podman system prune",
    "npm unpublish",
    "npm uninstall",
    "pip uninstall",
    "apt remove",
    "apt purge",
    "apt autoremove",
    "systemctl stop",
    "systemctl disable",
    "systemctl mask",
    "hg purge",
    "hg strip",
    "hg rollback",
    "hg remove",
    "svn delete",
};

const std::vector<ArgvPattern>& decided_each_time() {
  static const auto* const patterns = [] {
    auto* made = new std::vector<ArgvPattern>;
    for (const std::string_view row : kDecidedEachTime) {
      Json words = Json::array();
      for (std::size_t at = 0; at < row.size();) {
        const std::size_t end = std::min(row.find(' ', at), row.size());
        words.push_back(row.substr(at, end - at));
        at = end + 1;
      }
      made->push_back(*ArgvPattern::of(words));
    }
    return made;
  }();
  return *patterns;
}

/// A rule that says no more than the argv's words: git status, or the whole of it.
Json rule_of_argv(const CallToDecide& call, const std::vector<std::string>& argv) {
  std::vector<std::string> words = argv;
  words.resize(words_that_name(argv));
  const auto named = ArgvPattern::of(words);
  // make test deploy: there is more than the first words say.
  const bool is_exact = !named || !named->covers({argv, true, false, false});
  if (is_exact) words = argv;
  Json rule = {{"tool", call.tool}, {"argv", words}, {"decision", "allow"}};
  if (is_exact) rule["exact"] = true;
  if (const auto cwd = call.args.find("cwd"); cwd != call.args.end()) {
    rule["where"] = {{"/cwd", *cwd}};
  }
  return rule;
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
  if (is_decided_each_time(reading)) return not_stored("a delete is decided each time");
  StorableRule out;
  out.rule = rule_of_argv(call, argv);
  const auto pattern = ArgvPattern::of(out.rule["argv"]);
  if (!pattern) return not_stored("its first word is empty");
  if (const std::string why = pattern->too_wide(); !why.empty()) return not_stored(why);
  const std::string line = line_of(out.rule["argv"].get<std::vector<std::string>>());
  if (out.rule.contains("exact")) {
    out.examples = {line + " (these words, and no others)"};
  } else {
    out.examples = {line, line + " --verbose", line + " README.md"};
  }
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
  // Another worker, or a run in its worktree, may mean another file by the same relative path.
  const std::string whole = absolute_path(call.working_directory, path->get<std::string>());
  const std::string place = whole.empty() ? path->get<std::string>() : whole;
  StorableRule out;
  out.rule = {{"tool", call.tool}, {"where", {{"/path", place}}}, {"decision", "allow"}};
  out.examples = {fmt::format("any {} of {}", call.tool, excerpt(place, 100))};
  return out;
}

}  // namespace

std::size_t words_that_name(const std::vector<std::string>& argv) {
  if (argv.size() < 2 || argv[1].starts_with("-")) return 0;
  const std::string program = program_name(argv[0]);
  // A second target may do anything: does_more() of the pattern sees to it.
  if (has_free_order(program)) return argv[1].find('=') == std::string::npos ? 2 : 0;
  if (has_word("npm pnpm yarn", program) && argv[1] == "run") {
    return argv.size() > 2 && !argv[2].starts_with("-") ? 3 : 0;
  }
  const bool is_named =
      std::any_of(std::begin(kNamedByVerb), std::end(kNamedByVerb), [&](const NamedByVerb& row) {
        return has_word(row.programs, program) && has_word(row.verbs, argv[1]);
      });
  return is_named ? 2 : 0;
}

bool is_decided_each_time(const ArgvReading& reading) {
  return std::any_of(
      reading.commands.begin(), reading.commands.end(), [](const SeenCommand& command) {
        const std::vector<ArgvPattern>& patterns = decided_each_time();
        return std::any_of(patterns.begin(), patterns.end(),
                           [&](const ArgvPattern& one) { return one.catches(command); });
      });
}

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
