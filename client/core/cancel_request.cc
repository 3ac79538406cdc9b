// SPDX-License-Identifier: MIT
#include "client/core/cancel_request.h"

#include <fmt/core.h>

#include "base/hash.h"
#include "base/stem.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

std::string cancel_id(std::string_view id, int attempt) {
  const std::string suffix = fmt::format(".cancel-{}", attempt);
  if (id.size() + suffix.size() <= kStemBytesMax) return std::string(id) + suffix;
  // Only the hash: cutting the id could cut a character in half.
  return hash128(id).hex() + suffix;
}

std::string cancel_request(std::string_view id, int attempt) {
  Request request;
  request.request_id = cancel_id(id, attempt);
  request.command = "system.cancel";
  request.params = Json{{"request_id", std::string(id)}};
  request.priority = limits::kPriorityMax;
  return render_request(request);
}

}  // namespace filecall::client
