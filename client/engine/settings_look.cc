// SPDX-License-Identifier: MIT
#include "client/engine/settings_look.h"

#include <fmt/core.h>
#include <poll.h>

#include <cstdlib>

#include "client/engine/launch_check.h"
#include "client/engine/open_requests.h"
#include "client/engine/remembered_launch.h"
#include "os/io.h"

namespace filecall::client {
namespace {

/// A script of a model is the largest.
constexpr std::size_t kSettingBytesMax = 16 * 1024 * 1024;

std::optional<std::string> variable_now(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::optional<std::string> file_now(const std::string& path) {
  auto bytes = read_file(path, kSettingBytesMax);
  if (!bytes) return std::nullopt;
  return *std::move(bytes);
}

SettingsReview review_now(const WorkerLaunch& launch) {
  SettingsNow now{.variable = variable_now, .file = file_now, .config_digest = {}};
  if (const auto bytes = launch.config.empty() ? std::nullopt : file_now(launch.config)) {
    now.config_digest = config_digest(*bytes);
  }
  return review_settings(launch, now);
}

/// How the root's worker was started, or would be now; nullopt: not known, or its settings differ
/// from those that are there now.
std::optional<WorkerLaunch> launch_in_force(const std::string& root) {
  auto launch = read_launch(root);
  if (!launch || !*launch) return std::nullopt;
  const auto view = worker_view(root);
  const bool lives = view && view->presence != WorkerPresence::kNotRunning;
  if (lives && view->status && view->status->instance != (*launch)->instance) return std::nullopt;
  const SettingsReview review = review_now(**launch);
  // Another worker is started in this environment.
  const bool is_same = review.differences.empty() && (lives || review.unset.empty());
  return is_same ? std::move(*launch) : std::nullopt;
}

// A worker that became idle says so after kHeartbeatSettled.
constexpr int kLookEveryMs = 20;
constexpr int kLooks = 20;

/// Whether the worker has something to do whose request is not there any more: its status alone
/// tells. Says yes when the status still does after a while.
Result<bool> has_work_left(const std::string& root) {
  for (int looks = 0; looks < kLooks; ++looks) {
    TRY_ASSIGN(const WorkerView view, worker_view(root));
    if (view.presence != WorkerPresence::kReady || !view.status) return false;
    if (view.status->counts.pending == 0 && view.status->counts.executing == 0) return false;
    ::poll(nullptr, 0, kLookEveryMs);
  }
  return true;
}

Result<bool> is_busy(const std::string& root) {
  TRY_ASSIGN(const bool has_requests, has_open_requests(root));
  return has_requests ? Result<bool>(true) : has_work_left(root);
}

}  // namespace

bool has_settings_of_worker(const std::string& root) {
  const auto launch = read_launch(root);
  if (!launch || !*launch) return true;
  const SettingsReview review = review_now(**launch);
  return review.differences.empty() && review.unset.empty();
}

Result<SettingsPlan> look_at_settings(const std::string& root, const WorkerView& view,
                                      bool may_restart) {
  if (view.presence != WorkerPresence::kReady || !view.status) return SettingsPlan{};
  TRY_ASSIGN(const auto launch, read_launch(root));
  // A worker that does not say how it was started, or has not yet.
  if (!launch || launch->instance != view.status->instance) return SettingsPlan{};
  const SettingsReview review = review_now(*launch);
  if (review.differences.empty()) return SettingsPlan{};
  TRY_ASSIGN(const bool has_work, is_busy(root));
  return plan_settings(*launch, review,
                       {.root = root, .may_restart = may_restart, .is_idle = !has_work});
}

ProviderCatalog known_providers(const std::string& root) {
  const auto launch = launch_in_force(root);
  return launch ? ProviderCatalog::of(*launch) : ProviderCatalog();
}

ProviderCatalog running_providers(const std::string& root) {
  const auto launch = read_launch(root);
  const auto view = worker_view(root);
  if (!launch || !*launch || !view || !view->status) return {};
  if (view->presence == WorkerPresence::kNotRunning) return {};
  return view->status->instance == (*launch)->instance ? ProviderCatalog::of(**launch)
                                                       : ProviderCatalog();
}

bool carry_out(const SettingsPlan& plan, const WorkerStart& start,
               const std::function<void(const std::string&)>& notice) {
  if (plan.must_be_checked) {
    // What cannot be started again is not stopped.
    if (const auto accepted = check_start(start); !accepted) {
      notice(
          fmt::format("worker: the one that runs goes on with its own settings, because it "
                      "could not be started with those that are there now: {}",
                      accepted.error().message));
      return false;
    }
  }
  if (plan.remedy == SettingsRemedy::kRestart) {
    // Somebody may have dropped a request since the plan was made.
    const auto has_work = is_busy(start.root);
    if (!has_work || *has_work) {
      notice(has_work ? "worker: it goes on with its own settings; it has requests now"
                      : has_work.error().message);
      return false;
    }
  }
  if (!plan.notice.empty()) notice(plan.notice);
  if (plan.remedy != SettingsRemedy::kRestart) return false;
  const auto stopped = stop_worker(start.root, {});
  if (!stopped) notice(stopped.error().message);
  return stopped.has_value();
}

std::optional<std::vector<WorkerTool>> known_tools(const std::string& root) {
  auto launch = launch_in_force(root);
  if (!launch) return std::nullopt;
  return std::move(launch->tools);
}

}  // namespace filecall::client
