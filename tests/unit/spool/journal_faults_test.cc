// SPDX-License-Identifier: MIT
// The journal on a disk that fails: this program's own definitions of libc functions stand before
// libc's, fail when told to, and pass on otherwise.
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "libc_faults.h"
#include "spool/journal.h"
#include "spool/journal_repair.h"
#include "temporary_root.h"

namespace {

struct Faults {
  std::function<int()> fdatasync;  ///< Each returns an errno, or 0: pass on.
  std::function<int()> syncfs;
  std::function<int()> pwrite;
  std::function<int()> rename;
  int syncs_of_files = 0;
};
Faults faults;

}  // namespace

extern "C" {

int fdatasync(int fd) {
  static auto* real = next_function<int(int)>("fdatasync");
  const int error = faults.fdatasync ? faults.fdatasync() : 0;
  return error != 0 ? failed(error) : real(fd);
}

int fsync(int fd) {
  static auto* real = next_function<int(int)>("fsync");
  ++faults.syncs_of_files;
  return real(fd);
}

int syncfs(int fd) noexcept {
  static auto* real = next_function<int(int)>("syncfs");
  const int error = faults.syncfs ? faults.syncfs() : 0;
  return error != 0 ? failed(error) : real(fd);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  static auto* real = next_function<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  const int error = faults.pwrite ? faults.pwrite() : 0;
  return error != 0 ? failed(error) : real(fd, bytes, size, at);
}

int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) noexcept {
  static auto* real = next_function<int(int, const char*, int, const char*, unsigned)>("renameat2");
  const int error = faults.rename ? faults.rename() : 0;
  return error != 0 ? failed(error) : real(from_fd, from, to_fd, to, flags);
}

}  // extern "C"

namespace filecall::spool {
namespace {

class JournalFaults : public testing::Test {
 protected:
  void SetUp() override { files_ = std::make_unique<OpenMedium>(where_, Durability::kJournal); }
  void TearDown() override { faults = {}; }

  static std::string answer_of(const std::string& stem) {
    return R"({"request_id":")" + stem + R"(","status":"success","data":1})";
  }
  bool commit(const std::string& stem, std::optional<StartRecordName> record = {}) {
    PendingWrite write{stem, answer_of(stem), std::move(record)};
    commit_group(medium(), {&write, 1});
    return write.result.has_value();
  }
  bool is_published(const std::string& stem) {
    return read_text(layout().response(stem)) == answer_of(stem);
  }
  std::string segment(int number) {
    return layout().worker_journal() + "/" + Layout::journal_segment_name(number);
  }
  Layout layout() const { return where_.layout(); }
  RootMedium& medium() { return files_->medium; }

