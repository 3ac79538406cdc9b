// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// Answers by what was asked, a file each: {directory}/{2 hex digits}/{30 hex digits}.json, with
/// the whole question in it, which is compared. Several processes may share a directory. One
/// thread.
class AnswerCache {
 public:
  using Notice = std::function<void(const std::string&)>;

  /// Makes the directory if needed. Failure: it cannot be made.
  static Result<std::unique_ptr<AnswerCache>> open(std::string directory);

  /// The data that was kept for `identity` (see cache_identity); nullopt: none. A file that is no
  /// entry is set aside under a name that ends in ".damaged", and reported.
  std::optional<Json> find(const std::string& identity, const Notice& notice);
  /// Keeps a successful answer's data, atomically. A failure (a full disk) is reported and costs
  /// nothing but the entry.
  void store(const std::string& identity, const Json& data, const Notice& notice);

 private:
  explicit AnswerCache(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

}  // namespace filecall::client
