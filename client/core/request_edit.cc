// SPDX-License-Identifier: MIT
#include "client/core/request_edit.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

Unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message));
}

/// '~' and '/' of a token of a JSON pointer (RFC 6901).
Result<std::string> unescaped(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      name += token[i];
      continue;
    }
    const char next = i + 1 < token.size() ? token[++i] : '\0';
    if (next != '0' && next != '1') {
      return wrong(
          fmt::format("'{}': in a JSON pointer '~' is written ~0 and '/' is written ~1", token));
    }
    name += next == '0' ? '~' : '/';
  }
  return name;
}

std::string dotted(std::span<const std::string> path) {
  return fmt::format("{}", fmt::join(path, "."));
}

std::optional<std::size_t> index_in(const Json& array, const std::string& name) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size() || index >= array.size()) {
    return std::nullopt;
  }
  return index;
}

/// The value that holds the path's last name; with `makes`, objects on the way are made.
Result<Json*> parent_of(Json& request, std::span<const std::string> path, bool makes) {
  Json* at = &request;
  for (std::size_t depth = 0; depth + 1 < path.size(); ++depth) {
    const std::string& name = path[depth];
    if (at->is_array()) {
      const auto index = index_in(*at, name);
      if (!index) return wrong(fmt::format("{}: the array has no such element", dotted(path)));
      at = &(*at)[*index];
    } else if (at->is_object()) {
      const auto found = at->find(name);
      if (found == at->end() && !makes) return static_cast<Json*>(nullptr);
      at = found == at->end() ? &((*at)[name] = Json::object()) : &*found;
    } else {
      return wrong(fmt::format("{}: '{}' is neither an object nor an array", dotted(path),
                               dotted(path.first(depth))));
    }
  }
  return at;
}

Result<void> apply_change(Json& request, const MemberChange& change) {
  TRY_ASSIGN(Json* const parent, parent_of(request, change.path, change.value.has_value()));
  if (parent == nullptr) return {};
  const std::string& name = change.path.back();
  if (parent->is_array()) {
    const auto index = index_in(*parent, name);
    if (!index) return wrong(fmt::format("{}: the array has no such element", dotted(change.path)));
    if (change.value) {
      (*parent)[*index] = *change.value;
    } else {
      parent->erase(*index);
    }
    return {};
  }
  if (!parent->is_object()) {
    return wrong(fmt::format("{}: is no member of an object or an array", dotted(change.path)));
  }
  if (change.value) {
    (*parent)[name] = *change.value;
  } else {
    parent->erase(name);
  }
  return {};
}

Result<Json> read_object(std::string_view text) {
  auto json = parse_json_strict(text, limits::kDepth);
  if (!json) return wrong(std::move(json.error().message));
  if (!json->is_object()) return wrong("a request must be a JSON object");
  return std::move(*json);
}

}  // namespace

Result<std::vector<std::string>> parse_member_path(std::string_view text) {
  const bool is_pointer = text.starts_with('/');
  std::vector<std::string> path;
  std::string_view rest = is_pointer ? text.substr(1) : text;
  for (;;) {
    const std::size_t end = rest.find(is_pointer ? '/' : '.');
    const std::string_view token = rest.substr(0, end);
    if (token.empty() && !is_pointer) {
      return wrong(
          fmt::format("'{}' names no member; write e.g. params.text, or /params/text", text));
    }
    if (is_pointer) {
      TRY_ASSIGN(std::string name, unescaped(token));
      path.push_back(std::move(name));
    } else {
      path.emplace_back(token);
    }
    if (end == std::string_view::npos) return path;
    rest.remove_prefix(end + 1);
  }
}

Result<MemberChange> parse_member_value(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return wrong(fmt::format("'{}' has no value; write PATH=VALUE, e.g. params.text=hello", text));
  }
  TRY_ASSIGN(std::vector<std::string> path, parse_member_path(text.substr(0, equals)));
  const std::string_view value = text.substr(equals + 1);
  auto json = parse_json_strict(value, limits::kDepth);
  return MemberChange{std::move(path), json ? std::move(*json) : Json(std::string(value))};
}

Result<std::string> edited_request(std::string_view text, std::span<const MemberChange> changes) {
  TRY_ASSIGN(Json request, read_object(text));
  const Json before = request;
  for (const MemberChange& change : changes) TRY(apply_change(request, change));
  // What is the same stays as it was written.
  return request == before ? std::string(text) : dump_json(request) + "\n";
}

Result<std::vector<std::string>> changed_members(std::string_view before, std::string_view after) {
  TRY_ASSIGN(const Json one, read_object(before));
  TRY_ASSIGN(const Json other, read_object(after));
  std::set<std::string> changed;
  for (const auto& [first, second] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    for (const auto& [name, value] : first->items()) {
      const auto found = second->find(name);
      if (found == second->end() || *found != value) changed.insert(name);
    }
  }
  return std::vector<std::string>(changed.begin(), changed.end());
}

bool is_priority_alone(std::span<const std::string> members) {
  return members.size() == 1 && members.front() == "priority";
}

Result<void> admit_edit(std::string_view id, const EditClaims& claims,
                        std::span<const std::string> members) {
  // Nothing that anybody recorded becomes untrue.
  if (is_priority_alone(members)) return {};
  const auto refuse = [id](const std::string& why) {
    return fail(ErrorCode::kFailedPrecondition, fmt::format("{}: {}", id, why));
  };
  if (claims.is_between_attempts) {
    return refuse(
        "an attempt has ended, and the next one asks the same; 'filecall cancel' ends it, then "
        "ask under another id");
  }
  if (!claims.batch.empty()) {
    return refuse(
        fmt::format("batch {} asked it, and the run's record, its results and ids that are derived "
                    "say what was asked; of it only the priority can be edited. Cancel it, correct "
                    "the line under another id, and run again",
                    claims.batch));
  }
  if (!claims.waiting_client.empty()) {
    return refuse(
        fmt::format("the client {} waits for the response to what it asked; of it only the "
                    "priority can be edited. End that client, or cancel the request and ask under "
                    "another id",
                    claims.waiting_client));
  }
  return {};
}

}  // namespace filecall::client
