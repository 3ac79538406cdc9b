// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Strings = std::vector<std::string>;

TEST(ProgramPolicy, AllowsWhatTheListSays) {
  const struct {
    Strings allow;
    const char* program;
    bool is_allowed;
  } cases[] = {
      {{}, "ls", false},
      {{"ls"}, "ls", true},
      {{"ls"}, "lsof", false},
      {{"ls"}, "LS", false},
      {{"ls"}, "/bin/ls", false},
      {{"ls"}, "./ls", false},
      {{"ls"}, "../bin/ls", false},
      {{"/bin/ls"}, "/bin/ls", true},
      {{"/bin/ls"}, "ls", false},
      {{"/bin/ls"}, "/bin//ls", false},
      {{"*"}, "anything", true},
      {{"*"}, "/any/path", true},
      {{"l*"}, "ls", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(!refuse_program(c.allow, c.program).has_value(), c.is_allowed)
        << c.program << " with " << testing::PrintToString(c.allow);
  }
}

TEST(ProgramPolicy, SaysWhatToWriteWhere) {
  const Failure failure = refuse_program({}, "git").value();
  EXPECT_EQ(failure.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(failure.message, HasSubstr(R"(tool: {allow: ["git"]})"));
  EXPECT_THAT(failure.message, HasSubstr("--config"));
  EXPECT_THAT(refuse_program({"ls"}, "/bin/ls")->message, HasSubstr("is a path"));
}

TEST(EnvironmentPolicy, TakesOnlyNamesThatAreAllowed) {
  EXPECT_FALSE(refuse_environment({}, Json()).has_value());
  EXPECT_FALSE(refuse_environment({"A"}, {{"A", "1"}}).has_value());
  const auto failure = refuse_environment({"A"}, {{"A", "1"}, {"LD_PRELOAD", "x"}});
  EXPECT_EQ(failure->code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(failure->message, HasSubstr("/params/env/LD_PRELOAD"));
  const auto nul = refuse_environment({"A"}, {{"A", std::string("a\0", 2)}});
  EXPECT_EQ(nul->code, ErrorCode::kInvalidArgument);
}

TEST(EnvironmentPolicy, GivesWhatIsNamedAndNothingElse) {
  const std::map<std::string, std::string> worker = {
      {"PATH", "/p"}, {"HOME", "/h"}, {"SECRET", "s"}, {"A", "worker"}, {"B", "worker"}};
  EXPECT_THAT(make_environment({}, worker, Json(), {}, "r"),
              ElementsAre("HOME=/h", "LANG=C.UTF-8", "PATH=/p"));
  EXPECT_THAT(make_environment({"A", "B", "MISSING"}, worker, {{"A", "request"}},
                               {{"B", "tool"}, {"C", "tool"}}, "r"),
              ElementsAre("A=request", "B=tool", "C=tool", "HOME=/h", "LANG=C.UTF-8", "PATH=/p"));
  EXPECT_THAT(make_environment({"FILECALL_REQUEST_ID"}, {}, Json(), {}, "r-1"),
              testing::Contains("FILECALL_REQUEST_ID=r-1"));
}

TEST(Workplace, LiesBeneathARoot) {
  const Strings roots = {"/srv/one", "/srv/two/"};
  const struct {
    const char* cwd;
    const char* fallback;
    const char* root;
    const char* below;
  } cases[] = {
      {"", "", "/srv/one", "."},
      {"", "sub", "/srv/one", "sub"},
      {"deep/er", "sub", "/srv/one", "deep/er"},
      {"/srv/one", "", "/srv/one", "."},
      {"/srv/one/", "", "/srv/one", "."},
      {"/srv/one//x", "", "/srv/one", "x"},
      {"/srv/two/x/y", "", "/srv/two/", "x/y"},
      {"/srv/one/../..", "", "/srv/one", "../.."},
      {"/srv/one-other", "", nullptr, nullptr},
      {"/srv", "", nullptr, nullptr},
      {"/", "", nullptr, nullptr},
  };
  for (const auto& c : cases) {
    const auto place = choose_workplace(roots, c.cwd, c.fallback);
    ASSERT_EQ(place.has_value(), c.root != nullptr) << c.cwd;
    if (!place) {
      EXPECT_EQ(place.error().code, ErrorCode::kPermissionDenied);
      continue;
    }
    EXPECT_EQ(place->root, c.root) << c.cwd;
    EXPECT_EQ(place->below, c.below) << c.cwd;
  }
  EXPECT_EQ(choose_workplace({"/"}, "/etc", "")->below, "etc");
  EXPECT_EQ(choose_workplace({"/"}, "/", "")->below, ".");
}

TEST(ToolPolicy, KeepsTheDirectoryInTheBoundsOfTheRequest) {
  const std::vector<std::string> roots = {"/work", "/other"};
  struct Case {
    const char* cwd;
    const char* beneath;
    const char* below;  ///< Null: refused.
  };
  for (const Case& c :
       {Case{"a/b", "a", "b"}, Case{"/work/a/b/c", "/work/a/", "b/c"}, Case{"a", "/work/a", "."},
        Case{"a/b/../c", "a", "c"}, Case{"x", ".", "x"}, Case{"", "a", nullptr},
        Case{"ab", "a", nullptr}, Case{"a/../b", "a", nullptr}, Case{"/other/a", "a", nullptr},
        Case{"a/../..", "a", nullptr}, Case{"a", "/elsewhere", nullptr}}) {
    const auto place = choose_workplace(roots, c.cwd, "", c.beneath);
    ASSERT_EQ(place.has_value(), c.below != nullptr) << c.cwd << " beneath " << c.beneath;
    if (place) {
      EXPECT_EQ(place->below, c.below) << c.cwd << " beneath " << c.beneath;
    } else {
      EXPECT_EQ(place.error().code, ErrorCode::kPermissionDenied);
    }
  }
}

TEST(ToolLimits, AreOverriddenMemberByMember) {
  const ChildLimits base = {100, 10, std::nullopt, std::nullopt, 5};
  const ChildLimits merged = merge_limits(base, {200, std::nullopt, 7, std::nullopt, std::nullopt});
  EXPECT_EQ(merged.memory_bytes, 200);
  EXPECT_EQ(merged.cpu_seconds, 10);
  EXPECT_EQ(merged.files, 7);
  EXPECT_FALSE(merged.file_bytes.has_value());
  EXPECT_EQ(merged.processes, 5);
}

TEST(DeclaredTool, IsCheckedBeforeItIsUsed) {
  DeclaredTool tool;
  tool.name = "lint";
  tool.argv = {"lint", "{file}"};
  EXPECT_THAT(complaint_about(tool), HasSubstr("{file}"));
  tool.args_schema = {{"properties", {{"file", {{"type", "string"}}}}}};
  EXPECT_EQ(complaint_about(tool), "");
  tool.argv.clear();
  EXPECT_THAT(complaint_about(tool), HasSubstr("tool.tools.lint"));
  tool.argv = {"lint"};
  tool.args_schema = 7;
  EXPECT_THAT(complaint_about(tool), HasSubstr("JSON Schema"));
}

}  // namespace
}  // namespace filecall::worker
