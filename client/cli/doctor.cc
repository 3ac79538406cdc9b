// SPDX-License-Identifier: MIT
#include "client/doctor/doctor.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

std::string mark(Severity severity, bool colour) {
  constexpr const char* kMarks[] = {"ok      ", "note    ", "problem "};
  constexpr const char* kColours[] = {"\x1b[32m", "\x1b[33m", "\x1b[31m"};
  const auto index = static_cast<std::size_t>(severity);
  return colour ? fmt::format("{}{}\x1b[0m", kColours[index], kMarks[index]) : kMarks[index];
}

void print_finding(const Finding& finding) {
  print(fmt::format("{}{:<12} {}\n", mark(finding.severity, output_colour()), finding.subject,
                    one_line(finding.text, 1000)));
  if (!finding.advice.empty())
    print(fmt::format("{:21}-> {}\n", "", one_line(finding.advice, 1000)));
}

}  // namespace

int doctor_command(const Arguments& arguments) {
  const Findings findings = examine({.root = chosen_root(arguments),
                                     .allow_shared_root = arguments.has("allow-shared-root"),
                                     .worker_config = arguments.text("worker-config")});
  const auto problems = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Severity::kProblem;
  });
  if (arguments.has("json")) {
    Json list = Json::array();
    for (const Finding& finding : findings) {
      list.push_back({{"severity", to_string(finding.severity)},
                      {"subject", finding.subject},
                      {"text", finding.text},
                      {"advice", finding.advice}});
    }
    print_json({{"problems", problems}, {"findings", list}});
  } else {
    for (const Finding& finding : findings) print_finding(finding);
    print(problems == 0 ? "\nNo problems.\n"
                        : fmt::format("\n{} problem{}.\n", problems, problems == 1 ? "" : "s"));
  }
  return problems == 0 ? kExitSuccess : kExitGaveUp;
}

}  // namespace filecall::client
