// SPDX-License-Identifier: MIT
#include "client/service/request_service.h"

#include <fmt/core.h>

#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "base/stem.h"
#include "client/service/earlier_use.h"
#include "os/clock.h"
#include "os/process.h"
#include "spool/group_root.h"

namespace filecall::client {

std::string new_run_id() {
  std::string stamp = format_rfc3339(wall_now());
  stamp.erase(stamp.find('.'), 4);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}-{}", stamp, Random(random_seed()).hex(8));
}

std::string new_request_id(std::string_view prefix) {
  return fmt::format("{}-{}", prefix, new_run_id());
}

Result<Submission> submission_of(const Request& request) {
  if (!is_valid_stem(request.request_id)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("id '{}' cannot name a file; use 1 to {} bytes without '/', control "
                            "characters or a leading dot",
                            request.request_id, kStemBytesMax));
  }
  std::string bytes = render_request(request);
  if (!bytes.ends_with('\n')) bytes += '\n';
  auto checked = parse_request(bytes, request.request_id);
  if (!checked) {
    return fail(ErrorCode::kInvalidArgument, "request: " + checked.error().message);
  }
  return Submission{request.request_id, request.command, std::move(bytes)};
}

RequestService::RequestService(OrchestratorOptions options, std::unique_ptr<Orchestrator> engine)
    : options_(std::move(options)), engine_(std::move(engine)) {}

Result<std::unique_ptr<RequestService>> RequestService::open(const OrchestratorOptions& options) {
  TRY_ASSIGN(auto engine, Orchestrator::open(options));
  return std::unique_ptr<RequestService>(new RequestService(options, std::move(engine)));
}

Result<void> RequestService::submit(Submission submission) {
  if (!submitted_) {
    TRY_ASSIGN(Driver* const driver, engine_->driver());
    submitted_.emplace(*driver, engine_->channel(), options_.batch);
  }
  return submitted_->submit(std::move(submission));
}

Result<RequestService::Waited> RequestService::wait(std::string_view id, Deadline until,
                                                    RunObserver& observer) {
  if (!submitted_) {
    return fail(ErrorCode::kNotFound, fmt::format("{}: was not submitted here", id));
  }
  TRY(submitted_->await(id, until));
  TRY_ASSIGN(const RunEnd end, engine_->drive(*submitted_, observer));
  return Waited{end, submitted_->take_outcome(id)};
}

Result<RequestService::BatchEnd> RequestService::run(SubmissionFeed& feed,
                                                     const EarlierFeed& earlier_feed,
                                                     RunObserver& observer) {
  CHECK(!submitted_ || submitted_->is_idle(), "one run drives at a time");
  std::optional<RunTotals> earlier;
  if (options_.limits.any()) {
    TRY_ASSIGN(const auto same, earlier_feed());
    TRY_ASSIGN(const auto ledger, Ledger::open({.root = options_.root,
                                                .allow_shared_root = options_.allow_shared_root,
                                                .durability = options_.durability}));
    TRY_ASSIGN(earlier,
               earlier_use(*ledger, spool::layout_of(options_.root), options_.prices, *same));
  }
  TRY_ASSIGN(const RunEnd end, engine_->run(feed, observer, earlier));
  return BatchEnd{end, end == RunEnd::kLimit ? engine_->limit_reason() : std::string()};
}

}  // namespace filecall::client
