// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/kube/client/kubeconfig.h"

namespace filecall::worker::kube {

using Environment = std::map<std::string, std::string>;

/// Which files make the client configuration.
struct KubeconfigPlaces {
  std::vector<std::string> paths;  ///< In order; no path twice.
  bool must_exist = false;         ///< The one path was named by the worker's configuration.
};
/// `configured` (kube.kubeconfig), else $KUBECONFIG's list, else ~/.kube/config. Pure.
KubeconfigPlaces find_kubeconfigs(const std::string& configured, const Environment& environment);

/// Where a pod finds its service account.
inline constexpr const char* kServiceAccountDirectory =
    "/var/run/secrets/kubernetes.io/serviceaccount";

/// Reads and merges the files. When all of them together say nothing and this is a pod with a
/// service account, the result is one context "in-cluster". A file that is not there counts as
/// empty (unless it must exist); one that cannot be read or parsed fails all. Failures:
/// not_found, permission_denied, invalid_argument.
Result<Kubeconfig> load_kubeconfigs(const KubeconfigPlaces& places, const Environment& environment,
                                    const std::string& account = kServiceAccountDirectory);

/// The same, kept and read again when a file has changed. Any thread, one at a time.
class KubeconfigFiles {
 public:
  KubeconfigFiles(const std::string& configured, Environment environment);

  /// Valid until the next call.
  Result<const Kubeconfig*> current();
  /// Grows with every reading.
  std::uint64_t version() const { return version_; }
  const KubeconfigPlaces& places() const { return places_; }

 private:
  std::string signature() const;

  KubeconfigPlaces places_;
  Environment environment_;
  Kubeconfig config_;
  std::uint64_t version_ = 0;
  std::string signature_;  ///< Of the files that `config_` was read from; empty: none.
};

}  // namespace filecall::worker::kube
