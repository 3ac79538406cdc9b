// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/field_owners.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "ipc/json_text.h"
#include "ipc/strict_parser.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kManagersShown = 20;
constexpr std::size_t kFieldsShown = 20;
constexpr std::size_t kFieldsInWords = 4;
constexpr std::size_t kManagersInWords = 4;
constexpr std::size_t kFieldBytes = 200;
constexpr std::size_t kManagerBytes = 128;
/// Of all managers of one object; a Deployment has about a hundred.
constexpr std::size_t kFieldsMax = 50'000;
constexpr std::size_t kPathBytesMax = 8 * 1024 * 1024;
constexpr std::size_t kOnePathBytesMax = 16 * 1024;

/// What identifies an item of a list and is never a value that may be secret.
constexpr std::array kIdentifiers = std::to_array<std::string_view>(
    {"name", "type", "port", "containerPort", "hostPort", "protocol", "ip", "mountPath",
     "devicePath", "topologyKey", "whenUnsatisfiable", "uid", "namespace", "kind", "group",
     "resourceName", "request"});

/// The server puts the entries of many updaters together under this name.
constexpr std::string_view kCollected = "ancient-changes";

Unexpected<Error> unknown(std::string_view why) {
  return fail(ErrorCode::kUnimplemented, std::string(why));
}

/// `[containerPort=80,protocol="TCP"]`.
std::string shown_key(const Json& key) {
  std::string out;
  for (const auto& [name, value] : key.items()) {
    const bool is_shown = std::ranges::find(kIdentifiers, name) != kIdentifiers.end();
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", name,
                       is_shown ? excerpt(dump_json(value), kManagerBytes) : "...");
  }
  return "[" + out + "]";
}

/// How one step of a path is shown; nullopt: its form is not known.
std::optional<std::string> shown_step(std::string_view step) {
  if (step.starts_with("f:")) return fmt::format(".{}", step.substr(2));
  if (step.starts_with("i:")) return fmt::format("[{}]", step.substr(2));
  if (step.starts_with("v:")) return "[=...]";
  if (!step.starts_with("k:")) return std::nullopt;
  const auto key = parse_foreign(step.substr(2));
  if (!key || !key->is_object()) return std::nullopt;
  return shown_key(*key);
}

}  // namespace

/// Reads one entry's tree. What cannot be read stays said until the end.
class FieldOwners::Reading {
 public:
  explicit Reading(const Scrub& scrub) : scrub_(scrub) {}

  std::string_view mistake() const { return mistake_; }

  Entry entry(const Json& row) {
    Entry out;
    out.who.manager = {scrub_(excerpt(text_member(row, "manager"), kManagerBytes)),
                       excerpt(text_member(row, "operation"), kManagerBytes),
                       excerpt(text_member(row, "subresource"), kManagerBytes)};
    out.who.time = excerpt(text_member(row, "time"), kManagerBytes);
    const Json& tree = member(row, "fieldsV1");
    if (!row.is_object() || text_member(row, "fieldsType") != "FieldsV1") {
      mistake_ = "its managedFields have a form that is not known";
    } else if (!tree.is_null()) {
      add(tree, "", "", out);
    }
    return out;
  }

 private:
  /// The tree of a parser that bounds its depth.
  void add(const Json& tree, const std::string& path, const std::string& shown, Entry& out) {
    if (!tree.is_object() || path.size() > kOnePathBytesMax) {
      mistake_ = "its managedFields have a form that is not known";
      return;
    }
    // A leaf is owned; what has members is owned when it says so itself.
    if (!path.empty() && (tree.empty() || tree.contains("."))) note(path, shown, out);
    for (const auto& [step, below] : tree.items()) {
      if (step == ".") continue;
      const auto step_shown = shown_step(step);
      if (!step_shown) {
        mistake_ = "its managedFields have a form that is not known";
        return;
      }
      // A zero byte parts the steps: it stands in no name of a field.
      add(below, path + step + '\0', shown + *step_shown, out);
      if (!mistake_.empty()) return;
    }
  }

  void note(const std::string& path, const std::string& shown, Entry& out) {
    bytes_ += path.size() + std::min(shown.size(), kFieldBytes);
    if (++fields_ > kFieldsMax || bytes_ > kPathBytesMax) {
      mistake_ = "its managedFields are too many to be read";
      return;
    }
    out.fields.emplace(path, excerpt(shown, kFieldBytes));
  }

  const Scrub& scrub_;
  std::string_view mistake_;
  std::size_t fields_ = 0;
  std::size_t bytes_ = 0;
};

