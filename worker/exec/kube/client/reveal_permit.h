// SPDX-License-Identifier: MIT
#pragma once

namespace filecall::worker::kube {

struct KubeConfig;

/// Permission to see secret values, which only the worker's configuration gives: see KubeConfig.
class RevealPermit {
 private:
  RevealPermit() = default;
  friend struct KubeConfig;
};

}  // namespace filecall::worker::kube
