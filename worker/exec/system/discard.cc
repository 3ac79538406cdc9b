// SPDX-License-Identifier: MIT
#include "worker/exec/system/discard.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "base/check.h"
#include "base/result.h"
#include "base/stem.h"

namespace filecall::worker {
namespace {

Outcome discarded(const std::string& request_id, std::string_view state) {
  return Json{{"request_id", request_id}, {"discarded", state == "discarded"}, {"state", state}};
}

Outcome refused(ErrorCode code, const std::string& request_id, const char* why) {
  return Failure{code, fmt::format("{}: {}", request_id, why), false, std::nullopt, Json()};
}

Outcome discard_outcome(DiscardResult result, const std::string& request_id) {
  switch (result) {
    case DiscardResult::kDiscarded:
      return discarded(request_id, "discarded");
    case DiscardResult::kAbsent:
      return discarded(request_id, "absent");
    case DiscardResult::kOther:
      return discarded(request_id, "other");
    case DiscardResult::kForbidden:
      return refused(ErrorCode::kPermissionDenied, request_id,
                     "is gone, or another user's request; only that user, and the user of the "
                     "worker, may have its response discarded");
    case DiscardResult::kUnsupported:
      return refused(ErrorCode::kUnimplemented, request_id,
                     "no files hold the responses of this root");
    case DiscardResult::kFailed:
      break;
  }
  return refused(ErrorCode::kInternal, request_id,
                 "the file system refused; the worker's log says why");
}

}  // namespace

SystemDiscard::SystemDiscard(std::string_view schema, std::function<CancelTarget*()> target)
    : info_{"system.discard",
            "Takes the response to another request of the same root away; it is pending again.",
            schema, Effects::kNone, Risk::kLow},
      target_(std::move(target)) {}

Result<ExecutionPlan, Failure> SystemDiscard::plan(const Request& request) {
  const auto& request_id = request.params.at("request_id").get_ref<const std::string&>();
  if (is_valid_stem(request_id) && request_id != request.request_id) return ExecutionPlan{};
  return Failure{ErrorCode::kInvalidArgument,
                 "/params/request_id: must be the id of another request: 1 to 200 bytes without "
                 "'/' and control characters, not beginning with a dot",
                 std::nullopt, std::nullopt, Json()};
}

std::unique_ptr<Execution> SystemDiscard::start(const Request& request,
                                                const ExecutionContext& context,
                                                std::function<void(Outcome)> done) {
  CancelTarget* target = target_();
  CHECK(target != nullptr, "the worker says who discards before it executes anything");
  const Json& params = request.params;
  const auto& request_id = params.at("request_id").get_ref<const std::string&>();
  const ResponseFile response{params.at("inode").get<std::uint64_t>(),
                              params.at("mtime_ns").get<std::int64_t>(),
                              params.at("size").get<std::int64_t>()};
  done(discard_outcome(target->discard(context.root, context.user, request_id, response),
                       request_id));
  return nullptr;
}

}  // namespace filecall::worker
