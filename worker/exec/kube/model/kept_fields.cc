// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/kept_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "ipc/strict_parser.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kFieldsNamed = 10;
/// Longer lists are not compared item by item with each other.
constexpr std::size_t kItemsMax = 50;
/// Of an object and of its metadata: what servers take, or redaction takes out.
constexpr std::array kLeftToTheServer = std::to_array<std::string_view>(
    {"/apiVersion", "/kind", "/stringData", "/metadata/annotations", "/metadata/managedFields",
     "/metadata/resourceVersion", "/metadata/uid", "/metadata/generation", "/metadata/selfLink",
     "/metadata/creationTimestamp", "/metadata/deletionTimestamp", "/metadata/generateName",
     "/metadata/namespace"});

bool says_nothing(const Json& value) {
  if (value.is_object()) {
    return std::all_of(value.begin(), value.end(),
                       [](const Json& item) { return says_nothing(item); });
  }
  return value.is_null() || value == Json(false) || value == Json(0) || value == Json("") ||
         (value.is_array() && value.empty());
}

void look(const Json& sent, const Json& stored, const std::string& path,
          std::vector<std::string>& missing);

/// The items of a list may be in another order than they were sent: each is compared with the one
/// that keeps most of it.
void look_at_items(const Json& sent, const Json& stored, const std::string& path,
                   std::vector<std::string>& missing) {
  if (sent.size() != stored.size() || sent.size() > kItemsMax) return;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (!sent[i].is_object()) continue;
    std::optional<std::vector<std::string>> least;
    for (const Json& item : stored) {
      std::vector<std::string> found;
      look(sent[i], item, fmt::format("{}/{}", path, i), found);
      if (!least || found.size() < least->size()) least = std::move(found);
    }
    if (least) missing.insert(missing.end(), least->begin(), least->end());
  }
}

void look(const Json& sent, const Json& stored, const std::string& path,
          std::vector<std::string>& missing) {
  if (says_nothing(sent)) return;
  if (sent.is_array() && stored.is_array()) return look_at_items(sent, stored, path, missing);
  // What is hidden is there; what was an object and became something else as well.
  if (!sent.is_object() || !stored.is_object()) return;
  for (const auto& [name, value] : sent.items()) {
    const std::string at = path + pointer_token(name);
    if (says_nothing(value) ||
        std::find(kLeftToTheServer.begin(), kLeftToTheServer.end(), at) != kLeftToTheServer.end()) {
      continue;
    }
    const auto kept = stored.find(name);
    kept == stored.end() ? missing.push_back(at) : look(value, *kept, at, missing);
  }
}

}  // namespace

std::vector<std::string> fields_not_kept(const Json& sent, const Json& stored) {
  std::vector<std::string> missing;
  look(sent, stored, "", missing);
  return missing;
}

std::string not_kept_warning(const Json& sent, const Json& stored) {
  std::vector<std::string> missing = fields_not_kept(sent, stored);
  if (missing.empty()) return "";
  const std::size_t count = missing.size();
  missing.resize(std::min(count, kFieldsNamed));
  return fmt::format(
      "the server did not keep what was sent at {}{}: the kind has no such field there",
      fmt::join(missing, ", "),
      count > kFieldsNamed ? fmt::format(" and {} more", count - kFieldsNamed) : "");
}

}  // namespace filecall::worker::kube
