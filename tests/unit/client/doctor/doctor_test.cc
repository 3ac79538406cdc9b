// SPDX-License-Identifier: MIT
#include "client/doctor/doctor.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "client/doctor/checks.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

class DoctorTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-doctor-XXXXXX";
    directory_ = mkdtemp(pattern);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string make_root() const {
    const std::string root = directory_ + "/root";
    EXPECT_TRUE(spool::Root::open(root, {}));
    return root;
  }

  std::string directory_;
};

const Finding* find(const Findings& findings, Severity severity, std::string_view part) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.severity == severity && finding.text.find(part) != std::string::npos;
  });
  return found == findings.end() ? nullptr : &*found;
}

TEST_F(DoctorTest, TellsWhatAMachineLacksForASandbox) {
  Findings findings;
  read_sandbox_probe("namespaces\tok\nlandlock\tnot there; a lock\tboot another\nseccomp\tok\n",
                     findings);
  const Finding* missing = find(findings, Severity::kNote, "landlock: not there; a lock");
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->advice, "boot another");
  EXPECT_NE(find(findings, Severity::kGood, "namespaces, seccomp"), nullptr);
  findings.clear();
  read_sandbox_probe("", findings);
  EXPECT_TRUE(findings.empty());
}

TEST_F(DoctorTest, TellsWhenTheMachineEmptiesThePlaceOfTheRoot) {
  constexpr std::string_view kRules =
      "# a comment\n"
      "D /tmp 1777 root root -\n"
      "q /var/tmp 1777 root root 30d\n"
      "d /var/spool/kept 0700 a a -\n"
      "D! /run/boot - - - -\n";
  EXPECT_EQ(emptied_text("/tmp/copilot-evaluation", kRules),
            "/tmp, which is emptied at each start of the machine");
  EXPECT_EQ(emptied_text("/var/tmp/x", kRules),
            "/var/tmp, where what nobody has used for 30d is removed");
  EXPECT_NE(emptied_text("/run/boot", kRules), "");
  EXPECT_EQ(emptied_text("/tmpfiles/x", kRules), "");
  EXPECT_EQ(emptied_text("/var/spool/kept", kRules), "");
  EXPECT_EQ(emptied_text("/home/me/calls", kRules), "");
  EXPECT_EQ(emptied_text("/tmp/kept/a", "D /tmp 1777 root root -\nx /tmp/kept\n"), "");
}

TEST_F(DoctorTest, TellsWhichServersAnswer) {
  const Json check = Json::parse(R"({"valid": true, "problems": [],
    "providers": [
      {"name": "a", "kind": "openai", "profile": "vllm", "base_url": "http://127.0.0.1:8000/v1",
       "key": null, "answers": true, "models": 3, "problem": null},
      {"name": "b", "kind": "anthropic", "profile": "anthropic", "base_url": null,
       "key": {"env": "K"}, "answers": false, "models": null, "problem": "refused"}],
    "contexts": [
      {"name": "c", "server": "https://c", "answers": true, "version": "v1.31",
       "problem": null, "exec": [{"namespaces": ["shop"], "argv": [["nginx", "-t"]]}, 7]}]})");
  Findings findings;
  read_config_check(check, "w.yaml", findings);
  ASSERT_EQ(findings.size(), 5u);
  EXPECT_EQ(findings[3].text, "c: kube.exec may run [[\"nginx\",\"-t\"]] in namespaces [\"shop\"]");
  EXPECT_EQ(findings[3].severity, Severity::kNote);
  EXPECT_EQ(findings[4].text, "w.yaml is valid");
  EXPECT_EQ(findings[0].severity, Severity::kGood);
  EXPECT_EQ(findings[0].subject, "provider");
  EXPECT_EQ(findings[0].text, "a: openai (vllm), http://127.0.0.1:8000/v1: answers, 3 models");
  EXPECT_EQ(findings[1].text,
            "b: anthropic (anthropic), searched on this machine: does not answer: refused");
  EXPECT_EQ(findings[1].severity, Severity::kProblem);
  EXPECT_EQ(findings[2].text, "c: https://c: answers, Kubernetes v1.31");
  findings.clear();
  read_config_check(check, "", findings);
  EXPECT_NE(find(findings, Severity::kNote, "b: anthropic"), nullptr) << "nobody asked for it";
  findings.clear();
  read_config_check(check, "w.yaml", findings, true);
  EXPECT_NE(find(findings, Severity::kNote, "b: anthropic"), nullptr) << "none was to be there";
  findings.clear();
  read_config_check(Json{{"providers", 1}}, "w.yaml", findings);
  EXPECT_TRUE(findings.empty());
}

