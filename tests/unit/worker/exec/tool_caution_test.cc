// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_caution.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

TEST(ToolCaution, NamesTheProgramsThatRunAnything) {
  EXPECT_EQ(names_that_run_anything({"ls", "wc", "cat"}), "");
  EXPECT_EQ(names_that_run_anything({"git", "ls", "env", "sh"}), "git, env, sh");
  EXPECT_EQ(names_that_run_anything({"/usr/bin/python3.11", "python3", "perl5.36"}),
            "/usr/bin/python3.11, python3, perl5.36");
  EXPECT_EQ(names_that_run_anything({"*"}), "*");
  EXPECT_EQ(names_that_run_anything({"", "7"}), "");
}

TEST(ToolCaution, RefusesHomeAndTheRootDirectoryOnceToolsMayRun) {
  ToolConfig config;
  config.roots = {"/"};
  EXPECT_TRUE(check_tool_roots(config, "/home/me")) << "no tool may run";
  config.allow = {"ls"};
  EXPECT_FALSE(check_tool_roots(config, "/home/me"));
  for (const char* root : {"/home/me", "/"}) {
    config.roots = {"/srv", root};
    EXPECT_FALSE(check_tool_roots(config, "/home/me")) << root;
  }
  config.roots = {"/home/me/project", "/home"};
  EXPECT_TRUE(check_tool_roots(config, "/home/me"));
  config.roots = {"/"};
  config.allow_home = true;
  EXPECT_TRUE(check_tool_roots(config, "/home/me"));
}

TEST(ToolCaution, NamesRootsThatAreNotThere) {
  ToolConfig config;
  config.roots = {"/", "/nowhere/at/all", "/dev/null"};
  EXPECT_TRUE(missing_tool_roots(config).empty()) << "no tool may run";
  config.allow = {"ls"};
  const auto missing = missing_tool_roots(config);
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_TRUE(missing[0].starts_with("tool.roots: /nowhere/at/all: there is none")) << missing[0];
  EXPECT_TRUE(missing[1].starts_with("tool.roots: /dev/null: is no directory")) << missing[1];
}

DeclaredTool declared(const std::string& name, const std::string& program) {
  DeclaredTool tool;
  tool.name = name;
  tool.argv = {program, "{file}"};
  return tool;
}

TEST(ToolCaution, NamesProgramsThatAreNotThere) {
  ToolConfig config;
  config.allow = {"*", "sh", "no-such-program", "/bin/sh", "/dev/null"};
  config.tools = {declared("good", "sh"), declared("typo", "shh"), declared("gone", "/opt/no/such"),
                  declared("own", "bin/check")};
  const auto missing = missing_tool_programs(config, "/usr/bin:/bin");
  ASSERT_EQ(missing.size(), 4u);
  EXPECT_TRUE(missing[0].starts_with("tool.allow: no-such-program: no such program")) << missing[0];
  EXPECT_TRUE(missing[1].starts_with("tool.allow: /dev/null: no executable file")) << missing[1];
  EXPECT_TRUE(missing[2].starts_with("tool.tools.typo: shh: no such program")) << missing[2];
  EXPECT_TRUE(missing[3].starts_with("tool.tools.gone: /opt/no/such: no executable file"))
      << missing[3];
}

}  // namespace
}  // namespace filecall::worker
