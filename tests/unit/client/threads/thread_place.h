// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "client/threads/thread_log.h"
#include "client/threads/thread_reader.h"
#include "spool/layout.h"

namespace filecall::client {

/// A root in a directory of its own.
class ThreadPlace : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-threads-XXXXXX";
    directory_ = mkdtemp(pattern);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  spool::Layout layout() const { return spool::Layout(directory_); }
  static WallTime at(int second) { return WallTime(seconds(second)); }
  ThreadLogOptions options() {
    ThreadLogOptions made;
    made.durability = Durability::kNone;
    made.now = at(1);
    made.on_notice = [this](const std::string& text) { notices_.push_back(text); };
    return made;
  }
  std::unique_ptr<ThreadLog> open_log(const std::string& thread = "t") {
    auto log = ThreadLog::open(layout(), thread, options());
    EXPECT_TRUE(log) << log.error().message;
    return *std::move(log);
  }
  std::string file_text(const std::string& thread = "t") const {
    std::ifstream in(layout().thread(thread), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write_file(const std::string& text, const std::string& thread = "t") const {
    std::ofstream(layout().thread(thread), std::ios::binary | std::ios::trunc) << text;
  }
  std::vector<ThreadRecord> all_records(const std::string& thread = "t",
                                        ThreadCheck* check = nullptr) const {
    std::vector<ThreadRecord> records;
    auto done = read_thread(layout(), thread, 0, [&](ThreadRecord&& record) -> Result<bool> {
      records.push_back(std::move(record));
      return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    if (check != nullptr && done) *check = *std::move(done);
    return records;
  }

  std::string directory_;
  std::vector<std::string> notices_;
};

}  // namespace filecall::client
