// SPDX-License-Identifier: MIT
#include "client/core/same_request.h"

#include "ipc/json.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

bool is_same_request(std::string_view a, std::string_view b) {
  if (a == b) return true;
  auto parsed_a = parse_json_strict(a, limits::kDepthMax);
  auto parsed_b = parse_json_strict(b, limits::kDepthMax);
  if (!parsed_a || !parsed_b) return false;
  for (Json* request : {&*parsed_a, &*parsed_b}) {
    if (!request->is_object()) continue;
    request->erase("metadata");
    request->erase("priority");
  }
  return *parsed_a == *parsed_b;
}

}  // namespace filecall::client
