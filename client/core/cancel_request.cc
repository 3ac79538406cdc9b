// SPDX-License-Identifier: MIT
#include "client/core/cancel_request.h"

#include <fmt/core.h>

#include "base/hash.h"
#include "base/stem.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

namespace {

std::string control_id(std::string_view id, const std::string& suffix) {
  if (id.size() + suffix.size() <= kStemBytesMax) return std::string(id) + suffix;
  // Only the hash: cutting the id could cut a character in half.
  return hash128(id).hex() + suffix;
}

}  // namespace

std::string cancel_id(std::string_view id, int attempt, CancelWish wish) {
  const char* word = wish == CancelWish::kEnd               ? "cancel"
                     : wish == CancelWish::kWithdrawWaiting ? "withdraw"
                                                            : "stop";
  return control_id(id, fmt::format(".{}-{}", word, attempt));
}

std::string discard_id(std::string_view id, const AnswerVersion& version) {
  return control_id(id, fmt::format(".discard-{:x}-{:x}", version.copy, version.content[0]));
}

std::string discard_request(std::string_view id, const AnswerVersion& version) {
  Request request;
  request.request_id = discard_id(id, version);
  request.command = "system.discard";
  request.params = Json{{"request_id", std::string(id)},
                        {"inode", version.copy},
                        {"mtime_ns", version.content[0]},
                        {"size", version.content[1]}};
  request.priority = limits::kPriorityMax;
  return render_request(request);
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
