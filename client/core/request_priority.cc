// SPDX-License-Identifier: MIT
#include "client/core/request_priority.h"

#include <fmt/core.h>

#include "ipc/json.h"
#include "ipc/json_discard.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

/// Params are nearly all of a request, so they are not kept.
bool states_priority(std::string_view text) {
  // As it is usually spelt, or with an escape in it.
  if (text.find("\"priority\"") == std::string_view::npos &&
      text.find("\\u") == std::string_view::npos) {
    return false;
  }
  auto head = parse_strict(text, limits::kDepthMax, Strictness::kRequest, "JSON",
                           {.parent = {}, .member = "params"});
  if (!head) return true;
  const bool does = !head->is_object() || head->contains("priority");
  discard(*head);
  return does;
}

}  // namespace

std::string with_priority(std::string_view text, int priority) {
  const std::size_t brace = text.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || text[brace] != '{' || states_priority(text)) {
    return std::string(text);
  }
  const std::size_t inside = text.find_first_not_of(" \t\r\n", brace + 1);
  const bool is_empty = inside == std::string_view::npos || text[inside] == '}';
  std::string made = fmt::format("{}\"priority\":{}{}{}", text.substr(0, brace + 1), priority,
                                 is_empty ? "" : ",", text.substr(brace + 1));
  return made.size() <= limits::kRequestBytes ? made : std::string(text);
}

}  // namespace filecall::client
