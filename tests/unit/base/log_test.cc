// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace filecall {
namespace {

class KeepingSink final : public LogSink {
 public:
  void write(LogLevel, std::string_view message) override { lines.emplace_back(message); }
  std::vector<std::string> lines;
};

TEST(Log, WritesOneLineWhateverANameHolds) {
  KeepingSink sink;
  set_log_sink(&sink, LogLevel::kInfo);
  log_warn("worker/started/{}: not a start record", "a\n2026 error forged\x1b[2J");
  set_log_sink(nullptr, LogLevel::kOff);
  ASSERT_EQ(sink.lines.size(), 1u);
  EXPECT_EQ(sink.lines[0].find_first_of("\n\x1b"), std::string::npos) << sink.lines[0];
}

}  // namespace
}  // namespace filecall
