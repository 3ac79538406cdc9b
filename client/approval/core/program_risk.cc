// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "client/approval/core/argv_pattern.h"
#include "client/approval/core/program_models.h"
#include "client/approval/core/risk.h"
#include "client/approval/core/sed_reading.h"
#include "client/approval/core/spellings.h"
#include "client/approval/core/text_glob.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

struct RiskyCommand {
  std::string_view words;  ///< As the pattern of a rule that denies.
  Risk risk;
  std::string_view reason;
};

constexpr RiskyCommand kRiskyCommands[] = {
    {"git push", Risk::kHigh, "it publishes commits"},
    {"git push --force", Risk::kCritical, "it rewrites published history"},
    {"git push -f", Risk::kCritical, "it rewrites published history"},
    {"git push --mirror", Risk::kCritical, "it rewrites published history"},
    {"git push --delete", Risk::kCritical, "it deletes what is published"},
    {"git filter-branch", Risk::kCritical, "it rewrites history"},
    {"git filter-repo", Risk::kCritical, "it rewrites history"},
    {"git reset --hard", Risk::kCritical, "it throws changes away"},
    {"git clean", Risk::kCritical, "it deletes files that no commit has"},
    {"git checkout", Risk::kHigh, "it may throw changes away"},
    {"git restore", Risk::kHigh, "it may throw changes away"},
    {"git reset", Risk::kHigh, "it moves a branch"},
    {"git rebase", Risk::kHigh, "it rewrites commits"},
    {"git commit", Risk::kHigh, "it writes to a repository"},
    {"git merge", Risk::kHigh, "it writes to a repository"},
    {"git branch -D", Risk::kHigh, "it deletes a branch"},
    {"git reflog expire", Risk::kCritical, "it removes what could bring commits back"},
    {"git stash drop", Risk::kHigh, "it throws changes away"},
    {"git stash clear", Risk::kCritical, "it throws changes away"},
    {"git rm", Risk::kHigh, "it deletes files"},
    {"git update-ref", Risk::kHigh, "it moves or deletes a branch"},
    {"git symbolic-ref", Risk::kHigh, "it moves HEAD"},
    {"git branch -f", Risk::kHigh, "it moves a branch"},
    {"git branch -d", Risk::kHigh, "it deletes a branch"},
    {"git tag -d", Risk::kHigh, "it deletes a tag"},
    {"git tag -f", Risk::kHigh, "it moves a tag"},
    {"git worktree remove", Risk::kHigh, "it deletes a working tree"},
    {"git switch", Risk::kHigh, "it changes files of the working tree"},
    {"git am", Risk::kHigh, "it writes to a repository"},
    {"git cherry-pick", Risk::kHigh, "it writes to a repository"},
    {"git revert", Risk::kHigh, "it writes to a repository"},
    {"git apply", Risk::kHigh, "it changes files of the working tree"},
    {"git notes", Risk::kHigh, "it writes to a repository"},
    {"git remote add", Risk::kHigh, "it says where commits come from and go to"},
    {"git remote set-url", Risk::kHigh, "it says where commits come from and go to"},
    {"git remote remove", Risk::kHigh, "it says where commits come from and go to"},
    {"git fetch", Risk::kHigh, "it reaches the network"},
    {"git pull", Risk::kHigh, "it reaches the network and writes to a repository"},
    {"git clone", Risk::kHigh, "it reaches the network"},
    {"git submodule", Risk::kHigh, "it reaches the network"},
    {"hg strip", Risk::kHigh, "it rewrites history"},
    {"hg push", Risk::kHigh, "it publishes commits"},
    {"svn commit", Risk::kHigh, "it publishes a change"},
    {"svn revert", Risk::kHigh, "it throws changes away"},
    {"git gc --prune", Risk::kHigh, "it removes what could bring commits back"},
    {"git config", Risk::kHigh, "it changes what git runs"},
    {"kubectl delete", Risk::kHigh, "it deletes objects of a cluster"},
    {"kubectl delete --all", Risk::kCritical, "it deletes all objects"},
    {"kubectl delete namespace", Risk::kCritical, "it deletes a namespace"},
    {"kubectl delete ns", Risk::kCritical, "it deletes a namespace"},
    {"kubectl delete node", Risk::kCritical, "it deletes a node"},
    {"kubectl delete crd", Risk::kCritical, "it deletes a kind and all its objects"},
    {"kubectl replace --force", Risk::kHigh, "it deletes objects of a cluster"},
    {"kubectl apply --prune", Risk::kHigh, "it deletes objects of a cluster"},
    {"kubectl apply", Risk::kHigh, "it changes a cluster"},
    {"kubectl create", Risk::kHigh, "it changes a cluster"},
    {"kubectl replace", Risk::kHigh, "it changes a cluster"},
    {"kubectl patch", Risk::kHigh, "it changes a cluster"},
    {"kubectl edit", Risk::kHigh, "it changes a cluster"},
    {"kubectl set", Risk::kHigh, "it changes a cluster"},
    {"kubectl scale", Risk::kHigh, "it changes a cluster"},
    {"kubectl run", Risk::kHigh, "it changes a cluster"},
    {"kubectl label", Risk::kHigh, "it changes a cluster"},
    {"kubectl annotate", Risk::kHigh, "it changes a cluster"},
    {"kubectl taint", Risk::kHigh, "it changes a node"},
    {"kubectl cordon", Risk::kHigh, "it changes a node"},
    {"kubectl exec", Risk::kHigh, "it runs a program in a container"},
    {"kubectl cp", Risk::kHigh, "it copies files of a container"},
    {"helm install", Risk::kHigh, "it changes a cluster"},
    {"helm upgrade", Risk::kHigh, "it changes a cluster"},
    {"helm rollback", Risk::kHigh, "it changes a cluster"},
    {"helm uninstall", Risk::kHigh, "it deletes objects of a cluster"},
    {"kubectl drain", Risk::kCritical, "it empties a node"},
    {"terraform destroy", Risk::kCritical, "it destroys infrastructure"},
    {"terraform apply", Risk::kHigh, "it changes infrastructure"},
    {"terraform state", Risk::kHigh, "it changes what is known of infrastructure"},
    {"terraform taint", Risk::kHigh, "it changes what is known of infrastructure"},
    {"docker rm", Risk::kHigh, "it deletes a container"},
    {"docker rmi", Risk::kHigh, "it deletes an image"},
    {"docker kill", Risk::kHigh, "it ends a container"},
    {"docker stop", Risk::kHigh, "it ends a container"},
    {"docker push", Risk::kHigh, "it publishes an image"},
    {"docker run", Risk::kHigh, "it starts a container, which may reach the whole machine"},
    {"docker exec", Risk::kHigh, "it runs a program in a container"},
    {"docker system prune", Risk::kCritical, "it deletes images and volumes"},
    {"docker volume rm", Risk::kCritical, "it deletes a volume"},
    {"podman run", Risk::kHigh, "it starts a container"},
    {"npm publish", Risk::kCritical, "it publishes a package"},
    {"cargo publish", Risk::kCritical, "it publishes a package"},
    {"npm install", Risk::kHigh, "it runs what packages bring along"},
    {"pip install", Risk::kHigh, "it runs what packages bring along"},
    {"pip uninstall", Risk::kHigh, "it removes packages"},
    {"apt-get", Risk::kHigh, "it changes the packages of the machine"},
    {"apt", Risk::kHigh, "it changes the packages of the machine"},
    {"dpkg", Risk::kHigh, "it changes the packages of the machine"},
    {"gpg", Risk::kHigh, "it uses keys"},
    {"truncate", Risk::kHigh, "it cuts files off"},
    {"chmod", Risk::kHigh, "it changes who may do what"},
    {"chown", Risk::kHigh, "it changes who may do what"},
    {"rm", Risk::kHigh, "it deletes files"},
    {"rmdir", Risk::kHigh, "it deletes directories"},
    {"unlink", Risk::kHigh, "it deletes a file"},
    {"shred", Risk::kCritical, "it destroys files"},
    {"dd", Risk::kCritical, "it writes to any place"},
    {"mkfs", Risk::kCritical, "it makes a file system"},
    {"mount", Risk::kCritical, "it changes mounts"},
    {"sudo", Risk::kCritical, "it runs as another user"},
    {"doas", Risk::kCritical, "it runs as another user"},
    {"su", Risk::kCritical, "it runs as another user"},
    {"pkexec", Risk::kCritical, "it runs as another user"},
    {"kill", Risk::kHigh, "it ends processes"},
    {"pkill", Risk::kHigh, "it ends processes"},
    {"killall", Risk::kHigh, "it ends processes"},
    {"systemctl", Risk::kHigh, "it changes services"},
    {"crontab", Risk::kCritical, "it makes something run later"},
    {"at", Risk::kCritical, "it makes something run later"},
    {"shutdown", Risk::kCritical, "it stops the machine"},
    {"reboot", Risk::kCritical, "it stops the machine"},
    {"find -delete", Risk::kHigh, "it deletes files"},
    {"tee", Risk::kHigh, "it writes files"},
    {"curl", Risk::kHigh, "it reaches the network"},
    {"wget", Risk::kHigh, "it reaches the network"},
    {"nc", Risk::kHigh, "it reaches the network"},
    {"ncat", Risk::kHigh, "it reaches the network"},
    {"socat", Risk::kHigh, "it reaches the network"},
    {"ssh", Risk::kHigh, "it reaches another machine"},
    {"scp", Risk::kHigh, "it reaches another machine"},
    {"sftp", Risk::kHigh, "it reaches another machine"},
    {"rsync", Risk::kHigh, "it copies, maybe to another machine"},
    {"dig", Risk::kHigh, "it reaches the network"},
    {"nslookup", Risk::kHigh, "it reaches the network"},
    {"ping", Risk::kHigh, "it reaches the network"},
    {"host", Risk::kHigh, "it reaches the network"},
    {"filecall", Risk::kCritical, "it could approve, drop requests or change a policy"},
    {"filecall-worker", Risk::kCritical, "it could serve requests without these limits"}};

