// SPDX-License-Identifier: MIT
// What a power cut leaves, made by hand: a journal of another boot beside the files.
#include "spool/journal_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "spool/identify.h"
#include "spool/journal.h"
#include "spool/start_records.h"
#include "temporary_root.h"

namespace filecall::spool {
namespace {

constexpr std::int64_t kWrittenAt = 1'700'000'000'123'456'789;
constexpr std::uint64_t kLap = 99;

std::string answer_of(const std::string& stem, const std::string& data) {
  return R"({"request_id":")" + stem + R"(","status":"success","data":")" + data + "\"}\n";
}

class JournalRepair : public testing::Test {
 protected:
  JournalRepair() : root_(where_.open()) {}

  void log(RecordKind kind, const std::string& name, const std::string& bytes) {
    append_record(records_, kLap, {kind, ++sequence_, kWrittenAt, name, bytes});
  }
  void log_answer(const std::string& stem, const std::string& data = "1") {
    write_text(layout().request(stem), request_text(stem));
    log(RecordKind::kAnswer, stem, answer_of(stem, data));
  }
  void put_log(bool is_same_boot = false, const std::string& name = "1.log") {
    const std::uint64_t medium = medium_of(*root_.directories()) + (is_same_boot ? 0 : 1);
    write_text(journal(name), encode_header({kLap, medium}) + records_ + std::string(4096, '\0'));
  }
  void append_to_hole(const std::string& name, std::int64_t at, const std::string& stem) {
    write_text(layout().request(stem), request_text(stem));
    std::string bytes;
    append_record(bytes, kLap,
                  {RecordKind::kAnswer, ++sequence_, kWrittenAt, stem, answer_of(stem, "2")});
    const UniqueFd fd(::open(journal(name).c_str(), O_WRONLY | O_CLOEXEC));
    const ssize_t written = ::pwrite(fd.get(), bytes.data(), bytes.size(), at);
    ASSERT_EQ(written, static_cast<ssize_t>(bytes.size()));
  }
  void repair() {
    const auto repaired = repair_from_journal(*root_.directories());
    ASSERT_TRUE(repaired) << repaired.error().message;
  }
  void repair_after_power_cut() {
    put_log();
    repair();
    EXPECT_EQ(count_entries(layout().worker_journal()), 0u);
    EXPECT_EQ(count_entries(layout().worker_tmp()), 0u);
  }

  Layout layout() const { return where_.layout(); }
  std::string journal(const std::string& name) { return layout().worker_journal() + "/" + name; }
  std::string response(const std::string& stem) { return read_text(layout().response(stem)); }
  std::string started(const std::string& name) { return layout().worker_started() + "/" + name; }
  std::size_t late() { return count_entries(layout().worker_late()); }

