// SPDX-License-Identifier: MIT
#include "client/core/request_state.h"

#include <array>

#include "client/core/request_progress.h"

namespace filecall::client {
namespace {

constexpr std::array<std::string_view, kRequestStateCount> kStateNames = {
    "NEW", "POLLING", "WAITING", "SUCCESS", "GAVE_UP"};
constexpr std::array<std::string_view, kCancelMarkCount> kMarkNames = {"", "timeout", "user",
                                                                       "late"};

}  // namespace

std::string_view to_string(RequestState state) {
  return kStateNames.at(static_cast<std::size_t>(state));
}

std::optional<RequestState> parse_request_state(std::string_view name) {
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    if (kStateNames[i] == name) return static_cast<RequestState>(i);
  }
  return std::nullopt;
}

std::string_view to_string(CancelMark mark) {
  return kMarkNames.at(static_cast<std::size_t>(mark));
}

std::optional<CancelMark> parse_cancel_mark(std::string_view name) {
  for (std::size_t i = 0; i < kMarkNames.size(); ++i) {
    if (kMarkNames[i] == name) return static_cast<CancelMark>(i);
  }
  return std::nullopt;
}

}  // namespace filecall::client