using RiskyPattern = std::pair<ArgvPattern, const RiskyCommand*>;

/// By the program's name.
const std::map<std::string, std::vector<RiskyPattern>, std::less<>>& risky_commands() {
  static const auto* const patterns = [] {
    auto* made = new std::map<std::string, std::vector<RiskyPattern>, std::less<>>;
    for (const RiskyCommand& row : kRiskyCommands) {
      Json words = Json::array();
      for (std::size_t at = 0; at < row.words.size();) {
        const std::size_t end = std::min(row.words.find(' ', at), row.words.size());
        words.push_back(row.words.substr(at, end - at));
        at = end + 1;
      }
      (*made)[words[0].get<std::string>()].emplace_back(*ArgvPattern::of(words), &row);
    }
    return made;
  }();
  return *patterns;
}

/// rm -r of the root, a home, or a directory above the working one.
bool removes_too_much(const SeenCommand& command, const std::string& from) {
  if (program_name(command.words[0]) != "rm") return false;
  bool is_recursive = false;
  for (const std::string& word : command.words) {
    is_recursive |= word == "--recursive" || (word.size() > 1 && word[0] == '-' && word[1] != '-' &&
                                              word.find_first_of("rR") != std::string::npos);
  }
  if (!is_recursive) return false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    if (word.empty() || word[0] == '-') continue;
    std::string place = word;
    while (place.ends_with('*') || (place.size() > 1 && place.ends_with('/'))) place.pop_back();
    if (place.starts_with('~') || place.starts_with("$HOME") || place.starts_with("${HOME")) {
      if (place.find('/') == std::string::npos || place.ends_with('/')) return true;
      continue;
    }
    if (place.empty()) place = word.starts_with('/') ? "/" : ".";
    const std::string whole = absolute_path(from, place);
    const std::string plain = plain_path(place);
    if (plain == "." || plain.starts_with("..") || plain == "/") return true;
    if (whole.starts_with('/') && std::count(whole.begin(), whole.end(), '/') < 2) return true;
    if (!from.empty() && !relative_path(whole, from).empty()) return true;
    if (whole.starts_with("/home/") && std::count(whole.begin(), whole.end(), '/') < 3) return true;
  }
  return false;
}

