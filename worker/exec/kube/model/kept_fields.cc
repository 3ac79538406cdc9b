// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/kept_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

/// Looks for what was sent, as long as its steps last.
class KeptSearch {
 public:
  void look(const Json& sent, const Json& stored, const std::string& path,
            std::vector<std::string>& missing) {
    if (++steps_ > kStepsMax || says_nothing(sent)) return;
    if (sent.is_array() && stored.is_array()) return items(sent, stored, path, missing);
    // What is hidden is there; what was an object and became something else as well.
    if (!sent.is_object() || !stored.is_object()) return;
    for (const auto& [name, value] : sent.items()) {
      const std::string at = path + pointer_token(name);
      if (says_nothing(value) || std::ranges::find(kLeftToTheServer, at) != kLeftToTheServer.end())
        continue;
      const auto kept = stored.find(name);
      kept == stored.end() ? missing.push_back(at) : look(value, *kept, at, missing);
    }
  }

  bool is_whole() const { return steps_ <= kStepsMax && !has_skipped_; }

 private:
  /// Lists in lists are compared each with each: of bounded work, not of bounded depth.
  static constexpr int kStepsMax = 100'000;

  /// The items of a list may be in another order than they were sent: each is compared with the one
  /// in its place, then with the one that keeps most of it.
  void items(const Json& sent, const Json& stored, const std::string& path,
             std::vector<std::string>& missing) {
    const bool has_objects = std::ranges::any_of(sent, [](const Json& i) { return i.is_object(); });
    if (!has_objects) return;
    if (sent.size() != stored.size() || sent.size() > kItemsMax) {
      has_skipped_ = has_skipped_ || sent.size() > kItemsMax;
      return;
    }
    for (std::size_t i = 0; i < sent.size() && steps_ <= kStepsMax; ++i) {
      if (!sent[i].is_object()) continue;
      const std::string at = fmt::format("{}/{}", path, i);
      std::vector<std::string> least;
      look(sent[i], stored[i], at, least);
      for (std::size_t j = 0; j < stored.size() && !least.empty(); ++j) {
        std::vector<std::string> found;
        look(sent[i], stored[j], at, found);
        if (found.size() < least.size()) least = std::move(found);
      }
      missing.insert(missing.end(), least.begin(), least.end());
    }
  }

  int steps_ = 0;
  bool has_skipped_ = false;
};

}  // namespace

std::vector<std::string> fields_not_kept(const Json& sent, const Json& stored, bool* is_whole) {
  KeptSearch search;
  std::vector<std::string> missing;
  search.look(sent, stored, "", missing);
  // What was found in a search that did not end may be somewhere else.
  if (is_whole != nullptr) *is_whole = search.is_whole();
  return missing;
}

std::string not_kept_warning(const Json& sent, const Json& stored) {
  bool is_whole = true;
  std::vector<std::string> missing = fields_not_kept(sent, stored, &is_whole);
  if (!is_whole && missing.empty()) {
    return "the object is too large to tell whether the server kept all that was sent: its lists "
           "were not compared to the end";
  }
  if (missing.empty()) return "";
  const std::size_t count = missing.size();
  missing.resize(std::min(count, kFieldsNamed));
  return fmt::format(
      "the server did not keep what was sent at {}{}: the kind has no such field there",
      fmt::join(missing, ", "),
      count > kFieldsNamed ? fmt::format(" and {} more", count - kFieldsNamed) : "");
}

}  // namespace filecall::worker::kube
