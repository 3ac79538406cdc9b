// SPDX-License-Identifier: MIT
#include "ipc/json_member.h"

namespace filecall {

std::string string_member(const Json& object, std::string_view name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace filecall
