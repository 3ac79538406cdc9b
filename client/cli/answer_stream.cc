// SPDX-License-Identifier: MIT
#include "client/cli/answer_stream.h"

#include <cstdio>
#include <string_view>

#include "client/agent/core/record_member.h"
#include "client/cli/agent_view.h"
#include "client/cli/output.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::string_view kFaint = "\x1b[2m";
constexpr std::string_view kNormal = "\x1b[0m";

/// A plan is for the machine: it is shown, and does not stand out.
void print_faint(const std::string& text) {
  if (!output_colour()) return print(text);
  print(std::string(kFaint) + text + std::string(kNormal));
}

}  // namespace

void AnswerStream::follow(const std::string& events_path, bool is_report) {
  tail_.emplace(events_path);
  is_report_ = is_report;
  shown_.clear();
  begins_line_ = true;
  markdown_ = MarkdownLines();
}

/// With the mark before each line, also where a line comes in pieces.
std::string AnswerStream::quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (begins_line_) out += kQuoteMark;
    out += c;
    begins_line_ = c == '\n';
  }
  return out;
}

void AnswerStream::take(std::string_view line) {
  const Json event = Json::parse(line, nullptr, false);
  const std::string name = text_at(event, "event");
  if (name == "started" && !shown_.empty()) {
    // It is asked again, and writes again.
    print(is_report_ ? quoted(markdown_.end()) + "\n" : "\n");
    shown_.clear();
    begins_line_ = true;
    markdown_ = MarkdownLines();
  }
  if (name != "delta") return;
  const std::string kind = text_at(event, "kind");
  if (kind != "text" && kind != "refusal") return;
  const std::string text = text_at(event, "text");
  if (shown_.empty() && is_report_) print("\n");
  shown_ += text;
  if (!is_report_) return print_faint(quoted(without_controls(text)));
  print(quoted(output_colour() ? markdown_.add(text) : without_controls(text)));
}

void AnswerStream::show() {
  if (!tail_) return;
  const auto read = tail_->read([this](std::string_view line) { take(line); });
  if (!read) tail_.reset();
  std::fflush(stdout);
}

bool AnswerStream::finish(const std::string& text) {
  show();
  tail_.reset();
  if (shown_.empty()) return false;
  if (is_report_ && output_colour()) {
    print(quoted(markdown_.end()));
  } else if (!shown_.ends_with('\n')) {
    print("\n");
  }
  const bool is_whole = shown_ == text;
  shown_.clear();
  return is_whole;
}

}  // namespace filecall::client
