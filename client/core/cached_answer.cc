// SPDX-License-Identifier: MIT
#include "client/core/cached_answer.h"

#include <utility>

#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

std::string render_cached_answer(const std::string& id, std::string_view request_text, Json data) {
  const auto parsed = parse_json_strict(request_text, limits::kDepth);
  data["cached"] = true;
  data["cost"] = 0;
  Json response = {{"request_id", id}, {"status", "success"}, {"data", std::move(data)}};
  if (parsed && parsed->is_object()) {
    response["request"] = *parsed;
    if (parsed->contains("metadata")) response["metadata"] = (*parsed)["metadata"];
  }
  return dump_json(response) + "\n";
}

std::optional<std::string> request_in_answer(std::string_view answer_text) {
  const auto parsed = parse_json_strict(answer_text, limits::kDepthMax);
  if (!parsed || !parsed->is_object() || !parsed->contains("request")) return std::nullopt;
  return dump_json((*parsed)["request"]);
}

}  // namespace filecall::client