TEST_F(DoctorTest, SaysWhatRequestsMayDoWithFiles) {
  const Json check = Json::parse(R"({"valid": true, "problems": [], "files": {"roots": ["/w"],
    "writable": [], "libgit2": "1.5.1", "notes": ["the repository /w belongs to user 7", 8]}})");
  Findings findings;
  read_config_check(check, "", findings);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].severity, Severity::kGood);
  EXPECT_EQ(findings[0].text, "may be read in [\"/w\"]; changed in []; libgit2 1.5.1");
  EXPECT_NE(find(findings, Severity::kNote, "the repository /w belongs to user 7"), nullptr);
  findings.clear();
  read_config_check(Json::parse(R"({"files": {"roots": []}})"), "", findings);
  read_config_check(Json::parse(R"({"files": null})"), "", findings);
  EXPECT_TRUE(findings.empty());
}

TEST_F(DoctorTest, NamesTheFaultOfAConfigurationThatIsRefused) {
  Findings findings;
  read_config_check(Json::parse(R"({"valid": false, "problems": ["w.yaml:3: no end of a list"]})"),
                    "w.yaml", findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::kProblem);
  EXPECT_EQ(findings[0].text, "w.yaml is refused: w.yaml:3: no end of a list");
  findings.clear();
  read_config_check(Json::parse(R"({"valid": true, "problems": ["tool.roots: x: there is none"]})"),
                    "w.yaml", findings);
  EXPECT_NE(find(findings, Severity::kProblem, "w.yaml: tool.roots: x: there is none"), nullptr);
}

TEST_F(DoctorTest, RefusesAFolderThatIsALink) {
  const std::string root = make_root();
  std::filesystem::remove_all(root + "/events");
  std::filesystem::create_directory_symlink("/", root + "/events");
  Findings findings;
  EXPECT_FALSE(check_root(spool::Layout(root), true, findings));
  EXPECT_NE(find(findings, Severity::kProblem, root + "/events is a symbolic link"), nullptr);
}

TEST_F(DoctorTest, DoesNotAdviseToTakeOverAnotherUsersFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "two users: only as root";
  const std::string root = make_root();
  ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(root.c_str(), 0755), 0);
  ASSERT_EQ(::setresuid(20002, 20002, 0), 0);
  Findings findings;
  (void)check_root(spool::Layout(root), true, findings);
  ASSERT_EQ(::setresuid(0, 0, 0), 0);
  const Finding* closed = find(findings, Severity::kProblem, root + "/requests: ");
  ASSERT_NE(closed, nullptr);
  EXPECT_EQ(closed->advice.find("chown"), std::string::npos) << closed->advice;
  EXPECT_NE(closed->advice.find("run as root"), std::string::npos) << closed->advice;
}

TEST_F(DoctorTest, AdvisesAChownThatAUserWithoutANameCanGive) {
  if (::geteuid() != 0) GTEST_SKIP() << "two users: only as root";
  const std::string root = make_root();
  ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
  ASSERT_EQ(::chown(root.c_str(), 20002, 20002), 0);
  ASSERT_EQ(::setresuid(20002, 20002, 0), 0);
  Findings findings;
  (void)check_root(spool::Layout(root), false, findings);
  ASSERT_EQ(::setresuid(0, 0, 0), 0);
  const Finding* closed = find(findings, Severity::kProblem, root + "/requests: ");
  ASSERT_NE(closed, nullptr);
  EXPECT_NE(closed->advice.find("chown 20002 '"), std::string::npos) << closed->advice;
}

