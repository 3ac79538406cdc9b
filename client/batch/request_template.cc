// SPDX-License-Identifier: MIT
#include "client/batch/request_template.h"

#include <fmt/core.h>

#include <set>
#include <utility>

#include "base/result.h"
#include "base/utf8.h"
#include "client/batch/scripted_request.h"
#include "client/core/prompt_template.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/io.h"

namespace filecall::client {
namespace {

/// "prompts/short.txt" is called "short".
std::string name_of(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  return dot == std::string::npos || dot == 0 ? file : file.substr(0, dot);
}

/// A file's last newline is the editor's and not the prompt's.
Result<std::string> read_text(const std::string& path) {
  TRY_ASSIGN(std::string text, read_file(path, limits::kRequestBytes));
  if (!is_valid_utf8(text)) return fail(ErrorCode::kInvalidArgument, path + ": is not UTF-8");
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return fail(ErrorCode::kInvalidArgument, path + ": is empty");
  return text;
}

bool looks_like_json(const std::string& path, std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (path.ends_with(".json")) return true;
  return first != std::string_view::npos && text[first] == '{' &&
         !text.substr(first).starts_with("{{");
}

Json chat_request(Json params) { return {{"command", "llm.chat"}, {"params", std::move(params)}}; }

Result<RequestTemplate> load_template(const std::string& path) {
  TRY_ASSIGN(std::string text, read_text(path));
  RequestTemplate loaded{name_of(path), chat_request(Json::object()), "", {}, {}, {}};
  if (!looks_like_json(path, text)) {
    loaded.prompt = std::move(text);
    return loaded;
  }
  auto parsed = parse_json_strict(text, limits::kDepth);
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: {}; in a JSON template {{{{places}}}} stand inside of strings",
                            path, parsed.error().message));
  }
  Json& json = *parsed;
  if (!json.is_object()) return fail(ErrorCode::kInvalidArgument, path + ": must be an object");
  if (json.contains("request_id")) {
    return fail(ErrorCode::kInvalidArgument,
                path + ": /request_id: ids are made for each row; remove it");
  }
  const bool is_request = json.contains("command");
  loaded.request = is_request ? std::move(json) : chat_request(std::move(json));
  if (!loaded.request["command"].is_string()) {
    return fail(ErrorCode::kInvalidArgument, path + ": /command: must be a string");
  }
  if (!loaded.request.contains("params")) loaded.request["params"] = Json::object();
  if (!loaded.request["params"].is_object()) {
    return fail(ErrorCode::kInvalidArgument, path + ": /params: must be an object");
  }
  loaded.conversation = take_conversation(loaded.request, loaded.tools);
  return loaded;
}

Result<void> check_names(const std::vector<RequestTemplate>& templates) {
  std::set<std::string_view> names;
  for (const RequestTemplate& one : templates) {
    if (names.insert(one.name).second) continue;
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("two prompts are called '{}', by which their responses are distinguished; "
                    "rename a file",
                    one.name));
  }
  return {};
}

}  // namespace

RequestTemplate blank_template() { return {"", chat_request(Json::object()), "", {}, {}, {}}; }

Result<Json> fill_request(const RequestTemplate& request_template, const Json& variables) {
  const Json& request = request_template.request;
  if (request_template.prompt.empty()) return fill_json(request, variables);
  TRY_ASSIGN(std::string prompt, fill_text(request_template.prompt, variables));
  if (has_place_for(request, "prompt")) {
    Json with_prompt = variables;
    with_prompt["prompt"] = std::move(prompt);
    return fill_json(request, with_prompt);
  }
  TRY_ASSIGN(Json filled, fill_json(request, variables));
  Json& params = filled["params"];
  if (params.contains("messages") && params["messages"].is_array()) {
    params["messages"].push_back({{"role", "user"}, {"content", std::move(prompt)}});
  } else {
    params["prompt"] = std::move(prompt);
  }
  return filled;
}

Result<std::vector<RequestTemplate>> load_templates(const std::vector<std::string>& template_paths,
                                                    const std::vector<std::string>& prompt_paths) {
  std::vector<RequestTemplate> templates;
  for (const std::string& path : template_paths) {
    TRY_ASSIGN(RequestTemplate loaded, load_template(path));
    if (!loaded.prompt.empty() && !prompt_paths.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  path + ": is a prompt already; --prompt goes with a template that is JSON");
    }
    templates.push_back(std::move(loaded));
  }
  if (prompt_paths.empty()) {
    TRY(check_names(templates));
    return templates;
  }
  if (templates.empty()) templates.push_back(blank_template());
  std::vector<RequestTemplate> combined;
  for (const RequestTemplate& base : templates) {
    for (const std::string& path : prompt_paths) {
      TRY_ASSIGN(std::string text, read_text(path));
      const std::string name =
          templates.size() > 1 ? base.name + "+" + name_of(path) : name_of(path);
      RequestTemplate& one = combined.emplace_back(base);
      one.name = name;
      one.prompt = std::move(text);
    }
  }
  TRY(check_names(combined));
  return combined;
}

}  // namespace filecall::client