bool names_secret(const SeenCommand& command) {
  return std::any_of(command.words.begin() + 1, command.words.end(), [](const std::string& word) {
    const std::size_t at = word.find_first_of("@=");
    return !protected_place(word).empty() ||
           (at != std::string::npos && !protected_place(word.substr(at + 1)).empty());
  });
}

/// What of a word may be a path that leads elsewhere: all of it, what is behind = @ : , and behind
/// a letter (-I/usr). Only the first ones, and no more of each than a path may have.
std::vector<std::string> places_in(const std::string& word) {
  constexpr std::size_t kPlacesOfWordMax = 256;
  constexpr std::size_t kPathBytes = 4096;
  std::vector<std::string> places;
  if (word.empty() || word.find("://") != std::string::npos) return places;
  const std::size_t slash = word[0] == '-' ? word.find('/') : std::string::npos;
  const std::size_t dots = word.rfind("..");
  for (std::size_t i = 0; i < word.size() && places.size() < kPlacesOfWordMax; ++i) {
    const bool is_begin = i == 0 || std::string_view("=@:,").find(word[i - 1]) != std::string::npos;
    const bool may_lead_out = word[i] == '/' || word[i] == '~' || (dots != word.npos && i <= dots);
    if ((is_begin && may_lead_out) || i == slash) places.push_back(word.substr(i, kPathBytes));
  }
  return places;
}

