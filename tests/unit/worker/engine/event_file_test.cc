// SPDX-License-Identifier: MIT
#include "worker/engine/event_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ipc/limits.h"
#include "os/io.h"
#include "tests/unit/spool/temporary_root.h"

namespace filecall::worker {
namespace {

TEST(EventFile, EndsAtItsBoundAndSaysSo) {
  const spool::TemporaryRoot root;
  const spool::Layout layout(root.path());
  const auto sink = open_event_file(layout, "a");
  ASSERT_NE(sink, nullptr);
  const Json event = {{"event", "delta"}, {"text", std::string(1024 * 1024, 'x')}};
  for (int i = 0; i < 17; ++i) sink->write(event);
  const auto size = std::filesystem::file_size(layout.events("a"));
  EXPECT_LE(size, limits::kEventsBytesMax);
  sink->write({{"event", "late"}});
  const auto text = read_file(layout.events("a"), limits::kEventsBytesMax + 1);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), size) << "nothing follows the line that says so";
  const std::string last = text->substr(text->rfind('\n', text->size() - 2) + 1);
  EXPECT_EQ(Json::parse(last)["event"], "truncated");
}

}  // namespace
}  // namespace filecall::worker
