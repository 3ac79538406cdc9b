// SPDX-License-Identifier: MIT
#include "client/agent/preview_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/visible_text.h"
#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kPreviewBytesMax = 64 * 1024;
constexpr std::size_t kAffectedMax = 40;

/// A text of the file or of the cluster, which must not begin a line of its own.
std::string shown_at(const Json& object, const char* name) {
  return visible_line(text_at(object, name));
}

std::string short_value(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : dump_json(value);
  return visible_line(bounded_text(text, 400, ""));
}

std::string change_set_text(const Json& preview) {
  std::string text;
  for (const Json& change : value_at(preview, "changes")) {
    text += fmt::format("{} {}\n", shown_at(change, "operation"), shown_at(change, "path"));
    if (flag_at(change, "conflict")) text += "  conflict: it cannot be made\n";
    const std::string warning = shown_at(change, "warning");
    if (!warning.empty()) text += "  " + warning + "\n";
    for (const Json& hunk : value_at(change, "hunks")) {
      text += fmt::format("[{}] {}\n{}", shown_at(hunk, "id"), shown_at(hunk, "header"),
                          visible_text(text_at(hunk, "diff")));
      if (!text.ends_with('\n')) text += '\n';
    }
    if (value_at(change, "hunks").empty()) text += visible_text(text_at(change, "unified_diff"));
  }
  return text;
}

std::string object_text(const Json& preview) {
  std::string text;
  const Json& identity = value_at(preview, "identity");
  if (identity.is_object()) {
    text += fmt::format("{} {}", shown_at(identity, "kind"), shown_at(identity, "name"));
    const std::string space = shown_at(identity, "namespace");
    if (!space.empty()) text += " in " + space;
    const Json& cluster = value_at(preview, "cluster");
    const std::string context = shown_at(cluster, "context");
    if (!context.empty()) text += ", context " + context;
    text += '\n';
  }
  if (value_at(preview, "previous").is_null() && preview.contains("previous")) {
    text += "there is no such object yet\n";
  }
  if (value_at(preview, "proposed").is_null() && preview.contains("proposed")) {
    text += "the object is deleted\n";
  }
  if (!flag_at(preview, "changed", true)) text += "nothing changes\n";
  for (const Json& change : value_at(preview, "changes")) {
    text += fmt::format("{} {}: ", shown_at(change, "op"), shown_at(change, "path"));
    const std::string diff = visible_text(text_at(change, "diff"));
    if (!diff.empty()) {
      text += "\n" + diff + "\n";
    } else {
      text += fmt::format("{} -> {}\n", short_value(value_at(change, "before")),
                          short_value(value_at(change, "after")));
    }
  }
  for (const char* name : {"notes", "warnings"}) {
    for (const std::string& note : texts_at(preview, name)) text += visible_line(note) + "\n";
  }
  return text;
}

/// "breaks Deployment shop/web and 1 ReplicaSet (high)"; what is alike is one row.
std::string affected_line(const Json& row) {
  const std::string space = shown_at(row, "namespace");
  std::string name = shown_at(row, "name");
  const std::int64_t count = number_at(row, "count", 1);
  if (name.empty()) {
    const std::vector<std::string> names = texts_at(row, "names");
    for (const std::string& one : names) name += (name.empty() ? "" : ", ") + visible_line(one);
    const std::int64_t more = count - static_cast<std::int64_t>(names.size());
    if (more > 0) name += fmt::format(" and {} more", more);
  }
  std::string text = fmt::format("  {} {} {}{}", shown_at(row, "effect"), shown_at(row, "kind"),
                                 space.empty() ? "" : space + "/", name);
  const Json& with = value_at(row, "with");
  if (with.is_object()) {
    for (const auto& entry : with.items()) {
      text += fmt::format(" and {} {}", number_at(with, entry.key()), visible_line(entry.key()));
    }
  }
  return text + fmt::format(" ({})\n", shown_at(row, "severity"));
}

std::string impact_text(const AgentCall& call) {
  const bool is_scaled = call.tool == "kube.scale";
  const char* const what = is_scaled ? "if it were deleted" : "when it is gone";
  if (!call.impact_error.empty()) {
    return fmt::format("it is not known what depends on it: {}\n", visible_line(call.impact_error));
  }
  if (!call.impact.is_object()) return {};
  std::string text = fmt::format("impact {}: {}\n", what, shown_at(call.impact, "severity"));
  const Json& summary = value_at(call.impact, "summary");
  if (summary.is_string()) text += "  " + visible_line(summary.get<std::string>()) + "\n";
  std::size_t left = kAffectedMax;
  const Json& affected = value_at(call.impact, "impactedResources");
  for (const Json& row : affected) {
    if (left-- == 0) break;
    text += affected_line(row);
  }
  const std::int64_t more = number_at(call.impact, "omitted") +
                            static_cast<std::int64_t>(affected.size()) -
                            static_cast<std::int64_t>(std::min(affected.size(), kAffectedMax));
  if (more > 0) text += fmt::format("  and {} more\n", more);
  if (!flag_at(call.impact, "complete")) text += "  not everything could be read\n";
  return text;
}

}  // namespace

std::string preview_text(const AgentCall& call) {
  const std::string impact = impact_text(call);
  if (!call.preview_error.empty()) {
    return bounded_text("no preview: " + visible_line(call.preview_error) + "\n" + impact,
                        kPreviewBytesMax, "");
  }
  if (!call.preview.is_object()) return bounded_text(impact, kPreviewBytesMax, "");
  const bool is_files = call.tool.starts_with("file.");
  // What breaks comes first: the rest may be long.
  return bounded_text(
      impact + (is_files ? change_set_text(call.preview) : object_text(call.preview)),
      kPreviewBytesMax, "");
}

std::vector<std::string> preview_hunks(const AgentCall& call) {
  std::vector<std::string> ids;
  // Other calls make their change whole.
  if (call.tool != "file.propose") return ids;
  for (const Json& change : value_at(call.preview, "changes")) {
    for (const Json& hunk : value_at(change, "hunks")) ids.push_back(text_at(hunk, "id"));
  }
  return ids;
}

}  // namespace filecall::client