/// A place of a program's arguments that lies in no directory of the workspace. A link that leads
/// out of it cannot be seen here.
bool lies_outside(const CallToDecide& call, const std::string& from, const std::string& place) {
  constexpr std::string_view kDevices[] = {"/dev/null",   "/dev/stdin", "/dev/stdout",
                                           "/dev/stderr", "/dev/tty",   "/dev/zero"};
  if (place.starts_with('~')) return true;
  const std::string plain = plain_path(place);
  const bool is_above = plain == ".." || plain.starts_with("../");
  if (!plain.starts_with('/') && !is_above) return false;
  if (std::find(std::begin(kDevices), std::end(kDevices), plain) != std::end(kDevices))
    return false;
  const std::string whole = absolute_path(from, plain);
  if (whole.empty()) return true;
  const auto covers = [&](const std::string& folder) {
    return !folder.empty() && !relative_path(folder, whole).empty();
  };
  return !covers(call.working_directory) && !covers(call.tool_directory);
}

/// The directory in which the program of a call works; empty: not known.
std::string directory_of(const CallToDecide& call) {
  const std::string& base =
      call.tool_directory.empty() ? call.working_directory : call.tool_directory;
  const auto cwd = call.args.find("cwd");
  if (cwd == call.args.end() || !cwd->is_string()) return base;
  return absolute_path(base, cwd->get<std::string>());
}

