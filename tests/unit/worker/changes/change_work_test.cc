// SPDX-License-Identifier: MIT
#include "worker/changes/change_work.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "worker/changes/settlement.h"
#include "worker/changes/step_files.h"

namespace filecall::worker::changes {
namespace {

namespace fs = std::filesystem;

/// A tree with a file that is replaced, one that is removed, and a place for one that is created.
class ChangeWorkTest : public testing::Test {
 protected:
  ChangeWorkTest() {
    std::string name = testing::TempDir() + "/changesXXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(folder_ / "tree");
    fs::create_directory(folder_ / "worker");
    reset();
  }
  ~ChangeWorkTest() override { fs::remove_all(folder_); }

  void reset() {
    fs::remove_all(folder_ / "tree");
    fs::remove_all(records());
    fs::create_directory(folder_ / "tree");
    put("a.txt", "old\n");
    put("g.txt", "gone\n");
    before_ = tree();
    set_ = {"r-1",
            {{StepKind::kReplace, "a.txt", top(), "a.txt", ".aside-0", mark_of("old\n"),
              mark_of("new\n")},
             {StepKind::kCreate,
              "n/m/c.txt",
              top() + "/n/m",
              "c.txt",
              ".aside-1",
              {},
              mark_of("created\n")},
             {StepKind::kRemove, "g.txt", top(), "g.txt", ".aside-2", mark_of("gone\n"), {}}},
            {top() + "/n", top() + "/n/m"},
            {},
            {{"answer", 1}}};
    after_ = {{"a.txt", "new\n"}, {"n/", ""}, {"n/m/", ""}, {"n/m/c.txt", "created\n"}};
    const auto open =
        std::make_shared<const UniqueFd>(::open(top().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    directories_ = {open, open, open};
  }

  ChangeWork work() {
    return {set_,
            directories_,
            {"", "n/m", ""},
            [this](std::size_t step, int directory) { return write_aside(step, directory); },
            [this] { return is_cancelled_; }};
  }
  Result<void> write_aside(std::size_t step, int directory) {
    if (on_write_) on_write_(step);
    if (fail_at_ == static_cast<int>(step)) return fail(ErrorCode::kResourceExhausted, "full");
    const UniqueFd file(::openat(directory, set_.steps[step].aside.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    const std::string text = step == 0 ? "new\n" : "created\n";
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), std::ssize(text));
    return {};
  }

  std::string top() const { return folder_ / "tree"; }
  std::string records() const { return folder_ / "worker/changes"; }
  void put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / "tree" / name) << text;
  }
  /// Names below the tree with their contents.
  std::map<std::string, std::string> tree() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "tree")) {
      const std::string name = fs::relative(entry.path(), folder_ / "tree");
      std::ostringstream text;
      if (entry.is_regular_file()) text << std::ifstream(entry.path()).rdbuf();
      found[name + (entry.is_directory() ? "/" : "")] = text.str();
    }
    return found;
  }
  std::optional<ChangeEnd> recorded() const {
    const auto journal = ChangeJournalFile::open(records(), "r-1");
    return journal ? journal->record().end : std::nullopt;
  }

  fs::path folder_;
  ChangeSet set_;
  std::vector<StepDirectory> directories_;
  std::map<std::string, std::string> before_, after_;
  std::function<void(std::size_t)> on_write_;
  int fail_at_ = -1;
  bool is_cancelled_ = false;
};

TEST_F(ChangeWorkTest, MakesAllChangesAndLeavesNothingBeside) {
  ASSERT_TRUE(make_changes(records(), work()));
  EXPECT_EQ(tree(), after_);
  EXPECT_EQ(recorded(), ChangeEnd::kMade);
  // The next start has nothing to do.
  auto journal = ChangeJournalFile::open(records(), "r-1");
  ASSERT_TRUE(journal);
  EXPECT_EQ(finish_changes(*journal).end, ChangeEnd::kMade);
  EXPECT_EQ(tree(), after_);
  // A record of an earlier attempt that ended is in nobody's way.
  fs::remove_all(folder_ / "tree/n");
  put("a.txt", "old\n");
  put("g.txt", "gone\n");
  EXPECT_TRUE(make_changes(records(), work()));
  EXPECT_EQ(requests_with_records(records()).value(), std::vector<std::string>{"r-1"});
  EXPECT_TRUE(remove_record(records(), "r-1"));
  EXPECT_TRUE(requests_with_records(records()).value().empty());
}

