// SPDX-License-Identifier: MIT
#include "client/turns/tool_answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "ipc/json_text.h"
#include "ipc/schema_validator.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNameBytesShown = 80;
constexpr int kOutputBytes = 32 * 1024;  // Of stdout and of stderr.

ToolAnswer error_answer(std::string why) {
  return {.text = dump_json({{"error", std::move(why)}}), .is_error = true};
}

ToolAnswer text_answer(const Json& value) {
  return {.text = value.is_string() ? value.get<std::string>() : dump_json(value)};
}

bool has_matchers(const Json& list) {
  return list.is_array() && !list.empty() &&
         std::all_of(list.begin(), list.end(), [](const Json& one) {
           return one.is_object() && one.contains("when") && one.contains("result");
         });
}

ToolAnswer answer_of_row(const Json& results, const ToolCallAsked& call, std::size_t nth) {
  const std::string name = excerpt(call.name, kNameBytesShown);
  if (has_matchers(results)) {
    for (const Json& one : results) {
      if (fits_pattern(one.at("when"), call.arguments)) return text_answer(one.at("result"));
    }
    return error_answer(fmt::format("{}: there is no result for these arguments", name));
  }
  if (!results.is_array()) return text_answer(results);
  if (nth < results.size()) return text_answer(results[nth]);
  return error_answer(fmt::format("{}: there is no further result", name));
}

std::string known_names(const ConversationScript& script) {
  std::string names;
  const auto add = [&names](const std::string& name) {
    if (names.size() < 1000) names += (names.empty() ? "" : ", ") + name;
  };
  for (const auto& [name, schema] : script.tools) add(name);
  for (const auto& [name, results] : script.tool_results.items()) {
    if (!script.tools.contains(name)) add(name);
  }
  return names;
}

/// Empty: they fit.
std::string misfit_of(const Json& schema, const Json& arguments) {
  const auto compiled = SchemaValidator::compile(schema);
  if (!compiled) return "the tool's schema cannot be read: " + compiled.error().message;
  const auto violation = compiled->check(arguments);
  if (!violation) return {};
  return fmt::format("{}: {}", violation->pointer.empty() ? "/" : violation->pointer,
                     violation->rule);
}

std::string text_in(const Json& data, const char* name) {
  const auto found = data.find(name);
  return found != data.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

bool fits_pattern(const Json& pattern, const Json& value) {
  if (!pattern.is_object()) return pattern == value;
  if (!value.is_object()) return false;
  for (const auto& [name, inner] : pattern.items()) {
    const auto found = value.find(name);
    if (found == value.end() || !fits_pattern(inner, *found)) return false;
  }
  return true;
}

ToolAnswer answer_tool_call(const ConversationScript& script, const ToolCallAsked& call,
                            std::size_t nth) {
  const std::string name = excerpt(call.name, kNameBytesShown);
  const auto results = script.tool_results.find(call.name);
  const auto declared = script.tools.find(call.name);
  if (results == script.tool_results.end() && declared == script.tools.end()) {
    const std::string known = known_names(script);
    return error_answer(
        fmt::format("there is no tool '{}'; {}", name,
                    known.empty() ? "there is none at all" : "there are: " + known));
  }
  if (call.are_arguments_broken || !call.arguments.is_object()) {
    return error_answer(fmt::format("{}: the arguments are no JSON object", name));
  }
  if (results != script.tool_results.end()) return answer_of_row(*results, call, nth);
  if (const std::string misfit = misfit_of(declared->second, call.arguments); !misfit.empty()) {
    return error_answer(fmt::format("{}: the arguments are wrong: {}", name, misfit));
  }
  ToolAnswer answer;
  answer.params = {
      {"tool", call.name}, {"args", call.arguments}, {"output_bytes_max", kOutputBytes}};
  return answer;
}

ToolAnswer read_tool_response(const Response& response) {
  if (!response.is_success()) return error_answer(excerpt(response.failure->message, 2000));
  const Json& data = response.data;
  if (!data.is_object()) return error_answer("the tool's answer cannot be read");
  const bool is_good = data.value("exit_code", Json()) == 0;
  const bool is_text = data.value("stdout_base64", Json()) != true;
  std::string text = is_text ? text_in(data, "stdout") : "[output that is no text]";
  if (!is_good) {
    Json told = {
        {"error", "the tool failed"}, {"stdout", text}, {"stderr", text_in(data, "stderr")}};
    for (const char* name : {"exit_code", "signal"}) {
      if (data.contains(name) && !data[name].is_null()) told[name] = data[name];
    }
    text = dump_json(told);
  }
  return {.text = std::move(text), .is_error = !is_good};
}

}  // namespace filecall::client
