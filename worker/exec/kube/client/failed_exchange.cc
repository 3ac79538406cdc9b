// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/failed_exchange.h"

#include <fmt/core.h>

#include <utility>

#include "os/clock.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/model/quoted_objects.h"
#include "worker/net/retry_after.h"

namespace filecall::worker::kube {

Failure explain_failure(const FailedExchange& exchange, ApiReply reply, Credentials& credentials) {
  const HttpResult& result = exchange.result;
  ApiProblem problem;
  problem.http_status = result.status;
  problem.end = result.end;
  problem.was_sent = result.was_sent;
  problem.may_change = exchange.may_change;
  problem.retry_after = explicit_delay(result.headers, wall_now());
  problem.transport_message = reply.scrub(result.message);
  const Json& status = reply.object();
  if (status.is_object() && status.value("kind", Json()) == "Status") {
    problem.status = status;
  } else {
    problem.body_text = without_quoted_objects(reply.text());
  }
  Failure failure = failure_of(problem);
  // The server does not say where it looked, and the namespace may be the context's.
  const std::string_view space = namespace_in(exchange.path);
  const std::string kind = text_member(failure.details, "kind");
  if (result.status == 404 && !space.empty() && !kind.empty() && kind != "namespaces") {
    failure.message += fmt::format(" in namespace '{}'", space);
    failure.details["namespace"] = space;
  }
  const bool is_renewable = result.status == 401 && credentials.refuse();
  const bool is_refused = result.status == 401 || failure.code == ErrorCode::kUnauthenticated;
  if (const auto end = is_refused ? credentials.expired_certificate(wall_now()) : std::nullopt) {
    failure.retryable = false;
    failure.message += fmt::format("; the client certificate of context {} expired at {}: renew it",
                                   credentials.access().context, format_rfc3339(*end));
  } else if (is_renewable) {
    // What was refused is forgotten: another attempt reads the files or runs the plugin again.
    failure.retryable = true;
    failure.message += "; the credentials will be read again";
  }
  return failure;
}

}  // namespace filecall::worker::kube