Result<FieldOwners> FieldOwners::read(const Json& object, const Scrub& scrub) {
  const Json& rows = member(member(object, "metadata"), "managedFields");
  if (!rows.is_array() || rows.empty()) return unknown("the server answered no managedFields");
  FieldOwners out;
  Reading reading(scrub);
  for (const Json& row : rows) {
    out.entries_.push_back(reading.entry(row));
    if (!reading.mistake().empty()) return unknown(reading.mistake());
  }
  for (Entry& entry : out.entries_) {
    for (auto& [path, shown] : entry.fields) shown = scrub(shown);
  }
  return out;
}

/// Whether the field belongs to the same manager by another entry, or to those that the server put
/// together.
bool FieldOwners::owns_otherwise(const Entry& entry, const std::string& path) const {
  return std::ranges::any_of(entries_, [&](const Entry& other) {
    const bool is_same = other.who.manager == entry.who.manager ||
                         (other.who.manager.name == kCollected &&
                          entry.who.manager.operation == other.who.manager.operation);
    return is_same && other.fields.contains(path);
  });
}

std::vector<FieldOwners::Fields> FieldOwners::taken_by(const Writer& self,
                                                       const FieldOwners& after) const {
  std::vector<Fields> out;
  for (const Entry& entry : entries_) {
    const Writer& manager = entry.who.manager;
    if (manager.name == self.name && manager.operation == self.operation) continue;
    Fields lost{manager, entry.who.time, {}};
    std::string above;  // The last one that was taken; what stands below it follows it.
    for (const auto& [path, shown] : entry.fields) {
      if (!above.empty() && path.starts_with(above)) continue;
      if (after.owns_otherwise(entry, path)) continue;
      above = path;
      lost.fields.push_back(shown);
    }
    if (!lost.fields.empty()) out.push_back(std::move(lost));
  }
  return out;
}

std::vector<FieldOwners::Fields> FieldOwners::others_of(std::string_view field,
                                                        const Writer& self) const {
  std::vector<Fields> out;
  for (const Entry& entry : entries_) {
    const Writer& manager = entry.who.manager;
    if (manager.name == self.name && manager.operation == self.operation) continue;
    Fields owned{manager, entry.who.time, {}};
    for (const auto& [path, shown] : entry.fields) {
      const bool is_it =
          shown.starts_with(field) && (shown.size() == field.size() || shown[field.size()] == '.' ||
                                       shown[field.size()] == '[');
      if (is_it) owned.fields.push_back(shown);
    }
    if (!owned.fields.empty()) out.push_back(std::move(owned));
  }
  return out;
}

std::vector<FieldOwners::Fields> FieldOwners::managers() const {
  std::vector<Fields> out;
  for (const Entry& entry : entries_) out.push_back(entry.who);
  return out;
}

Json shown_owners(const std::vector<FieldOwners::Fields>& owners) {
  Json out = Json::array();
  for (const FieldOwners::Fields& owner : owners) {
    if (out.size() >= kManagersShown) break;
    Json row = {{"manager", owner.manager.name}, {"operation", owner.manager.operation}};
    if (!owner.manager.subresource.empty()) row["subresource"] = owner.manager.subresource;
    if (!owner.time.empty()) row["time"] = owner.time;
    row["fields"] = Json::array();
    for (const std::string& field : owner.fields) {
      if (row["fields"].size() >= kFieldsShown) break;
      row["fields"].push_back(field);
    }
    if (owner.fields.size() > kFieldsShown)
      row["fieldsLeftOut"] = owner.fields.size() - kFieldsShown;
    out.push_back(std::move(row));
  }
  return out;
}

std::string owners_in_words(const std::vector<FieldOwners::Fields>& owners) {
  std::vector<std::string> out;
  for (const FieldOwners::Fields& owner : owners) {
    if (out.size() >= kManagersInWords) break;
    const auto& all = owner.fields;
    const std::size_t shown = std::min(all.size(), kFieldsInWords);
    const std::string fields = fmt::format(
        "{}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    const std::string rest =
        all.size() > shown ? fmt::format(" and {} more", all.size() - shown) : "";
    const std::string& part = owner.manager.subresource;
    out.push_back(fmt::format("'{}' ({}{}{}{}): {}{}", owner.manager.name, owner.manager.operation,
                              part.empty() ? "" : " of " + part, owner.time.empty() ? "" : ", ",
                              owner.time, fields, rest));
  }
  const std::size_t left = owners.size() - std::min(owners.size(), kManagersInWords);
  return fmt::format("{}{}", fmt::join(out, "; "),
                     left > 0 ? fmt::format("; and {} more", left) : "");
}

}  // namespace filecall::worker::kube
