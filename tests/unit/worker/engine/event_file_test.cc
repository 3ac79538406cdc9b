// SPDX-License-Identifier: MIT
#include "worker/engine/event_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

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

std::vector<Json> lines_of(const spool::Layout& layout) {
  std::vector<Json> lines;
  std::istringstream text(read_file(layout.events("a"), limits::kEventsBytesMax).value_or(""));
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(EventFile, TellsTheEndEvenWhenItIsFull) {
  const spool::TemporaryRoot root;
  const spool::Layout layout(root.path());
  const auto sink = open_event_file(layout, "a");
  EXPECT_TRUE(sink->write({{"event", "delta"}, {"text", std::string(15 * 1024 * 1024, 'x')}}));
  EXPECT_FALSE(sink->write({{"event", "delta"}, {"text", std::string(2 * 1024 * 1024, 'x')}}));
  EXPECT_FALSE(sink->write({{"event", "delta"}, {"text", "short"}})) << "no gaps in between";
  EXPECT_TRUE(sink->write({{"event", "exited"}, {"exit_code", 0}}));
  EXPECT_TRUE(sink->write({{"event", "finished"}, {"status", "success"}}));
  const auto lines = lines_of(layout);
  ASSERT_EQ(lines.size(), 4U);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["seq"], i + 1);
  EXPECT_EQ(lines[1]["event"], "truncated");
  EXPECT_EQ(lines[3]["event"], "finished");
}

TEST(EventFile, CutsOffWhatAKilledWorkerLeftOfALine) {
  for (const std::string& torn : {std::string("{\"event\": \"del"), std::string(9000, 'x')}) {
    const spool::TemporaryRoot root;
    const spool::Layout layout(root.path());
    open_event_file(layout, "a")->write({{"event", "started"}});
    std::ofstream(layout.events("a"), std::ios::app) << torn;
    open_event_file(layout, "a")->write({{"event", "finished"}});
    const auto lines = lines_of(layout);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1]["event"], "finished");
    EXPECT_EQ(lines[1]["seq"], 1) << "each execution counts from 1";
  }
}

}  // namespace
}  // namespace filecall::worker
