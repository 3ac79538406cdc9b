// SPDX-License-Identifier: MIT
#include "spool/root_reader.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "temporary_root.h"

namespace filecall::spool {
namespace {

/// Every way of dropping a file must work with events and by polling.
class RootReaderTest : public testing::TestWithParam<bool> {
 protected:
  RootReaderTest() : driver_(root_, options()) {}
  static RootReaderOptions options() {
    auto out = ReaderDriver::defaults();
    out.force_poll = GetParam();
    return out;
  }
  std::string path(const std::string& stem) { return root_.layout().request(stem); }
  void drop(const std::string& stem) { write_text(path(stem), request_text(stem)); }

  TemporaryRoot root_;
  ReaderDriver driver_;
};
INSTANTIATE_TEST_SUITE_P(Modes, RootReaderTest, testing::Bool(),
                         [](const auto& row) { return row.param ? "Poll" : "Inotify"; });

TEST_P(RootReaderTest, FindsWhatWasThereBefore) {
  for (int i = 0; i < 300; ++i) drop(std::to_string(i));
  write_text(root_.layout().response("7"), "{}");
  ASSERT_TRUE(driver_.until_drained());
  EXPECT_EQ(driver_.taken().size(), 299u);
  EXPECT_FALSE(driver_.taken().contains("7"));
  EXPECT_FALSE(driver_.is_fault("1"));
  EXPECT_EQ(driver_.last().at("1").bytes, request_text("1").size());
}

TEST_P(RootReaderTest, NoticesEveryWayOfPublishing) {
  ASSERT_TRUE(driver_.until_drained());
  drop("written");
  write_text(root_.path() + "/t1", request_text("moved"));
  std::filesystem::rename(root_.path() + "/t1", path("moved"));
  write_text(root_.path() + "/t2", request_text("linked"));
  std::filesystem::create_hard_link(root_.path() + "/t2", path("linked"));
  const UniqueFd fd(::open(root_.layout().requests().c_str(), O_TMPFILE | O_WRONLY, 0600));
  ASSERT_TRUE(fd.is_open());
  const std::string text = request_text("tmpfile");
  ASSERT_EQ(::write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  const std::string self = "/proc/self/fd/" + std::to_string(fd.get());
  ASSERT_EQ(::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path("tmpfile").c_str(), AT_SYMLINK_FOLLOW),
            0);
  for (const char* stem : {"written", "moved", "linked", "tmpfile"}) {
    EXPECT_TRUE(driver_.until_taken(stem)) << stem;
    EXPECT_FALSE(driver_.is_fault(stem)) << stem;
  }
  driver_.run_for(milliseconds(60));
  for (const auto& [stem, times] : driver_.taken()) EXPECT_EQ(times, 1) << stem;
}

TEST_P(RootReaderTest, WaitsForAWriterThatStaysOpen) {
  const UniqueFd fd(::open(path("slow").c_str(), O_CREAT | O_WRONLY, 0600));
  const std::string text = request_text("slow");
  ASSERT_EQ(::write(fd.get(), text.data(), 10), 10);
  driver_.run_for(milliseconds(250));
  EXPECT_FALSE(driver_.taken().contains("slow")) << "half a file, and its writer lives";
  EXPECT_FALSE(driver_.reader().is_drained());
  ASSERT_GT(::write(fd.get(), text.data() + 10, text.size() - 10), 0);
  EXPECT_TRUE(driver_.until_taken("slow")) << "complete, though it is still open";
  EXPECT_FALSE(driver_.is_fault("slow"));
}

TEST_P(RootReaderTest, ReadsWhenTheWriterCloses) {
  UniqueFd fd(::open(path("late").c_str(), O_CREAT | O_WRONLY, 0600));
  driver_.run_for(milliseconds(50));
  const std::string text = request_text("late");
  ASSERT_GT(::write(fd.get(), text.data(), text.size()), 0);
  fd.reset();
  EXPECT_TRUE(driver_.until_taken("late"));
  EXPECT_FALSE(driver_.is_fault("late"));
}

TEST_P(RootReaderTest, AnswersWhatAKilledWriterLeft) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(path("torn").c_str(), O_CREAT | O_WRONLY, 0600);
    if (::write(fd, "{\"request_id\"", 13) != 13) ::_exit(1);
    for (;;) ::pause();
  }
  driver_.run_for(milliseconds(150));
  EXPECT_FALSE(driver_.taken().contains("torn"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(driver_.until_taken("torn"));
  EXPECT_TRUE(driver_.is_fault("torn"));
}

TEST_P(RootReaderTest, GivesAnEmptyFileMoreTime) {
  const MonotonicTime began = monotonic_now();
  write_text(path("empty"), "");
  write_text(path("half"), "{");
  ASSERT_TRUE(driver_.until_taken("half"));
  ASSERT_TRUE(driver_.until_taken("empty"));
  EXPECT_GE(driver_.last().at("half").noticed_at - began, milliseconds(40));
  EXPECT_GE(driver_.last().at("empty").noticed_at - began, milliseconds(320));
  EXPECT_TRUE(driver_.is_fault("empty"));
}

TEST_P(RootReaderTest, AnswersABrokenRuleAtOnce) {
  ASSERT_TRUE(driver_.until_drained());
  write_text(path("wrong"), R"({"request_id":"other","command":"x","params":{}})");
  ASSERT_TRUE(driver_.until_taken("wrong"));
  EXPECT_TRUE(driver_.is_fault("wrong"));
}

TEST_P(RootReaderTest, AnswersAFileThatIsTooLarge) {
  auto small = options();
  small.request_limits.bytes_max = 100;
  const TemporaryRoot root;
  ReaderDriver driver(root, small);
  write_text(root.layout().request("big"), std::string(101, ' '));
  ASSERT_TRUE(driver.until_taken("big"));
  EXPECT_EQ(driver.last().at("big").content.error().kind, RequestFault::Kind::kInvalid);
}

TEST_P(RootReaderTest, LeavesForeignThingsAloneAndCountsThem) {
  ASSERT_TRUE(driver_.until_drained());
  drop("target");
  std::filesystem::create_symlink(path("target"), path("link"));
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(path("directory"));
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
  write_text(root_.layout().requests() + "/notes.txt", "x");
  write_text(root_.layout().requests() + "/.dot.json", "x");
  ASSERT_TRUE(driver_.until([&] { return driver_.reader().ignored() == 5u; }))
      << driver_.reader().ignored();
  ASSERT_TRUE(driver_.until_taken("target"));
  driver_.run_for(milliseconds(60));
  EXPECT_EQ(driver_.taken().size(), 1u);
  EXPECT_EQ(driver_.reader().ignored(), 5u) << "each is counted once";
  EXPECT_TRUE(driver_.reader().is_drained());
  EXPECT_TRUE(exists(path("fifo")));
}

TEST_P(RootReaderTest, TakesARegularFileThatReplacesALink) {
  std::filesystem::create_symlink("/nowhere", path("a"));
  ASSERT_TRUE(driver_.until_drained());
  write_text(root_.path() + "/t", request_text("a"));
  std::filesystem::rename(root_.path() + "/t", path("a"));
  EXPECT_TRUE(driver_.until_taken("a"));
}

TEST_P(RootReaderTest, HandsOutAgainWhenTheResponseIsDeleted) {
  drop("a");
  ASSERT_TRUE(driver_.until_taken("a"));
  driver_.answer("a");
  ASSERT_TRUE(driver_.until_drained());
  driver_.run_for(milliseconds(30));
  EXPECT_EQ(driver_.taken()["a"], 1);
  std::filesystem::remove(root_.layout().response("a"));
  ASSERT_TRUE(driver_.until_taken("a", 2));
  driver_.answer("a");
  std::filesystem::rename(root_.layout().response("a"), root_.path() + "/away");
  EXPECT_TRUE(driver_.until_taken("a", 3)) << "moved out counts as deleted";
}

TEST_P(RootReaderTest, LooksForAnAnswerFirstUnlessARepetitionDoesNoHarm) {
  auto asking = options();
  asking.may_repeat = [](const Request& request) { return request.request_id != "careful"; };
  TemporaryRoot root;
  ReaderDriver driver(root, asking);
  ASSERT_TRUE(driver.until_drained());
  for (const char* stem : {"careful", "broken", "any"}) {
    write_text(root.layout().response(stem), "{}");
    const std::string text = stem == std::string("broken") ? "{]" : request_text(stem);
    write_text(root.layout().request(stem), text);
  }
  write_text(root.layout().request("end"), request_text("end"));
  ASSERT_TRUE(driver.until_taken("end"));
  driver.run_for(milliseconds(100));
  EXPECT_FALSE(driver.taken().contains("careful"));
  EXPECT_FALSE(driver.taken().contains("broken"));
  // A scan compares both directories by itself and knows better.
  ASSERT_EQ(driver.taken().contains("any"), !GetParam());
  if (GetParam()) return;
  const auto published = driver.medium().publish("any", "[]", {});
  EXPECT_EQ(published.value(), Publication::kAlreadyThere);
  driver.reader().release("any", true);
  write_text(root.layout().request("any"), request_text("any"));
  driver.run_for(milliseconds(30));
  EXPECT_EQ(driver.taken()["any"], 1) << "the second time it is remembered";
}

TEST_P(RootReaderTest, RemembersADeletionThatComesWhileItIsHeld) {
  drop("a");
  ASSERT_TRUE(driver_.until_taken("a"));
  ASSERT_TRUE(driver_.medium().publish("a", "{}", {}));
  std::filesystem::remove(root_.layout().response("a"));
  driver_.run_for(milliseconds(20));
  EXPECT_EQ(driver_.taken()["a"], 1) << "held";
  driver_.reader().release("a", true);
  EXPECT_TRUE(driver_.until_taken("a", 2));
}

TEST_P(RootReaderTest, FindsAgainWhatWasGivenBackUnanswered) {
  drop("a");
  ASSERT_TRUE(driver_.until_taken("a"));
  driver_.reader().release("a", false);
  EXPECT_TRUE(driver_.until_taken("a", 2));
}

TEST_P(RootReaderTest, DoesNotHandOutWhatIsAnsweredUnread) {
  drop("a");
  ASSERT_TRUE(driver_.reader().hold("a"));
  EXPECT_FALSE(driver_.reader().hold("a"));
  ASSERT_TRUE(driver_.until_drained());
  EXPECT_TRUE(driver_.taken().empty());
  driver_.answer("a");
  driver_.run_for(milliseconds(20));
  EXPECT_TRUE(driver_.taken().empty());
  std::filesystem::remove(root_.layout().response("a"));
  ASSERT_TRUE(driver_.until_taken("a"));
  EXPECT_FALSE(driver_.reader().hold("a"));
  driver_.reader().release("a", false);
  EXPECT_TRUE(driver_.until_taken("a", 2)) << "given back; the old answer does not count";
}

TEST_P(RootReaderTest, IgnoresAChangeAfterTheAnswer) {
  drop("a");
  ASSERT_TRUE(driver_.until_taken("a"));
  driver_.answer("a");
  write_text(path("a"), "{ changed");
  driver_.run_for(milliseconds(120));
  EXPECT_EQ(driver_.taken()["a"], 1);
  EXPECT_TRUE(driver_.reader().is_drained());
}

TEST_P(RootReaderTest, DropsARequestThatIsWithdrawnWhileItWaits) {
  write_text(path("a"), "{");
  driver_.run_for(milliseconds(10));
  std::filesystem::remove(path("a"));
  ASSERT_TRUE(driver_.until_drained());
  EXPECT_TRUE(driver_.taken().empty());
  EXPECT_FALSE(driver_.reader().is_pending("a"));
}

TEST_P(RootReaderTest, ReadsAHeldRequestAgain) {
  drop("a");
  ASSERT_TRUE(driver_.until_taken("a"));
  const auto again = driver_.reader().read_again("a", monotonic_now());
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->content);
  std::filesystem::remove(path("a"));
  const auto gone = driver_.reader().read_again("a", monotonic_now());
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
}

TEST_P(RootReaderTest, KnowsWhatIsPending) {
  drop("a");
  EXPECT_TRUE(driver_.reader().is_pending("a"));
  EXPECT_FALSE(driver_.reader().is_pending("b"));
  ASSERT_TRUE(driver_.until_taken("a"));
  EXPECT_TRUE(driver_.reader().is_pending("a")) << "held is pending";
  driver_.answer("a");
  EXPECT_FALSE(driver_.reader().is_pending("a"));
}

TEST_P(RootReaderTest, FollowsAReplacedDirectory) {
  drop("before");
  ASSERT_TRUE(driver_.until_taken("before"));
  driver_.answer("before");
  std::filesystem::rename(root_.layout().requests(), root_.path() + "/old");
  std::filesystem::create_directory(root_.layout().requests());
  drop("after");
  EXPECT_TRUE(driver_.until_taken("after"));
  std::filesystem::remove_all(root_.layout().responses());
  EXPECT_TRUE(driver_.until([&] { return exists(root_.layout().responses()); })) << "made again";
  drop("later");
  EXPECT_TRUE(driver_.until_taken("later"));
  driver_.answer("later");
  EXPECT_TRUE(exists(root_.layout().response("later")));
}

TEST_P(RootReaderTest, TakesOverAHugeFloodThroughAnOverflow) {
  ASSERT_TRUE(driver_.until_drained());
  const std::size_t files = GetParam() ? 1000 : 17000;  // Only events can overflow.
  for (std::size_t i = 0; i < files; ++i) {
    const std::string stem = std::to_string(i);
    write_text(path(stem), request_text(stem));
  }
  ASSERT_TRUE(driver_.until([&] { return driver_.taken().size() == files; }, seconds(60)));
  ASSERT_TRUE(driver_.until_drained());
  for (const auto& [stem, times] : driver_.taken()) ASSERT_EQ(times, 1) << stem;
  if (!GetParam()) {
    EXPECT_GE(driver_.reader().overflows(), 1);
  }
}

TEST_P(RootReaderTest, SweepsWhatADeadProcessLeft) {
  const TemporaryRoot root;
  root.open();
  const std::string name = Layout::temporary_name(0x1234, 3);
  write_text(root.layout().worker_tmp() + "/" + name, "x");
  write_text(root.layout().worker_tmp() + "/left-over", "x");
  write_text(root.layout().worker_late() + "/" + name, "x");
  write_text(root.layout().responses() + "/" + name, "x");
  write_text(root.layout().responses() + "/.mine", "x");
  write_text(root.layout().worker() + "/" + name, "x");
  const std::string cookie = Layout::cookie_name(999999999, 3);
  write_text(root.layout().requests() + "/" + cookie, "");
  write_text(root.layout().responses() + "/" + cookie, "");
  write_text(root.layout().requests() + "/" + name, "of a client that may live");
  ReaderDriver driver(root, options());
  ASSERT_TRUE(driver.until_drained());
  EXPECT_EQ(count_entries(root.layout().worker_tmp()), 0u);
  EXPECT_EQ(count_entries(root.layout().worker_late()), 0u);
  EXPECT_EQ(count_entries(root.layout().responses()), 1u) << "only what is certainly ours";
  EXPECT_EQ(count_entries(root.layout().requests()), 1u);
  EXPECT_FALSE(std::filesystem::exists(root.layout().worker() + "/" + name));
}

}  // namespace
}  // namespace filecall::spool