  TemporaryRoot where_;
  Root root_;
  std::string records_;
  std::uint64_t sequence_ = 0;
};

TEST_F(JournalRepair, ReadsASparseJournalWithoutItsHoles) {
  log_answer("first");
  put_log();
  append_to_hole("1.log", std::int64_t{1} << 42, "second");
  repair();
  EXPECT_EQ(response("first"), answer_of("first", "1"));
  EXPECT_EQ(response("second"), answer_of("second", "2"));
  EXPECT_EQ(count_entries(layout().worker_journal()), 0u);
}

TEST_F(JournalRepair, SetsAsideAJournalThatClaimsRecordWithinRecord) {
  std::string one;
  append_record(one, kLap, {RecordKind::kAnswer, 1, 1, "a", std::string(8 << 20, 'x')});
  std::string claims;
  for (int i = 0; i < 2000; ++i) claims += one.substr(0, 48);
  records_ = claims + std::string(8 << 20, 'y');
  put_log();
  repair();
  EXPECT_EQ(count_entries(layout().responses()), 0u);
  EXPECT_TRUE(std::filesystem::exists(journal("1.log.damaged")));
}

TEST_F(JournalRepair, SetsAsideWhatIsNoFile) {
  ASSERT_EQ(::mkfifo(journal("1.log").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("/dev/zero", journal("2.log").c_str()), 0);
  log_answer("good");
  put_log(false, "3.log");
  repair();
  EXPECT_EQ(response("good"), answer_of("good", "1"));
  EXPECT_TRUE(std::filesystem::is_fifo(journal("1.log.damaged")));
}

TEST_F(JournalRepair, LeavesOutNamesThatLeadOutOfTheRoot) {
  const std::string outside = where_.path() + "/outside.json";
  for (const char* name : {"../outside", "../../outside", "/tmp/outside", ".hidden", "", "a/b"}) {
    log(RecordKind::kAnswer, name, answer_of(name, "1"));
    log(RecordKind::kWithdrawn, name, "");
  }
  log(RecordKind::kStart, "../outside.1.external", "{}");
  log_answer("good");
  repair_after_power_cut();
  EXPECT_FALSE(std::filesystem::exists(outside));
  EXPECT_EQ(response("good"), answer_of("good", "1"));
  EXPECT_EQ(count_entries(layout().responses()), 1u);
  EXPECT_EQ(count_entries(layout().worker_started()), 0u);
}

TEST_F(JournalRepair, RestoresWhatIsMissingEmptyOrTorn) {
  const std::string bytes = answer_of("a", "1");
  for (const std::string& found : {std::string("-"), std::string(), bytes.substr(0, 20),
                                   std::string(bytes.size(), '\0'), bytes}) {
    records_.clear();
    log_answer("a");
    ::unlink(layout().response("a").c_str());
    if (found != "-") write_text(layout().response("a"), found);
    repair_after_power_cut();
    EXPECT_EQ(response("a"), bytes) << "found: " << found;
  }
  EXPECT_EQ(late(), 0u);
}

TEST_F(JournalRepair, KeepsTheTimeByWhichAReaderKnowsTheFileAgain) {
  log_answer("a");
  repair_after_power_cut();
  struct stat info {};
  ASSERT_EQ(::stat(layout().response("a").c_str(), &info), 0);
  EXPECT_EQ(identify(info).mtime_ns, kWrittenAt);
  EXPECT_TRUE(identify(info).is_restored);
  write_text(layout().response("b"), "{}");
  ASSERT_EQ(::stat(layout().response("b").c_str(), &info), 0);
  EXPECT_FALSE(identify(info).is_restored);
}

TEST_F(JournalRepair, LetsTheLastWordCount) {
  log_answer("a", "first");
  log_answer("b", "only");
  log_answer("a", "second");
  repair_after_power_cut();
  EXPECT_EQ(response("a"), answer_of("a", "second"));
  EXPECT_EQ(response("b"), answer_of("b", "only"));
}

TEST_F(JournalRepair, LetsTheLastWordCountThroughAllSegments) {
  log_answer("a", "first");
  put_log(false, "2.log");
  records_.clear();
  log_answer("a", "second");
  put_log(false, "1.log");
  repair();
  EXPECT_EQ(response("a"), answer_of("a", "second"));
}

TEST_F(JournalRepair, BringsBackNothingThatWasWithdrawn) {
  log_answer("a");
  log(RecordKind::kWithdrawn, "a", "");
  log_answer("torn");
  log(RecordKind::kWithdrawn, "torn", "");
  write_text(layout().response("torn"), "");
  repair_after_power_cut();
  EXPECT_FALSE(exists(layout().response("a")));
  EXPECT_FALSE(exists(layout().response("torn"))) << "half an answer is of use to nobody";
}

TEST_F(JournalRepair, BringsBackNothingWhoseRequestIsGone) {
  log_answer("a");
  ::unlink(layout().request("a").c_str());
  repair_after_power_cut();
  EXPECT_EQ(count_entries(layout().responses()), 0u);
}

TEST_F(JournalRepair, DisplacesAnOlderAnswerAndKeepsIt) {
  log_answer("a", "second");
  write_text(layout().response("a"), answer_of("a", "first"));
  const struct timespec times[2] = {{0, UTIME_OMIT}, {1'600'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, layout().response("a").c_str(), times, 0), 0);
  repair_after_power_cut();
  EXPECT_EQ(response("a"), answer_of("a", "second"));
  EXPECT_EQ(read_text(layout().worker_late() + "/a.json"), answer_of("a", "first"));
}

TEST_F(JournalRepair, LeavesANewerAnswerAlone) {
  log_answer("a");
  write_text(layout().response("a"), answer_of("a", "another program's"));
  repair_after_power_cut();
  EXPECT_EQ(response("a"), answer_of("a", "another program's"));
}

TEST_F(JournalRepair, LeavesWhatIsNoFileAlone) {
  log_answer("link");
  log_answer("directory");
  ASSERT_EQ(::symlink("/nowhere", layout().response("link").c_str()), 0);
  ASSERT_EQ(::mkdir(layout().response("directory").c_str(), 0700), 0);
  repair_after_power_cut();
  EXPECT_TRUE(std::filesystem::is_symlink(layout().response("link")));
  EXPECT_TRUE(std::filesystem::is_directory(layout().response("directory")));
}

TEST_F(JournalRepair, EndsAStartWhoseAnswerIsLogged) {
  log(RecordKind::kStart, "a.1.external", "{}\n");
  log_answer("a");
  write_text(started("a.1.external"), answer_of("a", "1").substr(0, 30));
  repair_after_power_cut();
  EXPECT_EQ(response("a"), answer_of("a", "1"));
  EXPECT_EQ(count_entries(layout().worker_started()), 0u);
}

TEST_F(JournalRepair, RemembersAStartThatHasNoAnswer) {
  log_answer("a", "first");  // An error, say; its client deleted it to have another attempt.
  log(RecordKind::kStart, "a.1.external", "{\"starts\":1}\n");
  log(RecordKind::kStart, "b.2.none", "{\"starts\":2}\n");
  write_text(layout().request("b"), request_text("b"));
  write_text(started("b.1.none"), "{\"starts\":1}\n");
  repair_after_power_cut();
  EXPECT_FALSE(exists(layout().response("a")));
  const auto left = recover_start_records(*root_.directories(), Durability::kFull);
  ASSERT_TRUE(left);
  EXPECT_THAT(*left, testing::ElementsAre(StartRecordName{"a", 1, Effects::kExternal},
                                          StartRecordName{"b", 2, Effects::kNone}));
}

TEST_F(JournalRepair, KeepsACompleteAnswerInAStartRecord) {
  // Written, and the power failed before it was logged.
  log(RecordKind::kStart, "a.1.external", "{}\n");
  write_text(layout().request("a"), request_text("a"));
  write_text(started("a.1.external"), answer_of("a", "1"));
  repair_after_power_cut();
  ASSERT_TRUE(recover_start_records(*root_.directories(), Durability::kFull));
  EXPECT_EQ(response("a"), answer_of("a", "1"));
}

TEST_F(JournalRepair, ForgetsAStartThatWasGivenBack) {
  log(RecordKind::kStart, "a.1.external", "{}\n");
  log(RecordKind::kWithdrawn, "a", "");
  write_text(layout().request("a"), request_text("a"));
  write_text(started("a.1.external"), "{}\n");
  repair_after_power_cut();
  EXPECT_EQ(count_entries(layout().worker_started()), 0u);
}

TEST_F(JournalRepair, UnderTheSameBootBringsBackNothing) {
  log_answer("deleted");
  log_answer("there");
  write_text(layout().response("there"), answer_of("there", "1"));
  put_log(true);
  repair();
  EXPECT_FALSE(exists(layout().response("deleted"))) << "its client wants another attempt";
  EXPECT_EQ(response("there"), answer_of("there", "1"));
  EXPECT_EQ(count_entries(layout().worker_journal()), 0u);
}

TEST_F(JournalRepair, ReadsUpToAHalfWrittenTail) {
  log_answer("a");
  const std::size_t whole = records_.size();
  log_answer("b");
  records_.resize(whole + 60);
  repair_after_power_cut();
  EXPECT_TRUE(exists(layout().response("a")));
  EXPECT_FALSE(exists(layout().response("b")));
}

TEST_F(JournalRepair, TakesRecordsBehindATornOne) {
  log_answer("a");
  const std::size_t whole = records_.size();
  log_answer("b");
  records_.replace(4, whole - 16, whole - 16, '\0');
  repair_after_power_cut();
  EXPECT_FALSE(exists(layout().response("a")));
  EXPECT_TRUE(exists(layout().response("b")));
}

TEST_F(JournalRepair, SetsAsideWhatIsNoJournal) {
  write_text(journal("3.log"), std::string(9000, 'x'));
  write_text(journal("notes.txt"), "mine");
  repair();
  EXPECT_EQ(read_text(journal("3.log.damaged")), std::string(9000, 'x'));
  EXPECT_EQ(read_text(journal("notes.txt")), "mine");
  repair();
  Journal journal(root_.directories());
  ASSERT_TRUE(journal.make_room());
  EXPECT_TRUE(exists(this->journal("4.log"))) << "no number is used twice";
  ASSERT_TRUE(journal.rest());
}

TEST_F(JournalRepair, RemovesASegmentThatWasNeverBegun) {
  write_text(journal("1.log"), "");
  write_text(journal("2.log"), encode_header({1, 2}).substr(0, 17));
  write_text(journal("3.log"), std::string(300000, '\0'));
  repair();
  EXPECT_EQ(count_entries(layout().worker_journal()), 0u);
}

TEST_F(JournalRepair, TwiceIsAsGoodAsOnce) {
  log_answer("a");
  log(RecordKind::kStart, "b.1.external", "{}\n");
  write_text(layout().request("b"), request_text("b"));
  for (int i = 0; i < 2; ++i) {
    repair_after_power_cut();
    EXPECT_EQ(response("a"), answer_of("a", "1"));
    EXPECT_TRUE(exists(started("b.1.external")));
  }
  EXPECT_EQ(late(), 0u);
}

TEST_F(JournalRepair, IsDoneWhateverDurabilityTheNextWorkerHas) {
  for (const Durability durability :
       {Durability::kFull, Durability::kFile, Durability::kNone, Durability::kJournal}) {
    log_answer("a");
    ::unlink(layout().response("a").c_str());
    put_log();
    const OpenMedium files(where_, durability);
    EXPECT_EQ(response("a"), answer_of("a", "1"));
    EXPECT_EQ(count_entries(layout().worker_journal()), 0u);
  }
}

TEST_F(JournalRepair, WorksWhereNoRenameCanPublish) {
  const auto shared = root_.directories();
  Directories other;
  other.requests = UniqueFd(::dup(shared->requests.get()));
  other.responses = UniqueFd(::dup(shared->responses.get()));
  other.worker_started = UniqueFd(::dup(shared->worker_started.get()));
  other.worker_journal = UniqueFd(::dup(shared->worker_journal.get()));
  other.staging_is_shared = false;
  log(RecordKind::kStart, "a.1.external", "{}\n");
  log_answer("a");
  write_text(started("a.1.external"), "{}\n");
  put_log(true);
  ASSERT_TRUE(repair_from_journal(other));
  EXPECT_EQ(response("a"), answer_of("a", "1")) << "logged, not published: the process was killed";
  EXPECT_EQ(count_entries(layout().worker_started()), 0u);
  EXPECT_EQ(count_entries(layout().responses()), 1u);
}

}  // namespace
}  // namespace filecall::spool
