// SPDX-License-Identifier: MIT
#include "client/openai/responses_body.h"

#include "base/result.h"

namespace filecall::client {

bool is_absent(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null();
}

Result<Json, std::string> chat_params_of_responses(const Json& body) {
  if (!is_absent(body, "background") && body["background"] != false) {
    return std::string("/body/background: a batch waits for its responses; remove it");
  }
  if (is_absent(body, "input") && is_absent(body, "prompt")) {
    return std::string("/body/input: is missing");
  }
  Json params = {{"responses_body", Json::object()}};
  Json& said = params["responses_body"];
  for (const auto& [name, value] : body.items()) {
    const bool is_done =
        name == "model" || name == "stream" || name == "stream_options" || name == "background";
    if (!is_done) said[name] = value;
  }
  if (!is_absent(body, "model")) params["model"] = body["model"];
  return params;
}

}  // namespace filecall::client
