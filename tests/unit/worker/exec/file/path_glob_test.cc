// SPDX-License-Identifier: MIT
#include "worker/exec/file/path_glob.h"

#include <gtest/gtest.h>

namespace filecall::worker::file {
namespace {

struct Case {
  const char* pattern;
  const char* path;
  bool matches;
};

// The rules of gitignore(5), and of git's own tests of wildmatch.
TEST(PathGlob, FitsAsGitSays) {
  const Case kCases[] = {
      {"*.cc", "a.cc", true},
      {"*.cc", "src/deep/a.cc", true},
      {"*.cc", "a.ccx", false},
      {"*.cc", ".cc", true},
      {"Makefile", "x/Makefile", true},
      {"Makefile", "x/Makefiles", false},
      {"/Makefile", "x/Makefile", false},
      {"/Makefile", "Makefile", true},
      {"src/*.cc", "src/a.cc", true},
      {"src/*.cc", "src/deep/a.cc", false},
      {"src/*.cc", "x/src/a.cc", false},
      {"src/**/*.cc", "src/a.cc", true},
      {"src/**/*.cc", "src/x/y/a.cc", true},
      {"**/a.cc", "a.cc", true},
      {"**/a.cc", "x/y/a.cc", true},
      {"src/**", "src/x/y", true},
      {"src/**", "src", false},
      {"a**b/c", "axxb/c", true},
      {"a**b/c", "ax/xb/c", false},
      {"?.cc", "a.cc", true},
      {"?.cc", "ab.cc", false},
      {"x?y/z", "x/y/z", false},
      {"[a-c].h", "b.h", true},
      {"[!a-c].h", "b.h", false},
      {"[^a-c].h", "d.h", true},
      {"x[!a]y/z", "x/y/z", false},
      {"[]-]x", "]x", true},
      {"[]-]x", "-x", true},
      {"[[:digit:]]x", "7x", true},
      {"[[:digit:]]x", ":x", false},
      {"\\*x", "*x", true},
      {"\\*x", "ax", false},
      {"a.c", "abc", false},
      {"a+b", "aab", false},
      {"(x)|y", "(x)|y", true},
      {"*", "anything", true},
      {"**", "any/thing", true},
      {"\xE4*", "\xE4x", true},
  };
  for (const Case& c : kCases) {
    const auto glob = PathGlob::compile(c.pattern);
    ASSERT_TRUE(glob) << c.pattern << ": " << glob.error().message;
    EXPECT_EQ(glob->matches(c.path), c.matches) << c.pattern << " and " << c.path;
  }
}

TEST(PathGlob, RefusesWhatIsNone) {
  for (const char* pattern : {"[a", "[!", "[z-a]", "x[\\"}) {
    EXPECT_FALSE(PathGlob::compile(pattern)) << pattern;
  }
  EXPECT_FALSE(PathGlob::compile(std::string(5000, '*')));
}

}  // namespace
}  // namespace filecall::worker::file
