// SPDX-License-Identifier: MIT
#include "client/agent/preview_text.h"

#include <fmt/core.h>

#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kPreviewBytesMax = 64 * 1024;

std::string short_value(const Json& value) {
  return bounded_text(value.is_string() ? value.get<std::string>() : dump_json(value), 400, "");
}

std::string change_set_text(const Json& preview) {
  std::string text;
  for (const Json& change : value_at(preview, "changes")) {
    text += fmt::format("{} {}\n", text_at(change, "operation"), text_at(change, "path"));
    if (flag_at(change, "conflict")) text += "  conflict: it cannot be made\n";
    const std::string warning = text_at(change, "warning");
    if (!warning.empty()) text += "  " + warning + "\n";
    for (const Json& hunk : value_at(change, "hunks")) {
      text += fmt::format("[{}] {}\n{}", text_at(hunk, "id"), text_at(hunk, "header"),
                          text_at(hunk, "diff"));
      if (!text.ends_with('\n')) text += '\n';
    }
    if (value_at(change, "hunks").empty()) text += text_at(change, "unified_diff");
  }
  return text;
}

std::string object_text(const Json& preview) {
  std::string text;
  const Json& identity = value_at(preview, "identity");
  if (identity.is_object()) {
    text += fmt::format("{} {}", text_at(identity, "kind"), text_at(identity, "name"));
    const std::string space = text_at(identity, "namespace");
    if (!space.empty()) text += " in " + space;
    const Json& cluster = value_at(preview, "cluster");
    const std::string context = text_at(cluster, "context");
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
    text += fmt::format("{} {}: ", text_at(change, "op"), text_at(change, "path"));
    const std::string diff = text_at(change, "diff");
    if (!diff.empty()) {
      text += "\n" + diff + "\n";
    } else {
      text += fmt::format("{} -> {}\n", short_value(value_at(change, "before")),
                          short_value(value_at(change, "after")));
    }
  }
  for (const char* name : {"notes", "warnings"}) {
    for (const std::string& note : texts_at(preview, name)) text += note + "\n";
  }
  return text;
}

}  // namespace

std::string preview_text(const AgentCall& call) {
  if (!call.preview_error.empty()) return "no preview: " + call.preview_error;
  if (!call.preview.is_object()) return {};
  const bool is_files = call.tool.starts_with("file.");
  return bounded_text(is_files ? change_set_text(call.preview) : object_text(call.preview),
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