TEST_F(ChangeWorkTest, AFailureOnTheWayLeavesAllAsBefore) {
  for (fail_at_ = 0; fail_at_ < 2; ++fail_at_) {
    reset();
    const auto done = make_changes(records(), work());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().error.message, "full");
    EXPECT_TRUE(done.error().torn.empty());
    EXPECT_EQ(tree(), before_);
    EXPECT_EQ(recorded(), ChangeEnd::kUndone);
  }
  fail_at_ = -1;
  reset();
  is_cancelled_ = true;
  const auto done = make_changes(records(), work());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().error.code, ErrorCode::kCancelled);
  EXPECT_EQ(tree(), before_);
}

TEST_F(ChangeWorkTest, WhatSomebodyChangesMeanwhileIsKept) {
  const std::pair<std::string, std::string> rows[] = {
      {"a.txt", "theirs\n"}, {"g.txt", "theirs\n"}, {"n/m/c.txt", "theirs\n"}};
  for (const auto& row : rows) {
    const auto& name = row.first;  // clang 14 captures no structured binding.
    const auto& text = row.second;
    reset();
    on_write_ = [&, this](std::size_t step) {
      if (step == 1) put(name, text);
    };
    const auto done = make_changes(records(), work());
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().error.code, ErrorCode::kFailedPrecondition);
    EXPECT_TRUE(done.error().torn.empty());
    auto expected = before_;
    expected[name] = text;
    if (name.starts_with("n/")) expected["n/"] = expected["n/m/"] = "";
    EXPECT_EQ(tree(), expected);
  }
}

TEST_F(ChangeWorkTest, ADirectoryThatSomebodyElseMadeStays) {
  fs::create_directory(folder_ / "tree/n");
  const auto done = make_changes(records(), work());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().error.code, ErrorCode::kFailedPrecondition);
  before_["n/"] = "";
  EXPECT_EQ(tree(), before_);
}

/// The operations of make_changes() one by one, cut off after each.
TEST_F(ChangeWorkTest, AnInterruptedSetIsFinishedAtTheNextStart) {
  int ends[2] = {0, 0};
  for (int cut = 0; cut <= 11; ++cut) {
    reset();
    auto begun = ChangeJournalFile::begin(records(), set_);
    ASSERT_TRUE(begun);
    int done = 0;
    const auto step = [&](const auto& operation) {
      if (done++ < cut) operation();
    };
    const auto act = [&](std::size_t i, StepAct what) {
      step([&] {
        const auto directory = open_directory(set_.steps[i].directory);
        ASSERT_TRUE(directory && perform_act(directory->get(), set_.steps[i], what));
      });
    };
    step([&] { put(".aside-0", "new\n"); });
    step([&] { fs::create_directory(folder_ / "tree/n"); });
    step([&] { fs::create_directory(folder_ / "tree/n/m"); });
    step([&] { put("n/m/.aside-1", "created\n"); });
    act(0, StepAct::kExchange);
    act(1, StepAct::kReveal);
    act(2, StepAct::kWithdraw);
    step([&] { ASSERT_TRUE(begun->end(ChangeEnd::kMade)); });
    act(0, StepAct::kDrop);
    act(2, StepAct::kDrop);
    auto journal = ChangeJournalFile::open(records(), "r-1");
    ASSERT_TRUE(journal);
    const ChangeEnd end = finish_changes(*journal).end;
    ASSERT_NE(end, ChangeEnd::kTorn) << cut;
    EXPECT_EQ(tree(), end == ChangeEnd::kMade ? after_ : before_) << cut;
    EXPECT_EQ(recorded(), end);
    ++ends[end == ChangeEnd::kMade ? 1 : 0];
  }
  EXPECT_EQ(ends[0], 7);
  EXPECT_EQ(ends[1], 5);
}

