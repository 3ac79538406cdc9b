// SPDX-License-Identifier: MIT
#include "edit/unified_reader.h"

#include <gtest/gtest.h>

#include "edit/quoted_name.h"
#include "edit/unified_writer.h"

namespace filecall::edit {
namespace {

std::vector<FilePatch> read_diff(std::string_view text) {
  auto files = read_unified_diff(text);
  EXPECT_TRUE(files) << (files ? "" : files.error().message);
  return files ? *std::move(files) : std::vector<FilePatch>();
}
std::string mistake(std::string_view text) {
  const auto files = read_unified_diff(text);
  if (files) return "";
  EXPECT_EQ(files.error().code, ErrorCode::kInvalidArgument);
  return files.error().message;
}

TEST(UnifiedReader, ReadsSeveralFilesAsGitWritesThem) {
  const auto files = read_diff(
      "commit 1234\n\n    A subject\n\n"
      "diff --git a/one.c b/one.c\nindex 111..222 100644\n--- a/one.c\n+++ b/one.c\n"
      "@@ -1,3 +1,3 @@ int main()\n a\n-b\n+c\n d\n"
      "@@ -10 +10,2 @@\n x\n+y\n"
      "diff --git a/new b/new\nnew file mode 100755\nindex 000..111\n--- /dev/null\n+++ b/new\n"
      "@@ -0,0 +1,2 @@\n+1\n+2\n\\ No newline at end of file\n"
      "diff --git a/old b/old\ndeleted file mode 100644\nindex 111..000\n--- a/old\n+++ /dev/null\n"
      "@@ -1 +0,0 @@\n-gone\n"
      "diff --git a/from here b/to there\nsimilarity index 100%\nrename from from here\n"
      "rename to to there\n"
      "diff --git a/sp ace b/sp ace\nold mode 100644\nnew mode 100755\n"
      "-- \n2.39.5\n");
  ASSERT_EQ(files.size(), 5U);
  EXPECT_EQ(files[0].path, "one.c");
  ASSERT_EQ(files[0].hunks.size(), 2U);
  EXPECT_EQ(files[0].hunks[1].place, (StatedPlace{10, 10}));
  EXPECT_EQ(files[1].operation, Operation::kCreate);
  EXPECT_EQ(files[1].mode, 0755U);
  EXPECT_TRUE(files[1].hunks[0].is_at_end);
  EXPECT_EQ(files[1].hunks[0].lines[1].end, LineEnd::kNone);
  EXPECT_EQ(files[2].operation, Operation::kDelete);
  EXPECT_EQ(files[2].path, "old");
  EXPECT_EQ(files[3].path, "from here");
  EXPECT_EQ(files[3].new_path, "to there");
  EXPECT_EQ(files[4].path, "sp ace");
  EXPECT_EQ(files[4].mode, 0755U);
}

TEST(UnifiedReader, ReadsNamesAsTheyAreWritten) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"--- a/x\n+++ b/x\n", "x"},
      {"--- a/x y\t\n+++ b/x y\t\n", "x y"},
      {"--- x.orig\t2020-01-01\n+++ x\t2020-01-02\n", "x"},
      {"--- a/x\n+++ a/x\n", "a/x"},
      {"--- \"a/t\\tab\"\n+++ \"b/t\\tab\"\n", "t\tab"},
      {"--- \"a/\\303\\244\"\n+++ \"b/\\303\\244\"\n", "ä"},
      {"--- a/x\r\n+++ b/x\r\n", "x"},
      {"", ""},
  };
  for (const auto& [head, name] : rows) {
    const auto files = read_diff(std::string(head) + "@@ -1 +1 @@\n-a\n+b\n");
    ASSERT_EQ(files.size(), 1U) << head;
    EXPECT_EQ(files[0].path, name);
  }
}

TEST(UnifiedReader, PutsWrongCountsRightAndSaysSo) {
  for (const std::string_view counts : {"-1,9 +1,9", "-1,1 +1,1", "-1,2 +1,4", "-1,0 +1,0"}) {
    const auto files = read_diff("--- a/x\n+++ b/x\n@@ " + std::string(counts) +
                                 " @@\n a\n-b\n+c\n d\n\n@@ -9 +9 @@\n-x\n+y\n");
    ASSERT_EQ(files.size(), 1U);
    ASSERT_EQ(files[0].hunks.size(), 2U);
    EXPECT_EQ(files[0].hunks[0].lines.size(), 4U);
    EXPECT_NE(files[0].hunks[0].note.find("patch line 3: the header counts"), std::string::npos);
    EXPECT_NE(files[0].hunks[0].note.find("the hunk has 3 and 3"), std::string::npos);
    EXPECT_EQ(files[0].hunks[1].note, "");
  }
}

TEST(UnifiedReader, TakesLinesThatLookLikeHeadersAsTheCountsSay) {
  const auto files = read_diff("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n a\n");
  ASSERT_EQ(files.size(), 1U);
  ASSERT_EQ(files[0].hunks[0].lines.size(), 3U);
  EXPECT_EQ(files[0].hunks[0].lines[0].text, "-- old");
}

