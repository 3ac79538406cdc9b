// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace filecall::worker::llm {

/// Puts characters together that a server cut in two. One that counts text in UTF-16, as those
/// written in JavaScript do, may end one event of a stream with the first half of a surrogate pair
/// (\ud83d) and begin a later one with the second (\ude0a). Neither is a JSON text that can be
/// decoded; together they are what the model said. Pure; one a stream.
class SurrogateJoiner {
 public:
  /// The event's data with its first halves kept back for the event that has the second ones, and
  /// a second half without a first replaced by U+FFFD. Nullopt: there is no lone half, use the data
  /// as it is. A first half that nothing follows is dropped with the stream.
  std::optional<std::string> join(std::string_view json);

 private:
  std::string first_half_;
};

}  // namespace filecall::worker::llm
