// SPDX-License-Identifier: MIT
// What a file system may do to us: this program's own definitions of libc functions stand before
// libc's, fail when told to, and pass on otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>

#include <cerrno>
#include <cstdarg>
#include <functional>
#include <set>

#include "libc_faults.h"
#include "spool/request_reader.h"
#include "spool/spool_watch.h"
#include "spool/start_records.h"
#include "temporary_root.h"

namespace {

struct Faults {
  std::function<int()> rename;  ///< Each returns an errno, or 0: pass on.
  std::function<int()> link;
  std::function<int(int)> fsync;
  std::function<int()> close;
  std::function<int(std::size_t&)> write;  ///< May shorten.
  std::function<int()> lease;
  std::function<int()> inotify_init;
  std::function<int()> inotify_add;
  bool does_rename_before_it_fails = false;
};
Faults faults;

}  // namespace

extern "C" {

int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) noexcept {
  static auto* real = next_function<int(int, const char*, int, const char*, unsigned)>("renameat2");
  const int error = faults.rename ? faults.rename() : 0;
  if (error != 0 && faults.does_rename_before_it_fails) real(from_fd, from, to_fd, to, flags);
  return error != 0 ? failed(error) : real(from_fd, from, to_fd, to, flags);
}

int linkat(int from_fd, const char* from, int to_fd, const char* to, int flags) noexcept {
  static auto* real = next_function<int(int, const char*, int, const char*, int)>("linkat");
  const int error = faults.link ? faults.link() : 0;
  return error != 0 ? failed(error) : real(from_fd, from, to_fd, to, flags);
}

int fsync(int fd) {
  static auto* real = next_function<int(int)>("fsync");
  const int error = faults.fsync ? faults.fsync(fd) : 0;
  return error != 0 ? failed(error) : real(fd);
}

int close(int fd) {
  static auto* real = next_function<int(int)>("close");
  const int result = real(fd);
  const int error = faults.close ? faults.close() : 0;
  return error != 0 ? failed(error) : result;
}

ssize_t write(int fd, const void* bytes, std::size_t size) {
  static auto* real = next_function<ssize_t(int, const void*, std::size_t)>("write");
  const int error = faults.write ? faults.write(size) : 0;
  return error != 0 ? failed(error) : real(fd, bytes, size);
}

int inotify_init1(int flags) noexcept {
  static auto* real = next_function<int(int)>("inotify_init1");
  const int error = faults.inotify_init ? faults.inotify_init() : 0;
  return error != 0 ? failed(error) : real(flags);
}

int inotify_add_watch(int fd, const char* path, std::uint32_t mask) noexcept {
  static auto* real = next_function<int(int, const char*, std::uint32_t)>("inotify_add_watch");
  const int error = faults.inotify_add ? faults.inotify_add() : 0;
  return error != 0 ? failed(error) : real(fd, path, mask);
}

int fcntl64(int fd, int command, ...) {
  static auto* real = next_function<int(int, int, long)>("fcntl64");
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);
  va_end(list);
  const int error = command == F_SETLEASE && faults.lease ? faults.lease() : 0;
  return error != 0 ? failed(error) : real(fd, command, argument);
}

}  // extern "C"

namespace filecall::spool {
namespace {

class FaultsTest : public testing::Test {
 protected:
  ~FaultsTest() override { faults = {}; }
  Result<Publication> publish(Durability durability = Durability::kFull) {
    return publish_new({directories_->worker_tmp.get(), ".t", directories_->responses.get(),
                        "a.json", "bytes", durability});
  }
  bool is_clean() const { return count_entries(root_.layout().worker_tmp()) == 0; }
  std::string answer() const { return read_text(root_.layout().response("a")); }

