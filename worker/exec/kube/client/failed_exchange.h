// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/response.h"
#include "worker/exec/kube/client/api_reply.h"
#include "worker/exec/kube/client/credentials.h"
#include "worker/net/http_message.h"

namespace filecall::worker::kube {

/// One exchange with an API server that brought no good answer.
struct FailedExchange {
  const HttpResult& result;
  const std::string& path;  ///< What was asked for, with its query.
  bool may_change = false;  ///< The request was a write.
};

/// What the exchange fails with (api_error.h), with what its path and the credentials add: the
/// namespace, a certificate that has expired. What a 401 makes worth another attempt is forgotten
/// by `credentials`. `reply` is what came, perhaps nothing. The loop's thread.
Failure explain_failure(const FailedExchange& exchange, ApiReply reply, Credentials& credentials);

}  // namespace filecall::worker::kube
