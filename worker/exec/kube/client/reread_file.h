// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "worker/net/secret.h"

namespace filecall::worker::kube {

/// The text of a file that others renew (a token, a certificate): read again when it is older than
/// a minute, as client-go does it. When reading fails, what was read last is kept. Loop thread
/// only.
class RereadFile {
 public:
  explicit RereadFile(std::string path) : path_(std::move(path)) {}

  /// White space around the text is dropped. Failure: unauthenticated, naming the file.
  Result<Secret> text(MonotonicTime now);
  /// The next text() reads the file.
  void forget() { read_at_.reset(); }
  bool is_used() const { return !path_.empty(); }

 private:
  std::string path_;
  std::optional<Secret> text_;
  std::optional<MonotonicTime> read_at_;
};

}  // namespace filecall::worker::kube
