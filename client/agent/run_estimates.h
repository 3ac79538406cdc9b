// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"

namespace filecall::client {

/// How long commands take, by the client's own history. Remembers an answer for a minute, since
/// many runs ask for the same. Blocking: reads the database. One thread.
class RunEstimates {
 public:
  explicit RunEstimates(std::string database_path) : database_path_(std::move(database_path)) {}

  /// The median in milliseconds. nullopt: too little is known, or the command says nothing of how
  /// long it takes (tool.run: that depends on the program).
  std::optional<std::int64_t> median_ms(std::string_view command);

 private:
  struct Known {
    std::optional<std::int64_t> ms;
    MonotonicTime at{};
  };
  std::string database_path_;
  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace filecall::client