void assess_places(const CallToDecide& call, const SeenCommand& command, RiskAssessment& out) {
  const std::string from = directory_of(call);
  const std::vector<std::string> scripts = program_name(command.words[0]) == "sed"
                                               ? read_sed_arguments(command.words).scripts
                                               : std::vector<std::string>();
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    if (std::find(scripts.begin(), scripts.end(), word) != scripts.end()) continue;
    for (const std::string& place : places_in(word)) {
      if (!lies_outside(call, from, place)) continue;
      out.raise(Risk::kHigh, fmt::format("{} lies outside {}", excerpt(place, 100),
                                         call.working_directory.empty() ? "the working directory"
                                                                        : call.working_directory));
      return;  // One is enough for a person.
    }
  }
}

void assess_command(const CallToDecide& call, const SeenCommand& command, RiskAssessment& out) {
  if (command.words.empty()) return;
  bool has_network = false;
  const std::string program = program_name(command.words[0]);
  std::set<std::string> programs = {program, std::string(unversioned(program))};
  for (const auto& words : other_spellings(command.words)) programs.insert(words[0]);
  for (const std::string& one : programs) {
    const auto rows = risky_commands().find(one);
    if (rows == risky_commands().end()) continue;
    for (const auto& [pattern, row] : rows->second) {
      if (!pattern.catches(command)) continue;
      out.raise(row->risk, fmt::format("{}: {}", excerpt(one, 40), row->reason));
      has_network |= row->reason.find("network") != std::string_view::npos ||
                     row->reason.find("machine") != std::string_view::npos;
    }
  }
  if (call.tool == "tool.run" && !command.is_guess) assess_places(call, command, out);
  if (removes_too_much(command, call.working_directory) ||
      removes_too_much(command, directory_of(call))) {
    out.raise(Risk::kCritical, "it deletes a directory with all that is in it, above the root");
    out.must_prompt = true;
  }
  const bool names_policy = std::any_of(
      command.words.begin() + 1, command.words.end(),
      [](const std::string& word) { return is_of_policy(word.substr(word.find('=') + 1)); });
  if (names_policy) {
    out.raise(Risk::kCritical, "it names a policy or a scenario, which say what is asked");
    out.must_prompt = true;
  }
  if (!names_secret(command)) return;
  out.raise(has_network ? Risk::kCritical : Risk::kHigh,
            has_network ? "it names a protected place and reaches the network"
                        : "it names a protected place");
}

}  // namespace

void assess_program(const CallToDecide& call, const ArgvReading& reading, RiskAssessment& out) {
  if (call.tool == "tool.run") {
    out.raise(Risk::kMedium, "it runs a program");
    if (!call.sandbox.hides_root) {
      const std::string& level = call.sandbox.level;
      const std::string sandbox = level == "none" ? "the sandbox is none"
                                  : level == "unknown"
                                      ? "the worker says nothing of its sandbox"
                                      : "the sandbox is " + level + " and shows the root";
      out.raise(Risk::kCritical, sandbox +
                                     ", so such a program could forge decisions; set tool.sandbox "
                                     "in the worker's configuration");
      out.must_prompt = true;
    }
    if (call.sandbox.has_network) out.raise(Risk::kHigh, "it can reach the network");
    if (const auto cwd = call.args.find("cwd");
        cwd != call.args.end() && cwd->is_string() &&
        lies_outside(call, directory_of(call), directory_of(call))) {
      out.raise(Risk::kHigh,
                fmt::format("it works in {}, outside {}", excerpt(cwd->get<std::string>(), 100),
                            call.working_directory.empty() ? "the working directory"
                                                           : call.working_directory));
    }
    if (call.args.contains("env")) out.raise(Risk::kHigh, "it sets variables of the program");
  }
  if (!reading.doubts.empty()) {
    for (const std::string& doubt : reading.doubts) out.raise(Risk::kHigh, doubt);
  }
  for (const SeenCommand& command : reading.commands) {
    if (!command.is_guess && !command.is_transparent && !command.words.empty() &&
        !is_known_program(command.words.front())) {
      out.raise(Risk::kHigh,
                fmt::format("{} is not known here", excerpt(command.words.front(), 60)));
    }
    assess_command(call, command, out);
  }
}

}  // namespace filecall::client