TEST(UnifiedReader, ReadsAnEmptyLineAsContextAndKeepsCarriageReturns) {
  const auto files = read_diff("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n\n-b\r\n+c\r\n d\n");
  const auto& lines = files.at(0).hunks.at(0).lines;
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], (PatchLine{Sign::kContext, "", LineEnd::kLf}));
  EXPECT_EQ(lines[1], (PatchLine{Sign::kRemoved, "b", LineEnd::kCrLf}));
  for (const std::string_view last : {"-b", "-b\n"}) {
    const auto cut = read_diff("@@ -1,2 +1 @@\n a\n" + std::string(last));
    EXPECT_EQ(cut.at(0).hunks.at(0).lines.back(), (PatchLine{Sign::kRemoved, "b", LineEnd::kLf}));
  }
  const auto cut = read_diff("@@ -1,2 +1 @@\r\n a\r\n-b\r");
  EXPECT_EQ(cut.at(0).hunks.at(0).lines.back(), (PatchLine{Sign::kRemoved, "b", LineEnd::kCrLf}));
}

TEST(UnifiedReader, NamesTheLineAndTheRuleOfAMistake) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", "patch line 1: neither"},
      {"hello\n", "patch line 1: neither"},
      {"--- a/x\n+++ b/x\n", "patch line 1: the file has no hunk"},
      {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", "patch line 3: the hunk has neither"},
      {"--- a/x\n+++ b/x\n@@ -a +b @@\n-a\n", "patch line 3: a hunk begins as"},
      {"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n*b\n", "patch line 5: a line of a hunk begins"},
      {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nbye\n", "patch line 6: after a hunk stands"},
      {"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "patch line 3: both names are"},
      {"--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "patch line 1: each line of a new file"},
      {"--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "patch line 1: each line of a deleted"},
      {"--- \"a/x\n+++ b/x\n", "patch line 1: the quoted name does not end"},
      {"--- \"a/\\377\"\n+++ \"b/\\377\"\n", "patch line 1: the name of the file is not UTF-8"},
      {"diff --git a/x b/x\nGIT binary patch\n", "patch line 2: binary"},
      {"diff --git a/x b/x\nBinary files a/x and b/x differ\n", "patch line 2: binary"},
      {"diff --git a/x b/y\ncopy from x\n", "patch line 2: a copy is not supported"},
      {"diff --git a/x b/x\nnew file mode 120000\n", "patch line 2: only regular files"},
      {"diff --git a/x b/x\ndeleted file mode 120000\n", "patch line 2: only regular files"},
      {"diff --git a/x b/x\nold mode 120000\n", "patch line 2: only regular files"},
      {"diff --git a/x b/x\nindex 1..2 160000\n", "patch line 2: only regular files"},
      {"diff --git a/x b/x\nnew file mode 10064x\n", "patch line 2: a mode is octal"},
      {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline\n-b\n\\ No newline\n",
       "patch line 7: \"\\ No newline at end of file\" follows"},
  };
  for (const auto& [text, message] : rows) {
    EXPECT_TRUE(mistake(text).starts_with(message)) << text << "-> " << mistake(text);
  }
}

TEST(UnifiedReader, RefusesWhatIsBeyondItsLimits) {
  const std::string text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -2 +2 @@\n-a\n+b\n";
  for (const PatchLimits& limits :
       {PatchLimits{.bytes = 10}, PatchLimits{.files = 0}, PatchLimits{.hunks = 1}}) {
    const auto files = read_unified_diff(text, limits);
    ASSERT_FALSE(files);
    EXPECT_EQ(files.error().code, ErrorCode::kResourceExhausted);
  }
}

TEST(UnifiedWriter, PrintsWhatTheReaderReadsAsTheSame) {
  const std::string_view text =
      "diff --git a/from b/to\nnew mode 100755\nrename from from\nrename to to\n"
      "--- a/from\n+++ b/to\n@@ -1,2 +1 @@\n a\n-b\r\n"
      "--- /dev/null\n+++ b/n w\t\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
      "diff --git \"a/q\\\"\" \"b/q\\\"\"\ndeleted file mode 100644\n--- \"a/q\\\"\"\n+++ "
      "/dev/null\n"
      "@@ -1 +0,0 @@\n-x\n"
      "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
  EXPECT_EQ(print_unified_diff(read_diff(text)), text);
}

TEST(QuotedName, IsReadAsItIsWritten) {
  for (const std::string_view name : {"a", "a\tb", "\"", "\\", "\x01\x7f", "ä ö", "a\nb"}) {
    const std::string quoted = quote_name(name);
    if (!quoted.starts_with('"')) {
      EXPECT_EQ(quoted, name);
      continue;
    }
    const auto read = read_quoted_name(quoted + " rest");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->name, name);
    EXPECT_EQ(read->size, quoted.size());
  }
  for (const std::string_view text : {"", "a", "\"", "\"\\", "\"\\000\"", "\"\\4\"", "\"\\x\""}) {
    EXPECT_FALSE(read_quoted_name(text)) << text;
  }
}

}  // namespace
}  // namespace filecall::edit
