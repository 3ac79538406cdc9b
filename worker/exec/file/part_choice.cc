// SPDX-License-Identifier: MIT
#include "worker/exec/file/part_choice.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace filecall::worker::file {
namespace {

Unexpected<Failure> wrong_choice(ErrorCode code, std::size_t at, const std::string& rule) {
  return Unexpected(Failure::of({code, fmt::format("/params/hunks/{}: {}", at, rule)}));
}

std::vector<std::string> ids_of(const Json& change) {
  std::vector<std::string> ids;
  if (!change.contains("hunks")) return ids;
  for (const Json& hunk : change["hunks"]) ids.push_back(hunk["id"].get<std::string>());
  return ids;
}

/// What one entry of `hunks` names.
struct NamedPart {
  std::optional<std::string> path;
  std::optional<std::string> id;
};

NamedPart read_named(const Json& entry) {
  if (entry.is_string()) return {std::nullopt, entry.get<std::string>()};
  NamedPart named{entry["path"].get<std::string>(), std::nullopt};
  if (entry.contains("id")) named.id = entry["id"].get<std::string>();
  return named;
}

/// The numbers of the changes that an entry may mean.
std::vector<std::size_t> find_changes(const Json& changes, const NamedPart& named) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (named.path && changes[i]["path"] != *named.path) continue;
    const auto ids = ids_of(changes[i]);
    if (named.id && std::ranges::find(ids, *named.id) == ids.end()) continue;
    found.push_back(i);
  }
  return found;
}

std::string describe(const NamedPart& named) {
  if (!named.id) return fmt::format("the path '{}'", *named.path);
  return named.path ? fmt::format("the hunk '{}' of '{}'", *named.id, *named.path)
                    : fmt::format("the hunk '{}'", *named.id);
}

Result<std::size_t, Failure> find_change(const Json& changes, const NamedPart& named,
                                         std::size_t at) {
  const auto found = find_changes(changes, named);
  if (found.empty()) {
    return wrong_choice(ErrorCode::kNotFound, at, "no change has " + describe(named));
  }
  if (found.size() > 1) {
    std::vector<std::string> paths;
    paths.reserve(found.size());
    for (const std::size_t i : found) paths.push_back(changes[i]["path"].get<std::string>());
    return wrong_choice(ErrorCode::kInvalidArgument, at,
                        fmt::format("{} is in several files ({}); name it as {{\"path\": ..., "
                                    "\"id\": ...}}",
                                    describe(named), fmt::join(paths, ", ")));
  }
  return found.front();
}

/// All its hunks are the whole of it. Failure: a part of what has no parts.
Result<void, Failure> close_part(const Json& change, std::size_t number, ChosenPart& part) {
  if (part.is_whole || part.hunks.empty()) return {};
  const auto ids = ids_of(change);
  const std::set<std::string> chosen(part.hunks.begin(), part.hunks.end());
  if (chosen.size() == std::set<std::string>(ids.begin(), ids.end()).size()) {
    part = {true, {}};
  } else if (change["operation"] != "update") {
    return Failure::of({ErrorCode::kFailedPrecondition,
                        fmt::format("/params/changes/{}: a {} is made as a whole or not at all",
                                    number, change["operation"].get<std::string>())});
  }
  return {};
}

}  // namespace

Result<std::vector<ChosenPart>, Failure> choose_parts(const Json& changes, const Json& hunks) {
  if (hunks.is_null()) return std::vector<ChosenPart>(changes.size(), {true, {}});
  std::vector<ChosenPart> parts(changes.size());
  for (std::size_t at = 0; at < hunks.size(); ++at) {
    const NamedPart named = read_named(hunks[at]);
    TRY_ASSIGN(const std::size_t number, find_change(changes, named, at));
    ChosenPart& part = parts[number];
    if (!named.id) part = {true, {}};
    if (named.id && !part.is_whole) part.hunks.push_back(*named.id);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) TRY(close_part(changes[i], i, parts[i]));
  return parts;
}

}  // namespace filecall::worker::file
