// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "worker/exec/kube/model/log_text.h"

namespace filecall::worker::kube {
namespace {

constexpr std::string_view kOmission = "[... the middle is left out ...]\n";
constexpr std::string_view kUnfinished = "[... the end had not come ...]";
/// A shorter part of a credential is of no use to anybody.
constexpr std::size_t kShortBytes = 4;

/// At most `bytes_max` of the beginning, up to the end of a line where there is one.
std::string_view first_lines(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  text = text.substr(0, bytes_max);
  const std::size_t line = text.rfind('\n');
  if (line != std::string_view::npos) return text.substr(0, line + 1);
  return text.substr(0, text.size() - unfinished_utf8_end(text));
}

std::string with_omission(std::string_view head, std::string_view tail) {
  const bool ends_line = head.empty() || head.back() == '\n';
  return fmt::format("{}{}{}{}", head, ends_line ? "" : "\n", kOmission, tail);
}

/// What of an output that has not ended may be half of something else.
std::size_t unfinished_bytes(std::string_view text) {
  const std::size_t blank = text.find_last_of(" \t\n");
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::size_t size = text.size() - begin;
  const bool is_prompt = size > 0 && std::string_view(":?>])").find(text.back()) != text.npos;
  return size < kShortBytes || is_prompt ? 0 : size;
}

class Shown {
 public:
  Shown(const Redactor& redactor, std::size_t bytes_max, bool has_ended)
      : redactor_(redactor), bytes_max_(bytes_max), has_ended_(has_ended) {}

  std::string of(const CapturedOutput& output) {
    if (output.is_truncated()) {
      is_cut_ = true;
      const std::string head = clean(output.head());
      const std::string tail = without_unfinished(clean(output.tail()));
      return with_omission(
          first_lines(head, std::min(bytes_max_ / 2, head.size() - torn(head))),
          last_lines(tail, std::min(bytes_max_ / 2, tail.size() - torn(tail))).text);
    }
    const std::string text = without_unfinished(clean(output.head() + output.tail()));
    if (text.size() <= bytes_max_) return text;
    is_cut_ = true;
    return with_omission(first_lines(text, bytes_max_ / 2), last_lines(text, bytes_max_ / 2).text);
  }

  bool is_cut() const { return is_cut_; }

 private:
  static std::size_t torn(const std::string& text) { return std::min(text.size(), kTornBytes); }

  std::string clean(const std::string& bytes) const {
    return redactor_.scrub_output(readable_log(bytes));
  }

  std::string without_unfinished(std::string text) {
    const std::size_t size = has_ended_ ? 0 : unfinished_bytes(text);
    if (size == 0) return text;
    is_cut_ = true;
    text.resize(text.size() - size);
    return text.append(kUnfinished);
  }

  const Redactor& redactor_;
  const std::size_t bytes_max_;
  const bool has_ended_;
  bool is_cut_ = false;
};

}  // namespace

Json exec_output(const ExecChannels& channels, const Redactor& redactor, std::size_t bytes_max) {
  const CapturedOutput& out = channels.standard_output();
  const CapturedOutput& err = channels.standard_error();
  Shown shown(redactor, bytes_max, channels.status().has_value());
  Json data = Json::object();
  data["stdout"] = shown.of(out);
  data["stderr"] = shown.of(err);
  data["stdout_bytes"] = out.total_bytes();
  data["stderr_bytes"] = err.total_bytes();
  data["truncated"] = shown.is_cut();
  return data;
}

}  // namespace filecall::worker::kube
