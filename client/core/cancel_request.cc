// SPDX-License-Identifier: MIT
#include "client/core/cancel_request.h"

#include <fmt/core.h>

#include "base/hash.h"
#include "base/stem.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

std::string cancel_id(std::string_view id, int attempt, CancelWish wish) {
  const char* word = wish == CancelWish::kEnd               ? "cancel"
                     : wish == CancelWish::kWithdrawWaiting ? "withdraw"
                                                            : "stop";
  const std::string suffix = fmt::format(".{}-{}", word, attempt);
  if (id.size() + suffix.size() <= kStemBytesMax) return std::string(id) + suffix;
  // Only the hash: cutting the id could cut a character in half.
  return hash128(id).hex() + suffix;
}

std::string cancel_request(std::string_view id, int attempt, CancelWish wish) {
  Request request;
  request.request_id = cancel_id(id, attempt, wish);
  request.command = "system.cancel";
  request.params = Json{{"request_id", std::string(id)}};
  if (wish != CancelWish::kEnd) request.params["withdraw"] = true;
  if (wish == CancelWish::kWithdrawWaiting) request.params["only_waiting"] = true;
  request.priority = limits::kPriorityMax;
  return render_request(request);
}

}  // namespace filecall::client
