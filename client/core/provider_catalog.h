// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "ipc/worker_launch.h"

namespace filecall::client {

/// The providers of a worker, as far as requests must fit them. Empty: nothing is known.
struct ProviderCatalog {
  std::vector<WorkerProvider> providers;
  std::string default_provider;

  static ProviderCatalog of(const WorkerLaunch& launch) {
    return {launch.providers, launch.default_provider};
  }
  /// Where a request of llm.chat goes; null: to none that is known.
  const WorkerProvider* find(std::string_view provider, std::string_view model) const;
};

/// Why a request cannot be what its author means: a member of `params` that the command does not
/// know, or that the request's provider does not take. Empty: nothing is wrong, as far as this
/// program knows. Pure.
std::string params_complaint(std::string_view command, const Json& params,
                             const ProviderCatalog& catalog);

/// Whether the params have members that some providers take and others do not.
bool has_optional_params(std::string_view command, const Json& params);

}  // namespace filecall::client
