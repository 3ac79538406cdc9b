// SPDX-License-Identifier: MIT
#include "client/cli/approval_question.h"

#include <fmt/core.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/count_text.h"
#include "base/visible_text.h"
#include "client/agent/core/record_member.h"
#include "client/approval/core/shown_approval.h"
#include "client/cli/login_name.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/report/text_layout.h"
#include "os/clock.h"

namespace filecall::client {
namespace {

constexpr int kLookEveryMs = 300;
constexpr std::size_t kAnswerBytesMax = 4096;
constexpr std::string_view kAnswers =
    "y: all, n REASON: none, numbers: only these, run y: also such calls of this run";
constexpr std::size_t kArgumentColumns = 2000;

std::string arguments_text(const std::string& arguments) {
  const std::string line = one_line(arguments, kArgumentColumns);
  const char* const more = line == arguments ? "" : "   'filecall approvals' shows all of them\n";
  return "   arguments:\n   | " + line + "\n" + more;
}

std::string call_text(const Json& call, std::string_view key) {
  const auto shown = [&](const char* name) { return visible_line(text_at(call, name)); };
  std::string text = fmt::format("{}. {}  risk: {}\n", number_at(call, "n"), shown("displayName"),
                                 shown("riskLevel"));
  for (const std::string& reason : texts_at(call, "reasons")) {
    text += "   " + one_line(visible_line(reason), 300) + "\n";
  }
  text += arguments_text(visible_line(dump_json(arguments_to_show(call, key))));
  if (const std::int64_t ms = number_at(call, "estimatedDurationMs", -1); ms >= 0) {
    text += "   takes about " + human_ms(ms) + "\n";
  }
  return text + quoted_lines(visible_text(text_at(call, "previewText")), "   | ");
}

}  // namespace

std::string approval_text(const Json& request, std::string_view key) {
  const Json& calls = value_at(request, "calls");
  std::string text = fmt::format("\n{} to approve ({})\n",
                                 counted_noun(static_cast<std::int64_t>(calls.size()), "call"),
                                 visible_line(text_at(request, "id")));
  for (const Json& call : calls) text += call_text(call, key);
  return text + fmt::format("{}, ?: show this again > ", kAnswers);
}

std::optional<ApprovalDecision> read_approval_answer(const Json& request, std::string_view line) {
  // "2,5" and "2, 5" are numbers, too.
  std::string spaced(line);
  if (line.find_first_not_of("0123456789, \t\r") == std::string_view::npos) {
    std::replace(spaced.begin(), spaced.end(), ',', ' ');
  }
  std::vector<std::string_view> words = split_words(spaced);
  if (words.empty()) return std::nullopt;
  ApprovalDecision decision;
  decision.id = text_at(request, "id");
  decision.digest = text_at(request, "digest");
  decision.source = "terminal";
  decision.by = login_name();
  if (words[0] == "run" && words.size() > 1) {
    decision.scope = ApprovalScope::kRun;
    words.erase(words.begin());
  }
  const bool is_yes = words[0] == "y" || words[0] == "yes";
  // "y, but not 2" is no answer that is understood.
  if (is_yes && words.size() > 1) return std::nullopt;
  const bool is_no = words[0] == "n" || words[0] == "no";
  std::set<std::int64_t> chosen;
  if (is_no) {
    const std::size_t at = spaced.find(words[0]) + words[0].size();
    const std::size_t from = spaced.find_first_not_of(' ', at);
    if (from != std::string::npos) decision.reason = spaced.substr(from);
  } else if (!is_yes) {
    for (const std::string_view word : words) {
      const bool is_number = word.size() < 6 && std::all_of(word.begin(), word.end(), [](char c) {
                               return c >= '0' && c <= '9';
                             });
      if (!is_number) return std::nullopt;
      chosen.insert(std::stoi(std::string(word)));
    }
  }
  for (const Json& call : value_at(request, "calls")) {
    CallDecision one;
    one.n = static_cast<int>(number_at(call, "n"));
    one.approved = is_yes || chosen.erase(one.n) > 0;
    decision.calls.push_back(std::move(one));
  }
  if (!chosen.empty()) return std::nullopt;
  return decision;
}

Result<std::optional<ApprovalDecision>> ApprovalQuestion::ask(
    const Json& request, const std::function<bool()>& is_over) {
  TRY_ASSIGN(const std::string key, files_.key());
  // What was typed before is no answer to what nobody has seen yet.
  typed_.clear();
  ::tcflush(STDIN_FILENO, TCIFLUSH);
  print_note(for_terminal(folded_lines(approval_text(request, key), error_columns(), "   | ")));
  for (;;) {
    if (is_over()) {
      print_note("\n");
      return std::optional<ApprovalDecision>();
    }
    if (const std::size_t end = typed_.find('\n'); end != std::string::npos) {
      const std::string line = typed_.substr(0, end);
      typed_.erase(0, end + 1);
      if (split_words(line) == std::vector<std::string_view>{"?"}) {
        print_note(
            for_terminal(folded_lines(approval_text(request, key), error_columns(), "   | ")));
        continue;
      }
      auto decision = read_approval_answer(request, line);
      if (decision) {
        decision->decided_at = wall_now();
        return decision;
      }
      print_note(fmt::format("{}, ?: show the calls again > ", kAnswers));
      continue;
    }
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, kLookEveryMs);
    if (ready < 0 && errno != EINTR) return fail_errno(errno, "standard input");
    if (ready <= 0) continue;
    char bytes[256];
    const ssize_t size = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || typed_.size() > kAnswerBytesMax) {
      return fail(ErrorCode::kUnavailable,
                  "standard input ended before the approval was decided; 'filecall approve " +
                      text_at(request, "id") + "' decides it");
    }
    typed_.append(bytes, static_cast<std::size_t>(size));
  }
}

}  // namespace filecall::client
