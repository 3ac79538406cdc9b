// SPDX-License-Identifier: MIT
#include "client/agent/plan/plan_object.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/nearest.h"
#include "client/agent/plan/lenient_json.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::initializer_list<const char*> kCallLists = {"actions", "toolCalls", "tool_calls"};
constexpr std::initializer_list<const char*> kSummaries = {"finalSummary", "final_summary",
                                                           "summary"};
constexpr std::initializer_list<const char*> kCommentaries = {"commentary", "comment", "thought"};
constexpr std::initializer_list<const char*> kToolNames = {"tool", "name", "tool_name"};
constexpr std::initializer_list<const char*> kArguments = {"args", "arguments", "params",
                                                           "parameters", "input"};
/// The names that seed 002 has for commands of another name.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"listFiles", "file.list"}, {"readFiles", "file.read"},        {"createFile", "file.create"},
    {"editFile", "file.edit"},  {"searchFiles", "file.search"},    {"deleteFile", "file.delete"},
    {"LS", "file.list"},        {"ProposeChanges", "file.propose"}};

bool is_other_call_member(const std::string& name) {
  for (const char* one : {"id", "type", "commentary", "reason", "thought"}) {
    if (name == one) return true;
  }
  return false;
}

/// The member under one of several names, null counting as absent; nullptr: there is none.
const Json* member_of(const Json& object, std::initializer_list<const char*> names,
                      const char** name = nullptr) {
  for (const char* one : names) {
    const auto found = object.find(one);
    if (found == object.end() || found->is_null()) continue;
    if (name != nullptr) *name = one;
    return &*found;
  }
  return nullptr;
}

Unexpected<ShapeFault> wrong(std::string message) {
  return Unexpected(ShapeFault{"wrong_shape", std::move(message)});
}

