// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/object_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/strict_parser.h"
#include "worker/exec/kube/model/equal_ends.h"
#include "worker/exec/kube/model/line_diff.h"
#include "worker/exec/kube/model/sanitize.h"
#include "worker/exec/kube/model/server_metadata.h"

namespace filecall::worker::kube {
namespace {

/// What Kubernetes merges the items of a list by (x-kubernetes-list-map-keys). The first set of
/// members that all items of both lists have is taken.
struct ListKey {
  std::string_view list;
  std::array<std::string_view, 2> members;
};
constexpr std::array kListKeys = std::to_array<ListKey>({
    {"containers", {"name", ""}},
    {"initContainers", {"name", ""}},
    {"ephemeralContainers", {"name", ""}},
    {"volumes", {"name", ""}},
    {"env", {"name", ""}},
    {"imagePullSecrets", {"name", ""}},
    {"resourceClaims", {"name", ""}},
    {"secrets", {"name", ""}},
    {"volumeMounts", {"mountPath", ""}},
    {"volumeDevices", {"devicePath", ""}},
    {"hostAliases", {"ip", ""}},
    {"conditions", {"type", ""}},
    {"ownerReferences", {"uid", ""}},
    {"listeners", {"name", ""}},
    {"topologySpreadConstraints", {"topologyKey", "whenUnsatisfiable"}},
    {"ports", {"containerPort", "protocol"}},
    {"ports", {"containerPort", ""}},
    {"ports", {"port", "protocol"}},
    {"ports", {"port", ""}},
});

bool has_members(const Json& list, const ListKey& key) {
  return std::all_of(list.begin(), list.end(), [&](const Json& item) {
    return item.is_object() && item.contains(key.members[0]) &&
           (key.members[1].empty() || item.contains(key.members[1]));
  });
}

Json key_of(const Json& item, const ListKey& key) {
  Json out = {{std::string(key.members[0]), item[std::string(key.members[0])]}};
  if (!key.members[1].empty()) {
    out[std::string(key.members[1])] = item[std::string(key.members[1])];
  }
  return out;
}

std::map<std::string, std::size_t> by_key(const Json& list, const ListKey& key) {
  std::map<std::string, std::size_t> out;
  for (std::size_t i = 0; i < list.size(); ++i) out[dump_json(key_of(list[i], key))] = i;
  return out;
}

class Comparison {
 public:
  explicit Comparison(const DiffLimits& limits) : limits_(limits) {}

  void values(const Json& before, const Json& after, const std::string& path, const Json& item) {
    if (before == after) return;
    if (before.is_object() && after.is_object()) return objects(before, after, path, item);
    if (before.is_array() && after.is_array()) return lists(before, after, path, item);
    if (before.is_string() && after.is_string()) {
      const auto& old_text = before.get_ref<const std::string&>();
      const auto& new_text = after.get_ref<const std::string&>();
      const bool has_lines =
          old_text.find('\n') != old_text.npos || new_text.find('\n') != new_text.npos;
      if (has_lines) return lines(old_text, new_text, path, item);
      if (std::max(old_text.size(), new_text.size()) > limits_.value_bytes_max / 2) {
        const ChangedPart part = changed_part(old_text, new_text, limits_.value_bytes_max / 2);
        const Json old_part = part.before;
        const Json new_part = part.after;
        return note("replace", path, &old_part, &new_part, item);
      }
    }
    note("replace", path, &before, &after, item);
  }

  void lines(const std::string& before, const std::string& after, const std::string& path,
             const Json& item) {
    if (changes_.size() >= limits_.changes_max) {
      ++omitted_;
      return;
    }
    LineDiff diff = line_diff(before, after, limits_.value_bytes_max);
    Json change = {{"op", "replace"},
                   {"path", path},
                   {"diff", std::move(diff.text)},
                   {"lines", {{"removed", diff.removed}, {"added", diff.added}}}};
    if (diff.left_out_hunks > 0) change["hunksOmitted"] = diff.left_out_hunks;
    if (!item.is_null()) change["item"] = shown(item);
    changes_.push_back(std::move(change));
  }

