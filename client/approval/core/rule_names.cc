// SPDX-License-Identifier: MIT
#include "client/approval/core/rule_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/nearest.h"
#include "client/approval/core/text_glob.h"
#include "ipc/json_text.h"
#include "ipc/schema_catalog.h"

namespace filecall::client {
namespace {

constexpr std::string_view kCommandSchema = "command.";

/// Of all commands, their names.
std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  for (const std::string_view name : schema_names()) {
    if (name.starts_with(kCommandSchema)) names.push_back(name.substr(kCommandSchema.size()));
  }
  return names;
}

bool is_index(const std::string& token) {
  return token == "*" || (!token.empty() && token.find_first_not_of("0123456789") == token.npos);
}

/// Whether a value that fits the schema may have something there. What the schema leaves open may.
bool may_have(const Json& schema, const std::vector<std::string>& tokens, std::size_t at) {
  if (at == tokens.size() || !schema.is_object()) return true;
  const std::string& token = tokens[at];
  const auto properties = schema.find("properties");
  if (properties != schema.end()) {
    if (token == "*") return true;
    if (const auto found = properties->find(token); found != properties->end()) {
      return may_have(*found, tokens, at + 1);
    }
  }
  if (const auto items = schema.find("items"); items != schema.end() && is_index(token)) {
    return may_have(*items, tokens, at + 1);
  }
  for (const char* choice : {"oneOf", "anyOf"}) {
    const auto found = schema.find(choice);
    if (found == schema.end() || !found->is_array()) continue;
    if (std::any_of(found->begin(), found->end(), [&](const Json& one) {
          return one.contains("type") && may_have(one, tokens, at);
        })) {
      return true;
    }
  }
  const auto more = schema.find("additionalProperties");
  if (more != schema.end()) return *more != false && may_have(*more, tokens, at + 1);
  const auto type = schema.find("type");
  return type == schema.end() || (*type == "object" && properties == schema.end());
}

/// The members that these commands take, for a suggestion.
std::vector<std::string> members_of(const std::vector<Json>& schemas) {
  std::vector<std::string> members;
  for (const Json& schema : schemas) {
    const auto properties = schema.find("properties");
    if (properties == schema.end()) continue;
    for (const auto& [name, value] : properties->items()) members.push_back(name);
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : nearest_names(word, names)) {
    text += (text.empty() ? "; did you mean " : ", ") + std::string(name);
  }
  return text.empty() ? text : text + "?";
}

}  // namespace

std::string unknown_tool(std::string_view tool) {
  const std::vector<std::string_view> names = command_names();
  const bool is_known = std::any_of(names.begin(), names.end(), [tool](std::string_view name) {
    return fits_text_glob(tool, name, false);
  });
  if (is_known) return {};
  return fmt::format("no command of this version is {}{}", excerpt(tool, 60),
                     suggestion(tool, names));
}

std::vector<std::string> unknown_names(const PolicyRule& rule) {
  const std::string place = fmt::format("{}:{}", rule.file(), rule.line());
  const std::vector<std::string_view> names = command_names();
  std::vector<Json> schemas;
  for (const std::string_view name : names) {
    if (!fits_text_glob(rule.tool(), name, false)) continue;
    const auto text = find_schema(std::string(kCommandSchema) + std::string(name));
    schemas.push_back(Json::parse(text.value_or("{}"), nullptr, false));
  }
  if (std::string unknown = unknown_tool(rule.tool()); !unknown.empty()) {
    return {fmt::format("{}: tool: {}", place, unknown)};
  }
  std::vector<std::string> found;
  for (const MemberCondition& condition : rule.conditions()) {
    if (std::any_of(schemas.begin(), schemas.end(),
                    [&](const Json& schema) { return may_have(schema, condition.tokens(), 0); })) {
      continue;
    }
    const std::vector<std::string> members = members_of(schemas);
    const std::vector<std::string_view> views(members.begin(), members.end());
    found.push_back(fmt::format("{}: where: {} takes no {}{}", place, excerpt(rule.tool(), 60),
                                excerpt(condition.pointer(), 100),
                                suggestion(condition.member(), views)));
  }
  return found;
}

}  // namespace filecall::client