  TemporaryRoot where_;
  std::unique_ptr<OpenMedium> files_;
};

TEST_F(JournalFaults, AnAnswerIsNotVisibleBeforeItsLogIsSynced) {
  ASSERT_TRUE(commit("first"));
  bool was_visible = false;
  faults.fdatasync = [&] {
    was_visible |= exists(layout().response("a"));
    return 0;
  };
  ASSERT_TRUE(commit("a"));
  EXPECT_FALSE(was_visible);
  EXPECT_TRUE(is_published("a"));
}

TEST_F(JournalFaults, AFailedSyncPublishesNothingAndIsNotRepeatedOnThatFile) {
  ASSERT_TRUE(commit("a"));
  faults.fdatasync = once(EIO);
  EXPECT_FALSE(commit("b"));
  EXPECT_FALSE(exists(layout().response("b")));
  EXPECT_EQ(count_entries(layout().worker_tmp()), 0u);
  ASSERT_TRUE(commit("b"));
  EXPECT_TRUE(is_published("b"));
  EXPECT_TRUE(exists(segment(2))) << "a new file";
  EXPECT_TRUE(exists(segment(1))) << "holds the first answer until a checkpoint";
  EXPECT_TRUE(medium().wants_checkpoint());
  ASSERT_TRUE(medium().checkpoint());
  EXPECT_FALSE(exists(segment(1))) << "never used again";
}

TEST_F(JournalFaults, AFailedWriteIsTriedInANewFile) {
  ASSERT_TRUE(commit("a"));
  faults.pwrite = once(ENOSPC);
  EXPECT_FALSE(commit("b"));
  ASSERT_TRUE(commit("b"));
  EXPECT_TRUE(is_published("b"));
  ASSERT_TRUE(medium().rest());
  EXPECT_EQ(count_entries(layout().worker_journal()), 0u);
}

TEST_F(JournalFaults, AFullDiskFailsEveryAttemptUntilThereIsRoom) {
  const StartRecordName record{"a", 1, Effects::kExternal};
  faults.pwrite = always(ENOSPC);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(commit("a", record));
  EXPECT_FALSE(exists(layout().response("a")));
  EXPECT_LE(count_entries(layout().worker_journal()), 2u) << "attempts do not pile up files";
  faults.pwrite = nullptr;
  EXPECT_TRUE(commit("a", record));
  EXPECT_TRUE(is_published("a"));
}

TEST_F(JournalFaults, AFailedRenameFailsOnlyItsAnswer) {
  faults.rename = once(EIO);
  PendingWrite writes[2] = {{"a", answer_of("a"), {}}, {"b", answer_of("b"), {}}};
  commit_group(medium(), writes);
  EXPECT_FALSE(writes[0].result);
  EXPECT_TRUE(writes[1].result);
  EXPECT_TRUE(commit("a"));
  EXPECT_TRUE(is_published("a"));
  EXPECT_EQ(count_entries(layout().worker_tmp()), 0u);
}

TEST_F(JournalFaults, AFailedCheckpointWritesTheAnswersAgain) {
  ASSERT_TRUE(commit("a"));
  ASSERT_TRUE(commit("deleted"));
  ASSERT_EQ(::unlink(layout().response("deleted").c_str()), 0);
  const auto before = std::filesystem::last_write_time(layout().response("a"));
  faults.syncfs = once(EIO);
  faults.syncs_of_files = 0;
  ASSERT_TRUE(medium().checkpoint());
  EXPECT_GE(faults.syncs_of_files, 2) << "the file and the directory, one by one";
  EXPECT_TRUE(is_published("a"));
  EXPECT_EQ(std::filesystem::last_write_time(layout().response("a")), before);
  EXPECT_FALSE(exists(layout().response("deleted")));
  EXPECT_FALSE(medium().has_journal());
}

TEST_F(JournalFaults, ACheckpointThatCannotBeDoneKeepsTheLog) {
  ASSERT_TRUE(commit("a"));
  faults.syncfs = always(EIO);
  faults.fdatasync = always(EIO);
  ASSERT_TRUE(medium().checkpoint()) << "written again, file by file; the log's file is given up";
  EXPECT_FALSE(exists(segment(1)));
  faults.fdatasync = nullptr;
  ASSERT_TRUE(commit("b"));
  ASSERT_EQ(::chmod(layout().response("b").c_str(), 0), 0);
  if (::geteuid() == 0) return;  // Root reads everything.
  EXPECT_FALSE(medium().checkpoint());
  EXPECT_TRUE(exists(segment(2)));
}

TEST_F(JournalFaults, ARepairThatCannotBeSyncedKeepsTheLog) {
  ASSERT_TRUE(commit("a"));
  files_.reset();
  faults.syncfs = always(EIO);
  EXPECT_FALSE(repair_from_journal(*where_.open().directories()));
  EXPECT_TRUE(exists(segment(1)));
  faults.syncfs = nullptr;
  EXPECT_TRUE(repair_from_journal(*where_.open().directories()));
  EXPECT_FALSE(exists(segment(1)));
}

}  // namespace
}  // namespace filecall::spool
