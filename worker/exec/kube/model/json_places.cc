// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/json_places.h"

#include <algorithm>
#include <string>

#include "ipc/json_text.h"

namespace filecall::worker::kube {
namespace {

/// Each is searched for in the whole text.
constexpr std::size_t kSearchesMax = 200;

/// A number as the value of a member. One that is written in another form (1e3) is not found.
bool find_number(std::string_view text, std::string_view number, std::vector<TextSpan>& spans) {
  constexpr std::string_view kBlanks = " \t\r\n";
  bool is_found = false;
  for (std::size_t at = 0; (at = text.find(number, at)) != text.npos; at += number.size()) {
    const std::size_t end = at + number.size();
    const std::size_t before = text.substr(0, at).find_last_not_of(kBlanks);
    const std::size_t after = text.find_first_not_of(kBlanks, end);
    const bool is_value =
        before != text.npos && std::string_view(":,[").find(text[before]) != text.npos &&
        (after == text.npos || std::string_view(",]}").find(text[after]) != text.npos);
    if (!is_value) continue;
    spans.push_back({at, end});
    is_found = true;
  }
  return is_found;
}

}  // namespace

bool find_in_json(std::string_view text, const std::vector<Places::Hidden>& hidden,
                  std::vector<TextSpan>& spans) {
  if (hidden.size() > kSearchesMax) return false;
  return std::all_of(hidden.begin(), hidden.end(), [&](const Places::Hidden& value) {
    if (value.is_number) return find_number(text, value.bytes, spans);
    std::string quoted;
    append_json_string(quoted, value.bytes);
    bool is_found = false;
    for (std::size_t at = 0; (at = text.find(quoted, at)) != text.npos; at += quoted.size()) {
      // The name of a member may be the same word.
      const std::size_t next = text.find_first_not_of(" \t\r\n", at + quoted.size());
      if (next != text.npos && text[next] == ':') continue;
      spans.push_back({at + 1, at + quoted.size() - 1});
      is_found = true;
    }
    return is_found;
  });
}

}  // namespace filecall::worker::kube
