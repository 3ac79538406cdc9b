// SPDX-License-Identifier: MIT
#include "worker/exec/system/cancel.h"

#include <fmt/core.h>

#include <utility>

#include "base/check.h"
#include "base/result.h"
#include "base/stem.h"

namespace filecall::worker {
namespace {

bool flag_of(const Json& params, const char* name) {
  const auto found = params.find(name);
  return found != params.end() && *found == true;
}

Outcome outcome_of(CancelResult result, const std::string& request_id, CancelWish wish) {
  const auto data = [&](std::string_view state, bool cancelled) {
    return Json{{"request_id", request_id}, {"cancelled", cancelled}, {"state", state}};
  };
  switch (result) {
    case CancelResult::kQueued:
      return data("queued", true);
    case CancelResult::kExecuting:
      return data("executing", !wish.only_waiting);
    case CancelResult::kAnswered:
      return data("answered", false);
    case CancelResult::kForbidden:
      return Failure{ErrorCode::kPermissionDenied,
                     fmt::format("{}: is another user's request; only that user, and the user of "
                                 "the worker, may cancel it",
                                 request_id),
                     false, std::nullopt, Json()};
    case CancelResult::kUnknown:
      break;
  }
  return Failure{
      ErrorCode::kNotFound,
      fmt::format("{}: no such request in this root; give the stem of a file in requests/",
                  request_id),
      false, std::nullopt, Json()};
}

}  // namespace

SystemCancel::SystemCancel(std::string_view schema, std::function<CancelTarget*()> target)
    : info_{"system.cancel", "Ends another request of the same root; it is answered `cancelled`.",
            schema, Effects::kNone, Risk::kLow},
      target_(std::move(target)) {}

Result<ExecutionPlan, Failure> SystemCancel::plan(const Request& request) {
  if (!is_valid_stem(request.params.at("request_id").get_ref<const std::string&>())) {
    return Failure{
        ErrorCode::kInvalidArgument,
        "/params/request_id: is not a request id: 1 to 200 bytes without '/' and control "
        "characters, not beginning with a dot",
        std::nullopt, std::nullopt, Json()};
  }
  if (request.params.at("request_id") == request.request_id) {
    return Failure{ErrorCode::kInvalidArgument,
                   "/params/request_id: a cancel cannot cancel itself; name another request",
                   std::nullopt, std::nullopt, Json()};
  }
  return ExecutionPlan{};
}

std::unique_ptr<Execution> SystemCancel::start(const Request& request,
                                               const ExecutionContext& context,
                                               std::function<void(Outcome)> done) {
  CancelTarget* target = target_();
  CHECK(target != nullptr, "the worker says who cancels before it executes anything");
  const auto& request_id = request.params.at("request_id").get_ref<const std::string&>();
  const CancelWish wish{flag_of(request.params, "only_waiting"),
                        flag_of(request.params, "withdraw")};
  target->cancel(context.root, context.user, request_id, wish,
                 [request_id, wish, done = std::move(done)](CancelResult result) {
                   done(outcome_of(result, request_id, wish));
                 });
  return nullptr;
}

}  // namespace filecall::worker
