// SPDX-License-Identifier: MIT
#include "client/core/same_request.h"

#include "ipc/json.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

bool is_same_request(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto parsed_a = parse_json_strict(a, limits::kDepthMax);
  const auto parsed_b = parse_json_strict(b, limits::kDepthMax);
  return parsed_a && parsed_b && *parsed_a == *parsed_b;
}

}  // namespace filecall::client
