// SPDX-License-Identifier: MIT
#include "client/approval/core/sed_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SedReading, KnowsScriptsThatOnlyReadAndPrint) {
  for (const char* script : {"",
                             "p",
                             "1,5p",
                             "$p",
                             "/re/p",
                             "/a/,/b/p",
                             "0,/x/d",
                             "1~2d",
                             "2,+3p",
                             "2,~4p",
                             "/x/!d",
                             "s/a/b/",
                             "s/a/b/gp",
                             "s|a|b|3I",
                             "s/[a-z]/x/g",
                             "s/a\\/b/c/",
                             "y/abc/xyz/",
                             "p;p",
                             "1p\n2p",
                             "{p;d}",
                             "/x/{s/a/b/;p}",
                             ":a;N;$!ba;s/\\n/ /g",
                             "q",
                             "5q",
                             "l 80",
                             "=",
                             "# west",
                             "1!G;h;$!d",
                             "a text to add",
                             "$!N;P;D",
                             "\\%re%p",
                             "/x/I,/y/Mp"}) {
    EXPECT_TRUE(is_plain_sed(script)) << script;
  }
}

TEST(SedReading, TakesNothingForPlainThatRunsWritesOrIsNotUnderstood) {
  for (const char* script : {"e",
                             "1e id",
                             "e id",
                             "p;e id",
                             "p\ne id",
                             "{e id\n}",
                             "/x/e",
                             "$!e id",
                             "w out",
                             "1w out",
                             "/x/w out",
                             "W out",
                             "r /etc/passwd",
                             "R x",
                             "s/a/b/e",
                             "s/a/b/ge",
                             "s/a/b/w out",
                             "s|a|b|gw out",
                             "a text\n1e id",
                             "a\\\ntext\n1e id",
                             "i x\ne id",
                             "s/a/b",
                             "s/a",
                             "y/a/b",
                             "s/[/]/x/e",
                             "s/[]/]/e id/",
                             "s/[^]/]/e id/",
                             "k",
                             "pp",
                             "p e id",
                             "1,e id",
                             "}e id",
                             "s",
                             "\\",
                             "v 4.2\ne id",
                             "s/a\n/b/",
                             "b x\ne id",
                             "# x\ne id",
                             ":a 1e id",
                             ":a\t1e id",
                             "ba 1e id",
                             ":a#b 1e id",
                             ":a} 1e id",
                             ":a 1w out",
                             "y/a/b/e"}) {
    EXPECT_FALSE(is_plain_sed(script)) << script;
  }
}

TEST(SedReading, KnowsWhichOptionsTakeAWord) {
  for (const char* option : {"-l", "-nl", "--line-length", "--line"}) {
    EXPECT_THAT(read_sed_arguments({"sed", option, "1p", "1e id", "f"}).scripts,
                ElementsAre("1e id"))
        << option;
  }
  for (const char* option : {"-l5", "--line-length=5", "-E", "-i.e", "-ni"}) {
    EXPECT_THAT(read_sed_arguments({"sed", option, "1e id", "f"}).scripts, ElementsAre("1e id"))
        << option;
  }
  EXPECT_TRUE(read_sed_arguments({"sed", "-nEz", "--posix", "p"}).is_clear);
  for (const char* option : {"-k", "--lines", "--new-option", "-nq"}) {
    EXPECT_FALSE(read_sed_arguments({"sed", option, "p"}).is_clear) << option;
  }
}

TEST(SedReading, FindsTheScriptsOfACall) {
  EXPECT_THAT(read_sed_arguments({"sed", "-n", "p", "f"}).scripts, ElementsAre("p"));
  EXPECT_THAT(read_sed_arguments({"sed", "-ne", "p", "f"}).scripts, ElementsAre("p"));
  EXPECT_THAT(read_sed_arguments({"sed", "-nep", "f"}).scripts, ElementsAre("p"));
  EXPECT_THAT(read_sed_arguments({"sed", "-e", "p", "-e", "d", "f"}).scripts,
              ElementsAre("p", "d"));
  EXPECT_THAT(read_sed_arguments({"sed", "--expression=p", "f"}).scripts, ElementsAre("p"));
  EXPECT_THAT(read_sed_arguments({"sed", "--expr", "p", "f"}).scripts, ElementsAre("p"));
  EXPECT_THAT(read_sed_arguments({"sed", "-n", "--", "-x", "f"}).scripts, ElementsAre("-x"));
  EXPECT_THAT(read_sed_arguments({"sed", "f", "-e", "p"}).scripts, ElementsAre("p"));
  EXPECT_THAT(read_sed_arguments({"sed"}).scripts, IsEmpty());
}

}  // namespace
}  // namespace filecall::client
