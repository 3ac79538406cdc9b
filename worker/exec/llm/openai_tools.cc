// SPDX-License-Identifier: MIT
#include "worker/exec/llm/openai_tools.h"

#include <utility>

namespace filecall::worker::llm {
namespace {

Json place_function(Json function, FunctionPlace place) {
  if (place == FunctionPlace::kNested) {
    return {{"type", "function"}, {"function", std::move(function)}};
  }
  function["type"] = "function";
  return function;
}

Json encode_choice(const ToolChoice& choice, FunctionPlace place) {
  switch (choice.mode) {
    case ToolChoice::Mode::kAuto:
      break;
    case ToolChoice::Mode::kNone:
      return "none";
    case ToolChoice::Mode::kRequired:
      return "required";
    case ToolChoice::Mode::kFunction:
      return place_function({{"name", choice.name}}, place);
  }
  return "auto";
}

}  // namespace

void encode_openai_tools(const ChatParams& params, FunctionPlace place, Json& body) {
  for (const ToolSpec& tool : params.tools) {
    Json function = {{"name", tool.name}};
    if (!tool.description.empty()) function["description"] = tool.description;
    if (!tool.parameters.is_null()) function["parameters"] = tool.parameters;
    if (tool.strict) function["strict"] = *tool.strict;
    body["tools"].push_back(place_function(std::move(function), place));
  }
  if (params.parallel_tool_calls) body["parallel_tool_calls"] = *params.parallel_tool_calls;
  if (params.tool_choice) body["tool_choice"] = encode_choice(*params.tool_choice, place);
}

}  // namespace filecall::worker::llm
