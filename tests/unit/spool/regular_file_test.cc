// SPDX-License-Identifier: MIT
#include "os/regular_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/io.h"
#include "os/log_sink.h"
#include "os/process.h"
#include "spool/lock.h"
#include "temporary_root.h"

namespace filecall::spool {
namespace {

/// Something else than a file, by name, in a folder; opening some of them would wait for ever.
std::vector<std::string> make_others(const std::string& folder) {
  EXPECT_EQ(::mkfifo((folder + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(::mkdir((folder + "/folder").c_str(), 0700), 0);
  write_text(folder + "/target", "kept");
  EXPECT_EQ(::symlink("target", (folder + "/link").c_str()), 0);
  EXPECT_EQ(::symlink("nowhere", (folder + "/dangling").c_str()), 0);
  const UniqueFd server(::socket(AF_UNIX, SOCK_STREAM, 0));
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  const std::string path = folder + "/socket";
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  EXPECT_EQ(::bind(server.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof(address)), 0);
  return {"fifo", "folder", "link", "dangling", "socket"};
}

TEST(RegularFile, IsAllThatIsEverOpened) {
  const TemporaryRoot root;
  const UniqueFd folder(::open(root.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const std::string& name : make_others(root.path())) {
    for (const int flags : {O_RDONLY, O_WRONLY | O_CREAT | O_APPEND, O_WRONLY | O_CREAT | O_TRUNC,
                            O_RDWR | O_CREAT}) {
      for (const auto& opened : {open_regular(root.path() + "/" + name, flags),
                                 open_regular_at(folder.get(), name, flags, "events")}) {
        ASSERT_FALSE(opened) << name;
        EXPECT_EQ(opened.error().code, ErrorCode::kFailedPrecondition) << name;
        EXPECT_THAT(opened.error().message, testing::HasSubstr(name + ": is not a regular file"));
      }
    }
    EXPECT_FALSE(read_regular_file(root.path() + "/" + name, 100)) << name;
    EXPECT_FALSE(FileLock::acquire(root.path() + "/" + name, Duration::zero())) << name;
    EXPECT_FALSE(FileLock::is_held(root.path() + "/" + name)) << name;
    LogOptions log;
    log.path = root.path() + "/" + name;
    EXPECT_FALSE(make_log_sink(log)) << name;
  }
  EXPECT_EQ(read_text(root.path() + "/target"), "kept");
  EXPECT_EQ(::access((root.path() + "/nowhere").c_str(), F_OK), -1) << "nothing is made by a link";
}

TEST(LogSink, WritesOneLineWhateverANameHoldsAndInJsonTheNameItself) {
  const TemporaryRoot root;
  const std::string message = "a\n2026 error forged\x1b[2J\u3000b";
  for (const bool is_json : {false, true}) {
    LogOptions options;
    options.path = root.path() + (is_json ? "/json" : "/text");
    options.json = is_json;
    const auto sink = make_log_sink(options);
    ASSERT_TRUE(sink);
    (*sink)->write(LogLevel::kWarn, message);
    const std::string text = read_text(options.path);
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find(R"(a\u000a2026)") != std::string::npos, is_json) << text;
    EXPECT_EQ(text.find("\u3000") != std::string::npos, is_json) << text;
  }
}

TEST(RegularFile, IsReadWrittenAndCut) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/file";
  EXPECT_EQ(read_regular_file(path, 100).error().code, ErrorCode::kNotFound);
  write_text(path, "12345");
  EXPECT_EQ(*read_regular_file(path, 5), "12345");
  EXPECT_EQ(read_regular_file(path, 4).error().code, ErrorCode::kResourceExhausted);
  ASSERT_TRUE(open_regular(path, O_WRONLY | O_TRUNC));
  EXPECT_EQ(*read_regular_file(path, 5), "");
}

TEST(ReadFile, NeverWaitsForTheWriterOfAFifo) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto refused = read_file(path, 100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("fifo: is a FIFO"));
}

TEST(ReadFile, ReadsAPipeThatAShellPasses) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  ASSERT_EQ(::write(writer.get(), "text", 4), 4);
  writer.reset();
  EXPECT_EQ(*read_file("/dev/fd/" + std::to_string(reader.get()), 100), "text");
  EXPECT_EQ(*read_file("/dev/null", 100), "");
}

TEST(Process, LeavesNoCoreFile) {
  const int before = ::prctl(PR_GET_DUMPABLE);
  struct rlimit limit {};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &limit), 0);
  forbid_core_dumps();
  struct rlimit now {};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &now), 0);
  EXPECT_EQ(now.rlim_cur, 0U);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE), 0);
#endif
  ::prctl(PR_SET_DUMPABLE, before);
  ::setrlimit(RLIMIT_CORE, &limit);
}

}  // namespace
}  // namespace filecall::spool
