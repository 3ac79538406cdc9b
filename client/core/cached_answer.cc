// SPDX-License-Identifier: MIT
#include "client/core/cached_answer.h"

#include <utility>
#include <variant>

#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

std::string render_cached_answer(const std::string& id, std::string_view request_text, Json data) {
  const auto parsed = parse_json_strict(request_text, limits::kDepth);
  const Json* request = std::get_if<Json>(&parsed);
  data["cached"] = true;
  if (data.contains("cost")) data["cost"] = 0;
  Json response = {{"request_id", id}, {"status", "success"}, {"data", std::move(data)}};
  if (request != nullptr && request->is_object()) {
    response["request"] = *request;
    if (request->contains("metadata")) response["metadata"] = (*request)["metadata"];
  }
  return dump_json(response) + "\n";
}

std::optional<std::string> request_in_answer(std::string_view answer_text) {
  const auto parsed = parse_json_strict(answer_text, limits::kDepthMax);
  const Json* answer = std::get_if<Json>(&parsed);
  if (answer == nullptr || !answer->is_object() || !answer->contains("request")) {
    return std::nullopt;
  }
  return dump_json((*answer)["request"]);
}

}  // namespace filecall::client
