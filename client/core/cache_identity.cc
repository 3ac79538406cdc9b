// SPDX-License-Identifier: MIT
#include "client/core/cache_identity.h"

#include <algorithm>

#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

bool fixes_the_answer(const Json& params) {
  const auto temperature = params.find("temperature");
  const auto seed = params.find("seed");
  return (temperature != params.end() && *temperature == 0) ||
         (seed != params.end() && seed->is_number_integer());
}

bool is_deterministic(const Json& params) {
  const auto body = params.find("responses_body");
  if (body != params.end() && body->is_object() && fixes_the_answer(*body)) return true;
  // Members of extra_body win over the others.
  const auto extra = params.find("extra_body");
  if (extra == params.end() || !extra->is_object()) return fixes_the_answer(params);
  Json effective = params;
  effective.update(*extra);
  return fixes_the_answer(effective);
}

}  // namespace

std::optional<std::string> cache_identity(std::string_view request_text, bool all) {
  const auto parsed = parse_json_strict(request_text, limits::kDepth);
  if (!parsed || !parsed->is_object() || !parsed->contains("params")) return std::nullopt;
  const Json command = parsed->value("command", Json());
  Json params = (*parsed)["params"];
  const bool is_chat = command == "llm.chat";
  if (!params.is_object() || (!is_chat && command != "llm.embed")) return std::nullopt;
  if (is_chat && !all && !is_deterministic(params)) return std::nullopt;
  params.erase("stream");
  Json identity = {{"command", command}, {"params", std::move(params)}};
  const Json metadata = parsed->value("metadata", Json());
  const Json repeat = metadata.is_object() ? metadata.value("repeat", Json(1)) : Json(1);
  if (repeat != 1) identity["repeat"] = repeat;
  return dump_json(identity);
}

bool is_cacheable_answer(const Json& data) {
  if (!data.is_object()) return false;
  if (data.contains("embeddings")) return true;
  const auto is_whole = [](const Json& choice) {
    const Json reason = choice.is_object() ? choice.value("finish_reason", Json()) : Json();
    return reason == "stop" || reason == "tool_calls";
  };
  const auto choices = data.find("choices");
  const bool has_choices = choices != data.end() && choices->is_array();
  return is_whole(data) &&
         (!has_choices || std::all_of(choices->begin(), choices->end(), is_whole));
}

}  // namespace filecall::client