TEST_F(ChangeWorkTest, ARenameThatAPowerCutLeftAtBothNamesIsTakenBack) {
  ASSERT_TRUE(ChangeJournalFile::begin(records(), set_));
  put(".aside-0", "new\n");
  fs::create_directories(folder_ / "tree/n/m");
  put("n/m/.aside-1", "created\n");
  fs::create_hard_link(folder_ / "tree/n/m/.aside-1", folder_ / "tree/n/m/c.txt");
  auto journal = ChangeJournalFile::open(records(), "r-1");
  ASSERT_TRUE(journal);
  EXPECT_EQ(finish_changes(*journal).end, ChangeEnd::kUndone);
  EXPECT_EQ(tree(), before_);
}

TEST_F(ChangeWorkTest, AWatchedNameTellsWhetherItWasGiven) {
  for (const std::string text : {"old\n", "new\n", "other\n", ""}) {
    reset();
    set_.steps.resize(1);
    set_.steps[0].kind = StepKind::kWatch;
    set_.steps[0].aside.clear();
    set_.makes.clear();
    ASSERT_TRUE(ChangeJournalFile::begin(records(), set_));
    text.empty() ? static_cast<void>(fs::remove(folder_ / "tree/a.txt")) : put("a.txt", text);
    const auto left = tree();
    auto journal = ChangeJournalFile::open(records(), "r-1");
    ASSERT_TRUE(journal);
    const ChangeEnd end = finish_changes(*journal).end;
    EXPECT_EQ(end, text == "old\n"   ? ChangeEnd::kUndone
                   : text == "new\n" ? ChangeEnd::kMade
                                     : ChangeEnd::kTorn);
    EXPECT_EQ(tree(), left) << "nothing is moved";
  }
}

TEST_F(ChangeWorkTest, WhatCanGoNeitherWayIsNamed) {
  ASSERT_TRUE(ChangeJournalFile::begin(records(), set_));
  // Its first step was made, then somebody changed both that file and the one that was to go.
  put(".aside-0", "old\n");
  put("a.txt", "theirs\n");
  put("g.txt", "theirs, too\n");
  const auto there = tree();
  auto journal = ChangeJournalFile::open(records(), "r-1");
  ASSERT_TRUE(journal);
  const FinishedChanges torn = finish_changes(*journal);
  EXPECT_EQ(torn.end, ChangeEnd::kTorn);
  ASSERT_EQ(torn.files.size(), 3U);
  EXPECT_EQ(torn.files[0],
            "a.txt: somebody changed it; its old content lies in " + top() + "/.aside-0");
  EXPECT_EQ(torn.files[1], "n/m/c.txt: as before, it is not there");
  EXPECT_EQ(torn.files[2], "g.txt: somebody changed it");
  EXPECT_EQ(tree(), there);
  EXPECT_EQ(recorded(), ChangeEnd::kTorn);
}

TEST_F(ChangeWorkTest, LinksDirectoriesAndFifosAreSomebodyElses) {
  const UniqueFd top_fd(::open(top().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  fs::remove(folder_ / "tree/a.txt");
  put("target", "old\n");
  fs::create_symlink("target", folder_ / "tree/a.txt");
  EXPECT_EQ(look_at(top_fd.get(), "a.txt", set_.steps[0]), Holds::kOther);
  EXPECT_EQ(look_at(top_fd.get(), "target", set_.steps[0]), Holds::kOld);
  EXPECT_EQ(look_at(top_fd.get(), "none", set_.steps[0]), Holds::kNothing);
  ASSERT_EQ(::mkfifo((top() + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(look_at(top_fd.get(), "fifo", set_.steps[0]), Holds::kOther);
  fs::create_directory(folder_ / "tree/d");
  EXPECT_EQ(look_at(top_fd.get(), "d", set_.steps[0]), Holds::kOther);
  // A directory that a link leads to is not the one that was meant.
  fs::create_directory_symlink("d", folder_ / "tree/link");
  EXPECT_FALSE(open_directory(top() + "/link"));
  EXPECT_TRUE(open_directory(top() + "/d"));
}

}  // namespace
}  // namespace filecall::worker::changes