std::string as_function(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

std::string lower_of(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string_view verb_of(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// The one tool that a test accepts; nullopt: none or several.
template <typename Test>
std::optional<std::string> only_tool(const std::vector<std::string>& tools, const Test& test) {
  std::optional<std::string> found;
  for (const std::string& tool : tools) {
    if (!test(tool)) continue;
    if (found) return {};
    found = tool;
  }
  return found;
}

Result<bool, ShapeFault> read_done(const Json& object, bool is_end,
                                   std::vector<std::string>& notes) {
  const Json* done = member_of(object, {"done"});
  if (done == nullptr) {
    if (is_end) add_note(notes, "'done' is missing: taken as true, since there is a summary");
    return is_end;
  }
  if (done->is_boolean()) return done->get<bool>();
  if (*done == "true" || *done == "false") {
    add_note(notes, "'done' is a text: taken as a boolean");
    return *done == "true";
  }
  return wrong("'done' is true or false");
}

/// The arguments of a call that may stand as a text of their own.
Result<Json, ShapeFault> arguments_of(const Json& value, const std::string& where,
                                      std::vector<std::string>& notes) {
  if (value.is_object()) return value;
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    auto read = read_lenient_object(text, 0);
    if (read && read->value.is_object() && read->end == text.size()) {
      add_note(notes, "arguments in a text: taken as the object that it holds");
      return std::move(read->value);
    }
  }
  return wrong(where + ".args is no object");
}

Result<std::vector<PlannedCall>, ShapeFault> read_calls(const Json& list, const char* name,
                                                        const PlanRules& rules,
                                                        std::vector<std::string>& notes) {
  std::vector<PlannedCall> calls;
  if (list.is_object()) {
    add_note(notes, fmt::format("'{}' is one object: taken as a list of one", name));
    TRY_ASSIGN(PlannedCall call, read_call_object(list, name, rules, notes));
    calls.push_back(std::move(call));
    return calls;
  }
  if (!list.is_array()) return wrong(fmt::format("'{}' is no list", name));
  if (list.size() > rules.calls_max) {
    return Unexpected(
        ShapeFault{"too_many_calls", fmt::format("'{}' has {} calls; a plan has at most {}", name,
                                                 list.size(), rules.calls_max)});
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY_ASSIGN(PlannedCall call,
               read_call_object(list[i], fmt::format("{}[{}]", name, i), rules, notes));
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace

void add_note(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

std::string short_commentary(std::string_view text, const PlanRules& rules,
                             std::vector<std::string>& notes) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((text[at] & 0xC0) == 0x80) continue;
    if (++characters <= rules.commentary_characters) continue;
    add_note(notes,
             fmt::format("the commentary was cut to {} characters", rules.commentary_characters));
    return std::string(text.substr(0, at));
  }
  return std::string(text);
}

bool is_plan_object(const Json& object) {
  if (!object.is_object()) return false;
  return member_of(object, kCallLists) != nullptr || member_of(object, {"done"}) != nullptr ||
         member_of(object, {"finalSummary", "final_summary"}) != nullptr ||
         (object.contains("commentary") && !is_call_object(object));
}

bool is_call_object(const Json& object) {
  if (!object.is_object()) return false;
  const Json* tool = member_of(object, {"tool", "tool_name"});
  if (tool != nullptr && tool->is_string()) return true;
  const Json* name = member_of(object, {"name"});
  if (name != nullptr && name->is_string() && member_of(object, {"args", "arguments"}) != nullptr) {
    return true;
  }
  const Json* function = member_of(object, {"function"});
  return function != nullptr && function->is_object() && function->contains("name");
}

Result<std::string, ShapeFault> find_tool(std::string_view name, const PlanRules& rules,
                                          std::vector<std::string>& notes) {
  const auto& tools = rules.tools;
  if (std::find(tools.begin(), tools.end(), name) != tools.end()) return std::string(name);
  auto found = only_tool(tools, [&](const std::string& tool) { return as_function(tool) == name; });
  if (found) return *std::move(found);
  for (const auto& [other, tool] : kOtherNames) {
    if (name == other && std::find(tools.begin(), tools.end(), tool) != tools.end()) {
      found = std::string(tool);
    }
  }
  if (!found) {
    found = only_tool(tools, [&](const std::string& tool) { return verb_of(tool) == name; });
  }
  if (!found) {
    const std::string lower = lower_of(name);
    found = only_tool(tools, [&](const std::string& tool) { return lower_of(tool) == lower; });
  }
  if (found) {
    add_note(notes, fmt::format("tool '{}': taken as {}", excerpt(name, 60), *found));
    return *std::move(found);
  }
  std::vector<std::string_view> names(tools.begin(), tools.end());
  return Unexpected(
      ShapeFault{"unknown_tool",
                 fmt::format("there is no tool '{}'{}", excerpt(name, 60), suggest(name, names))});
}

Result<PlannedCall, ShapeFault> read_call_object(const Json& object, const std::string& where,
                                                 const PlanRules& rules,
                                                 std::vector<std::string>& notes) {
  if (!object.is_object()) return wrong(where + " is no object {\"tool\", \"args\"}");
  const Json* function = member_of(object, {"function"});
  if (function != nullptr && function->is_object()) {
    return read_call_object(*function, where + ".function", rules, notes);
  }
  const char* name = "tool";
  const Json* tool = member_of(object, kToolNames, &name);
  if (tool == nullptr || !tool->is_string()) return wrong(where + " has no text 'tool'");
  PlannedCall call;
  TRY_ASSIGN(call.tool, find_tool(tool->get_ref<const std::string&>(), rules, notes));
  if (const Json* args = member_of(object, kArguments)) {
    TRY_ASSIGN(call.args, arguments_of(*args, where, notes));
    return call;
  }
  call.args = Json::object();
  for (const auto& [key, value] : object.items()) {
    if (key != name && !is_other_call_member(key)) call.args[key] = value;
  }
  call.args.erase("args");
  if (!call.args.empty()) add_note(notes, "arguments beside 'tool': taken as its args");
  return call;
}

Result<Plan, ShapeFault> read_plan_object(const Json& object, const PlanRules& rules) {
  Plan plan;
  if (const Json* commentary = member_of(object, kCommentaries)) {
    if (!commentary->is_string()) return wrong("'commentary' is no text");
    plan.commentary =
        short_commentary(commentary->get_ref<const std::string&>(), rules, plan.notes);
  }
  if (const Json* summary = member_of(object, kSummaries)) {
    if (!summary->is_string()) return wrong("'finalSummary' is no text");
    plan.summary = summary->get<std::string>();
  }
  const char* name = nullptr;
  const Json* calls = member_of(object, kCallLists, &name);
  if (calls != nullptr) {
    for (const char* other : kCallLists) {
      const auto second = object.find(other);
      if (other == name || second == object.end() || second->is_null() || second->empty()) continue;
      if (calls->empty()) {
        calls = &*second;
        name = other;
        continue;
      }
      return wrong(fmt::format("both '{}' and '{}'; write one", name, other));
    }
    TRY_ASSIGN(plan.calls, read_calls(*calls, name, rules, plan.notes));
  }
  TRY_ASSIGN(plan.done, read_done(object, plan.calls.empty() && !plan.summary.empty(), plan.notes));
  if (plan.calls.empty() && !plan.done) {
    return Unexpected(
        ShapeFault{"empty_plan",
                   "the plan has no actions and is not done; name at least one action, or set "
                   "done to true and write a finalSummary"});
  }
  return plan;
}

}  // namespace filecall::client
