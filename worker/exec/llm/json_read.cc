// SPDX-License-Identifier: MIT
#include "worker/exec/llm/json_read.h"

namespace filecall::worker::llm {

const Json& member(const Json& object, const char* name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

std::string text_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string code_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_number_integer() ? std::to_string(value.get<std::int64_t>())
                                   : text_member(object, name);
}

std::optional<std::int64_t> count_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number_integer()) return std::nullopt;
  const auto count = value.get<std::int64_t>();
  return count < 0 ? std::nullopt : std::optional(count);
}

}  // namespace filecall::worker::llm
