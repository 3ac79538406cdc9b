// SPDX-License-Identifier: MIT
#include "client/agent/core/branch_route.h"

#include <fmt/core.h>

#include <string_view>
#include <vector>

#include "base/take_until.h"
#include "client/agent/core/record_member.h"

namespace filecall::client {
namespace {

/// The rest of a path below a directory; nullopt: it lies elsewhere.
std::optional<std::string_view> below(std::string_view path, std::string_view directory) {
  if (directory.empty() || !path.starts_with(directory)) return std::nullopt;
  path.remove_prefix(directory.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

/// A path as the model names it, from the worktree's top; "" is the top.
Result<std::string> place_in(const std::string& path, const RunBranch& branch) {
  std::string_view rest = path;
  if (path.starts_with('/')) {
    auto inside = below(path, branch.directory);
    if (!inside) inside = below(path, branch.repository());
    if (!inside) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("'{}': paths count from the repository's top", path));
    }
    rest = *inside;
  }
  std::vector<std::string_view> parts;
  while (!rest.empty()) {
    const std::string_view part = take_until(&rest, '/');
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' leads out of the repository", path));
    } else {
      parts.pop_back();
    }
  }
  std::string plain;
  for (const std::string_view part : parts) plain.append(plain.empty() ? "" : "/").append(part);
  if (const auto inside = below(plain, branch.path)) return std::string(*inside);
  return plain;
}

std::string joined(const std::string& top, const std::string& rest) {
  return rest.empty() ? top : top + "/" + rest;
}

Result<void> move_path(Json& object, const char* name, const RunBranch& branch,
                       const std::string& top, bool has_default) {
  const Json& value = value_at(object, name);
  if (!value.is_string() && !(has_default && value.is_null())) return {};
  const std::string path = value.is_string() ? value.get<std::string>() : std::string();
  TRY_ASSIGN(const std::string place, place_in(path, branch));
  object[name] = joined(top, place);
  return {};
}

/// Paths, or objects that have one.
Result<void> move_list(Json& object, const char* name, const RunBranch& branch) {
  const auto list = object.find(name);
  if (list == object.end() || !list->is_array()) return {};
  for (Json& one : *list) {
    if (one.is_object()) {
      TRY(move_path(one, "path", branch, branch.path, false));
    } else if (one.is_string() && std::string_view(name) == "files") {
      TRY_ASSIGN(const std::string place, place_in(one.get<std::string>(), branch));
      one = joined(branch.path, place);
    }
  }
  return {};
}

Result<void> check_keeps_branch(const CallRoute& route) {
  const std::string action = text_at(route.params, "action");
  const bool is_other = (route.command == "git.worktree" && action != "list") ||
                        (route.command == "git.branch" && action == "switch");
  if (!is_other) return {};
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{} {}: the run stays in the worktree of its own branch", route.command, action));
}

void replace_all(std::string& text, const std::string& from) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.erase(at, from.size());
  }
}

void strip(Json& value, const RunBranch& branch) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (text == branch.path || text == branch.directory) {
      text = ".";
    } else {
      text = out_of_worktree(std::move(text), branch);
    }
  } else if (value.is_structured()) {
    for (Json& member : value) strip(member, branch);
  }
}

}  // namespace

Result<CallRoute> in_worktree(CallRoute route, const RunBranch& branch) {
  if (!route.params.is_object()) return route;
  Json& params = route.params;
  // A link that the repository holds may lead to where a person works.
  if (is_of_files(route.command)) {
    params["beneath"] = branch.path;
  } else if (route.command == "tool.run") {
    params["beneath"] = branch.directory;
  }
  if (route.command == "file.list" || route.command == "file.search") {
    TRY(move_path(params, "path", branch, branch.path, true));
  } else if (route.command.starts_with("file.")) {
    TRY(move_path(params, "path", branch, branch.path, false));
    for (const char* name : {"files", "changes", "hunks"}) TRY(move_list(params, name, branch));
  } else if (route.command.starts_with("git.")) {
    TRY(check_keeps_branch(route));
    TRY(move_path(params, "repository", branch, branch.path, true));
  } else if (route.command == "tool.run") {
    TRY(move_path(params, "cwd", branch, branch.directory, true));
  }
  return route;
}

std::string out_of_worktree(std::string text, const RunBranch& branch) {
  if (!branch.directory.empty()) replace_all(text, branch.directory + "/");
  replace_all(text, branch.path + "/");
  return text;
}

Json out_of_worktree(const Json& answer, const RunBranch& branch) {
  Json out = answer;
  strip(out, branch);
  return out;
}

}  // namespace filecall::client
