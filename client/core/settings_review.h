// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ipc/worker_launch.h"

namespace filecall::client {

/// What a client finds now where a worker found its settings.
struct SettingsNow {
  using Look = std::function<std::optional<std::string>(const std::string&)>;
  Look variable;  ///< Of the environment; nullopt: it is not set, so this client knows nothing.
  Look file;      ///< Its content; nullopt: it cannot be read.
  std::string config_digest;  ///< Of the configuration file; empty: not known.
};

struct SettingsReview {
  /// For people: which provider, and what of it differs.
  std::vector<std::string> differences;
  /// Variables that the worker had and this client has not: a worker that it starts would lack
  /// them.
  std::vector<std::string> unset;
  bool has_other_config = false;  ///< The configuration file is another one now.
};

/// Whether a worker would be configured otherwise if it started now. Pure but for what `now` does;
/// compares digests, and keeps no value.
SettingsReview review_settings(const WorkerLaunch& launch, const SettingsNow& now);

/// What to do about it.
enum class SettingsRemedy { kNone, kRestart, kSay };
struct SettingsPlan {
  SettingsRemedy remedy = SettingsRemedy::kNone;
  std::string notice;  ///< For people; empty with kNone.
  /// Before a restart: a worker might refuse the configuration that is there now.
  bool must_be_checked = false;
};
struct WorkerStanding {
  std::string root;
  bool may_restart = false;  ///< The user lets this client start workers.
  bool is_idle = false;      ///< It has nothing to do.
};
SettingsPlan plan_settings(const WorkerLaunch& launch, const SettingsReview& review,
                           const WorkerStanding& standing);

}  // namespace filecall::client
