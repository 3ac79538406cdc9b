// SPDX-License-Identifier: MIT
#include "client/core/settings_review.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ipc/setting_digest.h"

namespace filecall::client {
namespace {

std::string difference_of(const WorkerSetting& setting, bool is_set_now) {
  const std::string source = setting.variable.empty() ? setting.file : "$" + setting.variable;
  if (setting.digest.empty()) {
    return fmt::format("provider {}: the worker has no {}, and {} has one", setting.provider,
                       setting.what, source);
  }
  if (!is_set_now) {
    return fmt::format("provider {}: the worker has a {} from {}, which is empty now",
                       setting.provider, setting.what, source);
  }
  return fmt::format("provider {}: the worker has another {} than {}", setting.provider,
                     setting.what, source);
}

/// An address says nothing while neither side has a key to use there.
bool is_unused(const WorkerSetting& setting, const WorkerLaunch& launch, const SettingsNow& now) {
  if (setting.what == "key" || setting.provider != "anthropic") return false;
  return std::none_of(launch.settings.begin(), launch.settings.end(), [&](const auto& other) {
    if (other.provider != setting.provider || other.what != "key") return false;
    return !other.digest.empty() || now.variable(other.variable).has_value();
  });
}

/// Why a worker whose settings are old goes on with them; empty: it need not.
std::string obstacle(const WorkerLaunch& launch, const SettingsReview& review,
                     const WorkerStanding& standing) {
  if (!launch.is_from_client) {
    return "filecall did not start it: change its environment or configuration where it is "
           "started (a systemd unit, say), and restart it there";
  }
  const std::string how =
      fmt::format("'filecall worker restart --root {}' changes that", standing.root);
  if (!review.unset.empty()) {
    return fmt::format("set {} as well, which the worker has and this environment lacks, then {}",
                       fmt::join(review.unset, ", "), how);
  }
  if (launch.roots.size() > 1) return "it serves several roots; " + how;
  if (!standing.is_idle) return "it has requests; once they have ended, " + how;
  if (!standing.may_restart) return how;
  return {};
}

}  // namespace

SettingsReview review_settings(const WorkerLaunch& launch, const SettingsNow& now) {
  SettingsReview review;
  if (!launch.config_digest.empty() && !now.config_digest.empty() &&
      launch.config_digest != now.config_digest) {
    review.differences.push_back(
        fmt::format("configuration: {} was changed since the worker read it", launch.config));
    review.has_other_config = true;
  }
  for (const WorkerSetting& setting : launch.settings) {
    const bool is_variable = !setting.variable.empty();
    const auto value = is_variable ? now.variable(setting.variable) : now.file(setting.file);
    if (!value) {
      if (is_variable && !setting.digest.empty()) review.unset.push_back("$" + setting.variable);
      continue;
    }
    const std::string_view text = trimmed_setting(*value);
    if (setting_digest(launch.salt, text) == setting.digest) continue;
    if (is_unused(setting, launch, now)) continue;
    review.differences.push_back(difference_of(setting, !text.empty()));
  }
  return review;
}

SettingsPlan plan_settings(const WorkerLaunch& launch, const SettingsReview& review,
                           const WorkerStanding& standing) {
  if (review.differences.empty()) return {};
  const std::string what = fmt::format("worker: {}", fmt::join(review.differences, "; "));
  const std::string why_not = obstacle(launch, review, standing);
  if (why_not.empty()) {
    return {SettingsRemedy::kRestart, what + "; it has nothing to do, and is restarted",
            review.has_other_config};
  }
  return {SettingsRemedy::kSay, fmt::format("{}; it goes on with its own; {}", what, why_not),
          false};
}

}  // namespace filecall::client