TEST_F(DoctorTest, TellsWhichDestinationsFailOrWait) {
  WorkerStatus status;
  status.destinations = {{"llm/a", 0, 0, 8, 8, 0, "the key is wrong"},
                         {"llm/b", 0, 7, 8, 8, 1500, ""},
                         {"llm/c", 1, 0, 2, 8, 0, ""},
                         {"tool", 1, 0, 4, 4, 0, ""}};
  Findings findings;
  check_destinations(status, findings);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_NE(find(findings, Severity::kProblem, "llm/a: the key is wrong"), nullptr);
  EXPECT_NE(find(findings, Severity::kNote, "llm/b asked for a pause of 1500 ms; 7"), nullptr);
  EXPECT_NE(find(findings, Severity::kNote, "llm/c takes 2 requests at once, 8"), nullptr);
}

TEST_F(DoctorTest, ARootThatDoesNotExistYetIsNoProblem) {
  Findings findings;
  EXPECT_FALSE(check_root(spool::Layout(directory_ + "/none"), false, findings));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::kNote);
  EXPECT_NE(findings[0].advice.find("worker start"), std::string::npos);
}

TEST_F(DoctorTest, ARootThatOthersMayWriteIsAProblemUnlessAccepted) {
  const std::string root = make_root();
  ASSERT_EQ(::chmod(root.c_str(), 0777), 0);
  Findings findings;
  check_root(spool::Layout(root), false, findings);
  const Finding* problem = find(findings, Severity::kProblem, "mode 0777");
  ASSERT_NE(problem, nullptr);
  EXPECT_NE(problem->advice.find("chmod go-w"), std::string::npos);
  findings.clear();
  check_root(spool::Layout(root), true, findings);
  EXPECT_NE(find(findings, Severity::kNote, "mode 0777"), nullptr);
}

TEST_F(DoctorTest, AFileInThePlaceOfTheRootIsAProblem) {
  const std::string path = directory_ + "/file";
  ASSERT_TRUE(spool::Root::open(directory_ + "/other", {}));
  std::filesystem::copy_file("/proc/self/comm", path);
  Findings findings;
  EXPECT_FALSE(check_root(spool::Layout(path), false, findings));
  EXPECT_NE(find(findings, Severity::kProblem, "not a directory"), nullptr);
}

TEST_F(DoctorTest, EveryFindingThatIsNotGoodSaysWhatToDo) {
  for (const Finding& finding : examine({.root = make_root(), .allow_shared_root = false})) {
    EXPECT_EQ(finding.advice.empty(), finding.severity == Severity::kGood) << finding.text;
    EXPECT_FALSE(finding.subject.empty());
  }
}

TEST_F(DoctorTest, LeavesNothingBehind) {
  const std::string root = make_root();
  const auto count = [&] {
    const std::filesystem::recursive_directory_iterator all(root);
    return std::distance(begin(all), end(all));
  };
  const auto before = count();
  const Findings findings = examine({.root = root, .allow_shared_root = false});
  EXPECT_NE(find(findings, Severity::kGood, "inotify tells of new files"), nullptr);
  EXPECT_NE(find(findings, Severity::kNote, "not running"), nullptr);
  EXPECT_EQ(count(), before);
}

TEST(FileSystemName, KnowsTheOnesThatMatterAndNumbersTheRest) {
  const std::pair<long, const char*> rows[] = {
      {0xEF53, "ext4"},   {0x01021994, "tmpfs"}, {0x6969, "nfs"},     {0x794C7630, "overlay"},
      {0x01021997, "9p"}, {0x9123683E, "btrfs"}, {0x12345, "0x12345"}};
  for (const auto& [type, name] : rows) EXPECT_EQ(file_system_name(type), name);
}

}  // namespace
}  // namespace filecall::client
