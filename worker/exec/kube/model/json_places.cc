// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/json_places.h"

#include <algorithm>
#include <string>

#include "ipc/json_text.h"

namespace filecall::worker::kube {
namespace {

/// Each is searched for in the whole text.
constexpr std::size_t kSearchesMax = 200;

}  // namespace

bool find_in_json(std::string_view text, const std::vector<Places::Hidden>& hidden,
                  std::vector<TextSpan>& spans) {
  if (hidden.size() > kSearchesMax) return false;
  return std::all_of(hidden.begin(), hidden.end(), [&](const Places::Hidden& value) {
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
