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
                             "y/a/b/e"}) {
    EXPECT_FALSE(is_plain_sed(script)) << script;
  }
}

TEST(SedReading, FindsTheScriptsOfACall) {
  EXPECT_THAT(sed_scripts({"sed", "-n", "p", "f"}), ElementsAre("p"));
  EXPECT_THAT(sed_scripts({"sed", "-ne", "p", "f"}), ElementsAre("p"));
  EXPECT_THAT(sed_scripts({"sed", "-nep", "f"}), ElementsAre("p"));
  EXPECT_THAT(sed_scripts({"sed", "-e", "p", "-e", "d", "f"}), ElementsAre("p", "d"));
  EXPECT_THAT(sed_scripts({"sed", "--expression=p", "f"}), ElementsAre("p"));
  EXPECT_THAT(sed_scripts({"sed", "--expr", "p", "f"}), ElementsAre("p"));
  EXPECT_THAT(sed_scripts({"sed", "-n", "--", "-x", "f"}), ElementsAre("-x"));
  EXPECT_THAT(sed_scripts({"sed", "f", "-e", "p"}), ElementsAre("p"));
  EXPECT_THAT(sed_scripts({"sed"}), IsEmpty());
}

}  // namespace
}  // namespace filecall::client