  void note(const char* op, const std::string& path, const Json* before, const Json* after,
            const Json& item) {
    if (changes_.size() >= limits_.changes_max) {
      ++omitted_;
      if (after == nullptr) ++omitted_removals_;
      return;
    }
    Json change = {{"op", op}, {"path", path}};
    if (before != nullptr) change["before"] = shown(*before);
    if (after != nullptr) change["after"] = shown(*after);
    if (!item.is_null()) change["item"] = shown(item);
    changes_.push_back(std::move(change));
  }

  Json take() {
    Json out = {{"changes", std::move(changes_)}};
    if (omitted_ > 0) out["omitted"] = omitted_;
    if (omitted_removals_ > 0) out["omittedRemovals"] = omitted_removals_;
    return out;
  }

 private:
  Json shown(const Json& value) const {
    Json cut = Json::array();
    Json out = shortened(
        value,
        {.bytes_max = limits_.value_bytes_max, .text_bytes_max = limits_.value_bytes_max / 2}, cut);
    return cut.empty() ? out : Json{{"shortened", std::move(out)}};
  }

  static bool is_left_out(const std::string& path, std::string_view key) {
    return path == "/metadata" &&
           std::find(kServerKept.begin(), kServerKept.end(), key) != kServerKept.end();
  }

  void objects(const Json& before, const Json& after, const std::string& path, const Json& item) {
    for (const auto& [key, value] : before.items()) {
      if (is_left_out(path, key)) continue;
      const auto other = after.find(key);
      const std::string at = path + pointer_token(key);
      if (other == after.end()) {
        note("remove", at, &value, nullptr, item);
      } else {
        values(value, *other, at, item);
      }
    }
    for (const auto& [key, value] : after.items()) {
      if (is_left_out(path, key) || before.contains(key)) continue;
      note("add", path + pointer_token(key), nullptr, &value, item);
    }
  }

  void lists(const Json& before, const Json& after, const std::string& path, const Json& item) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    for (const ListKey& key : kListKeys) {
      if (key.list != name || !has_members(before, key) || !has_members(after, key)) continue;
      const auto old_items = by_key(before, key);
      const auto new_items = by_key(after, key);
      // Keys that stand twice identify nothing.
      if (old_items.size() != before.size() || new_items.size() != after.size()) continue;
      return keyed(before, after, path, key, old_items, new_items);
    }
    in_order(before, after, path, item);
  }

  void keyed(const Json& before, const Json& after, const std::string& path, const ListKey& key,
             const std::map<std::string, std::size_t>& old_items,
             const std::map<std::string, std::size_t>& new_items) {
    for (const auto& [text, index] : old_items) {
      const auto other = new_items.find(text);
      const Json item = key_of(before[index], key);
      if (other == new_items.end()) {
        note("remove", fmt::format("{}/{}", path, index), &before[index], nullptr, item);
      } else {
        values(before[index], after[other->second], fmt::format("{}/{}", path, other->second),
               item);
      }
    }
    for (const auto& [text, index] : new_items) {
      if (old_items.contains(text)) continue;
      note("add", fmt::format("{}/{}", path, index), nullptr, &after[index],
           key_of(after[index], key));
    }
  }

  void in_order(const Json& before, const Json& after, const std::string& path, const Json& item) {
    const auto [begin, end] = equal_ends(before, after);
    const std::size_t old_end = before.size() - end;
    const std::size_t new_end = after.size() - end;
    std::size_t i = begin;
    for (; i < old_end && i < new_end; ++i) {
      values(before[i], after[i], fmt::format("{}/{}", path, i), item);
    }
    for (std::size_t j = i; j < old_end; ++j) {
      note("remove", fmt::format("{}/{}", path, j), &before[j], nullptr, item);
    }
    for (std::size_t j = i; j < new_end; ++j) {
      note("add", fmt::format("{}/{}", path, j), nullptr, &after[j], item);
    }
  }

  DiffLimits limits_;
  Json changes_ = Json::array();
  std::size_t omitted_ = 0;
  std::size_t omitted_removals_ = 0;
};

}  // namespace

Json diff_objects(const Json& before, const Json& after, const DiffLimits& limits) {
  Comparison comparison(limits);
  if (before.is_null() && !after.is_null()) {
    comparison.note("add", "", nullptr, &after, Json());
  } else if (after.is_null() && !before.is_null()) {
    comparison.note("remove", "", &before, nullptr, Json());
  } else {
    comparison.values(before, after, "", Json());
  }
  return comparison.take();
}

}  // namespace filecall::worker::kube
