// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/text_spans.h"

#include <algorithm>

#include "base/utf8.h"

namespace filecall::worker::kube {

std::string mask_spans(std::string_view text, std::vector<TextSpan> spans,
                       const std::function<std::string(std::string_view)>& mark) {
  std::sort(spans.begin(), spans.end(),
            [](const TextSpan& a, const TextSpan& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < spans.size();) {
    std::size_t end = spans[i].end;
    std::size_t next = i + 1;
    for (; next < spans.size() && spans[next].begin <= end; ++next) {
      end = std::max(end, spans[next].end);
    }
    out += text.substr(done, spans[i].begin - done);
    out += mark ? mark(text.substr(spans[i].begin, end - spans[i].begin)) : std::string(kMask);
    done = end;
    i = next;
  }
  out += text.substr(done);
  return sanitize_utf8(out);
}

}  // namespace filecall::worker::kube
