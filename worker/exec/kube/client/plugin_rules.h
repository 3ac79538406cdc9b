// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace filecall::worker::kube {

/// How credential plugins are run.
struct PluginRules {
  std::string guard;               ///< filecall-guard; empty: find_guard().
  Duration timeout = seconds(30);  ///< Then it is ended with all that it started.
  /// Variables that plugins get although they look like a key of somebody else (`plugin_env`).
  std::vector<std::string> passed;
  /// Variables that hold keys of this worker's other services: kept from plugins.
  std::vector<std::string> withheld;

  /// Whether a plugin inherits a variable of the worker. Like client-go it inherits all (plugins
  /// find their own login there: HOME, AWS_*, AZURE_*, GOOGLE_*, proxies, SSL_CERT_*), except the
  /// keys of language models: `withheld`, and every name that ends in _API_KEY, in any case.
  bool inherits(std::string_view variable) const;
};

}  // namespace filecall::worker::kube