  TemporaryRoot root_;
  std::shared_ptr<const Directories> directories_ = root_.open().directories();
};

TEST_F(FaultsTest, PublishesByLinkWhereTheFlagIsRefused) {
  for (const int error : {EINVAL, ENOSYS, ENOTSUP}) {
    faults.rename = always(error);
    ASSERT_EQ(*publish(), Publication::kPublished) << error;
    EXPECT_EQ(answer(), "bytes");
    EXPECT_TRUE(is_clean());
    EXPECT_EQ(*publish(), Publication::kAlreadyThere) << "nor does a link overwrite";
    EXPECT_TRUE(is_clean());
    std::filesystem::remove(root_.layout().response("a"));
  }
}

TEST_F(FaultsTest, BelievesTheDirectoryAndNotTheErrorOfARename) {
  faults.does_rename_before_it_fails = true;
  for (const int error : {EIO, EEXIST, ETIMEDOUT}) {
    faults.rename = once(error);
    const auto published = publish();
    ASSERT_TRUE(published) << error;
    EXPECT_EQ(*published, Publication::kPublished);
    EXPECT_EQ(answer(), "bytes");
    std::filesystem::remove(root_.layout().response("a"));
  }
}

TEST_F(FaultsTest, FailsCleanlyWhenNothingCanBeRenamedOrLinked) {
  faults.rename = always(EIO);
  EXPECT_FALSE(publish());
  faults.rename = always(EINVAL);
  faults.link = always(EPERM);
  EXPECT_FALSE(publish());
  EXPECT_TRUE(is_clean());
  EXPECT_FALSE(exists(root_.layout().response("a")));
}

TEST_F(FaultsTest, NeverSyncsADescriptorAgainAfterItFailed) {
  int calls = 0;
  faults.fsync = [&](int) { return ++calls == 1 ? EIO : 0; };
  const auto published = publish(Durability::kFile);
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(is_clean());
  EXPECT_FALSE(exists(root_.layout().response("a"))) << "what was not synced is not shown";
  EXPECT_EQ(*publish(Durability::kFile), Publication::kPublished) << "a fresh file may succeed";
}

TEST_F(FaultsTest, ContinuesAfterShortAndInterruptedWrites) {
  int calls = 0;
  faults.write = [&](std::size_t& size) {
    size = 1;
    return ++calls % 2 == 0 ? EINTR : 0;
  };
  ASSERT_EQ(*publish(), Publication::kPublished);
  EXPECT_EQ(answer(), "bytes");
}

TEST_F(FaultsTest, PublishesNothingWhenTheDiskIsFull) {
  int calls = 0;
  faults.write = [&](std::size_t& size) {
    size = 2;
    return ++calls > 1 ? ENOSPC : 0;
  };
  const auto published = publish();
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(is_clean());
  faults.write = {};
  EXPECT_EQ(*publish(), Publication::kPublished);
}

TEST_F(FaultsTest, TakesAFailedCloseForAFailedWrite) {
  faults.close = once(EDQUOT);
  EXPECT_FALSE(publish());
  EXPECT_FALSE(exists(root_.layout().response("a")));
  EXPECT_TRUE(is_clean());
}

TEST_F(FaultsTest, KeepsAnAnswersStartRecordOnAFullDisk) {
  OpenMedium files(root_, Durability::kNone);
  RootMedium& medium = files.medium;
  const StartRecordName record{"a", 1, Effects::kExternal};
  ASSERT_TRUE(medium.record_start(record, "{}"));
  faults.write = [](std::size_t&) { return ENOSPC; };
  EXPECT_FALSE(medium.publish("a", "{}", record));
  faults.write = {};
  EXPECT_EQ(recover_start_records(*directories_, Durability::kNone).value(), std::vector{record});
  EXPECT_EQ(*medium.publish("a", "{}", record), Publication::kPublished);
}

TEST_F(FaultsTest, PollsWhenThereIsNoInotifyInstanceOrWatch) {
  Root root = root_.open();
  faults.inotify_init = always(EMFILE);
  const SpoolWatch without(root, {kAppearedMask, kVanishedMask});
  EXPECT_EQ(without.mode(), WatchMode::kPoll);
  EXPECT_EQ(without.poll_fd(), -1);
  EXPECT_THAT(without.reason(), testing::HasSubstr("max_user_instances"));
  faults.inotify_init = {};
  faults.inotify_add = always(ENOSPC);
  const SpoolWatch full(root, {kAppearedMask, kVanishedMask});
  EXPECT_EQ(full.mode(), WatchMode::kPoll);
  EXPECT_THAT(full.reason(), testing::HasSubstr("max_user_watches"));
}

TEST_F(FaultsTest, SettlesByTimeAloneWhereLeasesAreRefused) {
  faults.lease = always(EACCES);
  ReaderDriver driver(root_);
  const UniqueFd fd(::open(root_.layout().request("a").c_str(), O_CREAT | O_WRONLY, 0600));
  ASSERT_EQ(::write(fd.get(), "{", 1), 1);
  ASSERT_TRUE(driver.until_taken("a"));
  EXPECT_TRUE(driver.is_fault("a"));
}

TEST_F(FaultsTest, LooksAgainWhenAMissedEventShowsInAScan) {
  ReaderDriver driver(root_);
  ASSERT_TRUE(driver.until_drained());
  // A file that arrives through another layer: here, its event is taken away before it is read.
  write_text(root_.layout().request("a"), request_text("a"));
  char events[4096];
  ASSERT_GT(::read(driver.reader().poll_fd(), events, sizeof events), 0);
  driver.reader().on_wake(monotonic_now() + seconds(6));  // The timer's scan.
  ASSERT_TRUE(driver.until_taken("a"));
  EXPECT_EQ(driver.reader().watch_mode(), WatchMode::kPoll);
  EXPECT_THAT(driver.reader().watch_reason(), testing::HasSubstr("no event"));
}

}  // namespace
}  // namespace filecall::spool
