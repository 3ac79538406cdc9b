// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace filecall::client {

/// What the rows of a batch are.
enum class BatchFormat : std::uint8_t {
  kDetect,       ///< Row by row: OpenAI's lines have a custom_id and no command.
  kRequests,     ///< Request objects.
  kOpenAiBatch,  ///< Lines of OpenAI's Batch API.
};

/// What one row asks for.
struct MadeRequests {
  /// The row's own name, which no other row may have; the ids of its requests begin with it.
  /// Empty: the row is a request and its text is `texts[0]`, unchanged.
  std::string item;
  std::vector<std::string> texts;  ///< Request objects.
};

/// Makes requests of the rows of a batch. Pure: equal rows make equal requests.
class RequestMaker {
 public:
  explicit RequestMaker(BatchFormat format) : format_(format) {}

  /// Whether the row is a request already, as far as a cheap look can tell.
  bool leaves_as_it_is(std::string_view row) const;
  /// What people call the name of a row.
  std::string_view row_noun() const { return "custom_id"; }
  /// The string says what is wrong with the row.
  std::variant<MadeRequests, std::string> make(std::string_view row) const;

 private:
  BatchFormat format_;
};

}  // namespace filecall::client
