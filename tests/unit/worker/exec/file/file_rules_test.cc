// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_rules.h"

#include <gtest/gtest.h>

namespace filecall::worker::file {
namespace {

FileConfig two_roots() {
  FileConfig config;
  config.roots = {"/srv/a", "/srv/b"};
  return config;
}

std::string placed(std::string_view path) {
  const auto place = choose_place(two_roots(), path, "/params/path");
  if (!place) return std::string(to_string(place.error().code));
  return two_roots().roots[place->root] + " " + place->below;
}

TEST(FileRules, ChoosesTheRootOfAPath) {
  EXPECT_EQ(placed("x/y"), "/srv/a x/y");
  EXPECT_EQ(placed("/srv/b/x"), "/srv/b x");
  EXPECT_EQ(placed("/srv/b//x"), "/srv/b x");
  EXPECT_EQ(placed("/srv/b"), "/srv/b .");
  EXPECT_EQ(placed("/srv/bx"), "permission_denied");
  EXPECT_EQ(placed("/"), "permission_denied");
  EXPECT_EQ(placed(""), "invalid_argument");
  EXPECT_EQ(placed(std::string_view("a\0b", 3)), "invalid_argument");
  EXPECT_FALSE(choose_place(FileConfig(), "x", "/params/path")) << "nothing is readable by default";
}

TEST(FileRules, HidesNamesAndAllThatLiesInThem) {
  FileConfig config = two_roots();
  config.hidden.push_back("secrets");
  config.own_paths = {"/srv/a/root", "/srv/a/worker.yaml"};
  const auto rules = FileRules::compile(config);
  ASSERT_TRUE(rules);
  const auto hides = [&](const std::string& path) { return rules->hides(path, "/srv/a"); };
  for (const char* path : {".env", "x/.env", "x/.env/y", "k.pem", "id_rsa", "secrets/a", "root",
                           "root/requests/a.json", "worker.yaml"}) {
    EXPECT_TRUE(hides(path)) << path;
  }
  for (const char* path : {"env", ".envrc", "pem", "secret", "roots", "worker.yaml.md"}) {
    EXPECT_FALSE(hides(path)) << path;
  }
  EXPECT_FALSE(rules->hides(".", "/srv/a"));
}

TEST(FileRules, TakesEachSensibleFormOfAName) {
  FileConfig config;
  config.roots = {"/srv/a", "/srv/a/nested", "/srv/link"};
  config.real_roots = {"/srv/a", "/srv/a/nested", "/srv/real"};
  config.hidden = {"secrets/",          "./top",        "/srv/a/deep/x",
                   "/srv/a/nested/own", "/srv/real/y/", "nested/in/*"};
  config.protect = {"vendor/"};
  const auto rules = FileRules::compile(config);
  ASSERT_TRUE(rules) << rules.error().message;
  struct Row {
    const char* root;
    const char* path;
    bool is_hidden;
  };
  for (const auto& [root, path, is_hidden] : {
           Row{"/srv/a", "x/secrets", true},
           Row{"/srv/a", "secrets/x", true},
           Row{"/srv/a", "top", true},
           Row{"/srv/a", "x/top", false},
           Row{"/srv/a", "deep/x/y", true},
           Row{"/srv/a", "deep/y", false},
           Row{"/srv/real", "y", true},
           // The same file by either of its two roots.
           Row{"/srv/a", "nested/own", true},
           Row{"/srv/a/nested", "own", true},
           Row{"/srv/a", "nested/in/x", true},
           Row{"/srv/a/nested", "in/x", true},
           Row{"/srv/a/nested", "in", false},
       }) {
    EXPECT_EQ(rules->hides(path, root), is_hidden) << root << " " << path;
  }
  EXPECT_TRUE(rules->protects("x/vendor/y", "/srv/a"));
  EXPECT_FALSE(rules->protects("x/vendors", "/srv/a"));
}

TEST(FileRules, RefusesWhatWouldHideNothing) {
  for (const char* glob : {"", "/etc", "/srv/a", "../x", "a/../b", "a//b", "a/./b", ".", "./", "!x",
                           "~/x", "/srv/a/../b"}) {
    FileConfig config = two_roots();
    config.hidden = {glob};
    EXPECT_FALSE(FileRules::compile(config)) << glob;
  }
  FileConfig config;
  config.roots = {"/srv/a", "/srv/a/secrets/b"};
  config.hidden = {"secrets"};
  const auto rules = FileRules::compile(config);
  ASSERT_FALSE(rules);
  EXPECT_NE(rules.error().message.find("/srv/a/secrets/b is hidden in /srv/a"), std::string::npos);
}

TEST(FileRules, HidesTheLogAndItsOlderForms) {
  FileConfig config = two_roots();
  config.own_log = "/srv/a/log/worker.log";
  const auto rules = FileRules::compile(config);
  ASSERT_TRUE(rules);
  EXPECT_TRUE(rules->hides("log/worker.1.log", "/srv/a"));
  EXPECT_TRUE(rules->hides("log/worker.12.log", "/srv/a"));
  EXPECT_TRUE(rules->hides("worker.1.log", "/srv/a/log"));
  for (const char* path : {"worker.1.log", "log/worker..log", "log/worker.x.log", "log/worker.1"}) {
    EXPECT_FALSE(rules->hides(path, "/srv/a")) << path;
  }
}

TEST(FileRules, RefusesAPatternThatIsNone) {
  FileConfig config = two_roots();
  config.protect = {"[x"};
  const auto rules = FileRules::compile(config);
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().message.find("file.protected: '[x'"), 0U) << rules.error().message;
}

}  // namespace
}  // namespace filecall::worker::file
