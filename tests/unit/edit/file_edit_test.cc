// SPDX-License-Identifier: MIT
#include "edit/file_edit.h"

#include <gtest/gtest.h>

#include "edit/patch_reader.h"

namespace filecall::edit {
namespace {

using Reason = EditRefusal::Reason;

std::vector<FilePatch> read_any(const std::string& text) {
  auto files = read_patch(text);
  EXPECT_TRUE(files) << text << (files ? "" : files.error().message);
  return files ? *std::move(files) : std::vector<FilePatch>(1);
}
/// Hunks of a unified diff.
Result<EditedText, EditRefusal> unified(std::string_view text, const std::string& hunks) {
  return apply_hunks(text, read_any("--- a/f\n+++ b/f\n" + hunks).at(0).hunks);
}
/// Hunks of a `*** Begin Patch` patch.
Result<EditedText, EditRefusal> codex(std::string_view text, const std::string& hunks) {
  return apply_hunks(
      text,
      read_any("*** Begin Patch\n*** Update File: f\n" + hunks + "*** End Patch\n").at(0).hunks);
}
std::string content(const Result<EditedText, EditRefusal>& edited) {
  return edited ? edited->content : "refused: " + edited.error().message();
}

TEST(FileEdit, EachGradeOfFitIsNamed) {
  struct Row {
    std::string text, hunk, wanted;
    Grade grade;
  };
  const std::string lines = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
  for (const auto& [text, hunk, wanted, grade] : {
           Row{lines, " two\n-three\n+3\n four\n", "one\ntwo\n3\nfour\nfive\nsix\nseven\n",
               Grade::kExact},
           Row{"a\r\nb\r\nc\r\n", " a\n-b\n+x\n+y\n c\n", "a\r\nx\r\ny\r\nc\r\n", Grade::kLineEnd},
           Row{"a  \nb\nc\n", " a\n-b \n+x\n c\n", "a  \nx\nc\n", Grade::kTrailingSpace},
           Row{"  a\n\n    b\n  c\n", " a\n \n-  b\n+  x\n+    y\n c\n",
               "  a\n\n    x\n      y\n  c\n", Grade::kIndentation},
           Row{"  a\n  \n  b\n", " a\n-\n-b\n+ \n+c\n", "  a\n   \n  c\n", Grade::kIndentation},
           Row{"a\n  b\nc\n", "     a\n-      b\n+      x\n     c\n", "a\n  x\nc\n",
               Grade::kIndentation},
           Row{"\t\ta\n\t\tb\n", " \ta\n-\tb\n+\tx\n", "\t\ta\n\t\tx\n", Grade::kIndentation},
           // Lines at the margin had less to lose; an added one there would say nothing.
           Row{"class A\n  def f\n      a\n      b\n",
               " class A\n def f\n   a\n-  b\n+  x\n+    y\n",
               "class A\n  def f\n      a\n      x\n        y\n", Grade::kIndentation},
           // What is removed and added again stays as the text has it.
           Row{"    a\n    \n    b\n    c\n", " a\n-\n-b\n+\n+x\n c\n",
               "    a\n    \n    x\n    c\n", Grade::kIndentation},
           Row{"a \nb \n\t\nc\n", "-a\n-b\n-\n+a\n+x\n+y\n+\n c\n", "a \nx\ny\n\t\nc\n",
               Grade::kTrailingSpace},
           Row{"say “hi”\nb – c\n", " say \"hi\"\n-b - c\n+x\n", "say “hi”\nx\n",
               Grade::kPunctuation},
           Row{lines, " one\n three\n-four\n+4\n five\n", "one\ntwo\nthree\n4\nfive\nsix\nseven\n",
               Grade::kMissingLine},
           Row{"\xEF\xBB\xBFone\ntwo\n", "-one\n+1\n two\n",
               "\xEF\xBB\xBF"
               "1\ntwo\n",
               Grade::kLineEnd},
           Row{"a\nb", " a\n-b\n+c\n", "a\nc", Grade::kLineEnd},
           Row{"a\nb", " a\n b\n+c\n", "a\nb\nc", Grade::kLineEnd},
           Row{"a\nb", " a\n-b\n", "a", Grade::kLineEnd},
           Row{"\xEF\xBB\xBF"
               "a\nb\n",
               "+0\n a\n b\n",
               "\xEF\xBB\xBF"
               "0\na\nb\n",
               Grade::kLineEnd},
       }) {
    const auto edited = codex(text, "@@\n" + hunk);
    EXPECT_EQ(content(edited), wanted) << hunk;
    if (!edited) continue;
    EXPECT_EQ(to_string(edited->hunks[0].grade), to_string(grade)) << hunk;
  }
}

TEST(FileEdit, OuterContextIsDroppedOnlyWhereTheHunkSaysThatItBelongs) {
  const std::string text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
  const std::string right = "one\ntwo\nthree\n4\nfive\nsix\nseven\n";
  const std::string hunk = " one\n 2\n three\n-four\n+4\n five\n";
  const auto applied = unified(text, "@@ -1,5 +1,5 @@\n" + hunk);
  EXPECT_EQ(content(applied), right);
  EXPECT_EQ(applied->hunks[0].grade, Grade::kOuterContext);
  EXPECT_EQ(content(codex(text, "@@ one\n 2\n three\n-four\n+4\n five\n")), right);
  EXPECT_EQ(unified(text, "@@ -2,5 +2,5 @@\n" + hunk).error().reason, Reason::kNotFound);
  const auto unnamed = codex(text, "@@\n" + hunk);
  ASSERT_FALSE(unnamed) << unnamed->content;
  EXPECT_EQ(unnamed.error().reason, Reason::kNotFound);
  EXPECT_TRUE(unnamed.error().divergence);
  // What stands there instead is nothing like it, or nothing at all.
  EXPECT_FALSE(unified(text, "@@ -2,4 +2,4 @@\n     second\n three\n-four\n+4\n five\n"));
  EXPECT_FALSE(codex(text, "@@ one\n \n three\n-four\n+4\n five\n"));
  EXPECT_FALSE(codex(text, "@@\n 0\n one\n-two\n+2\n three\n four\n"));
}

TEST(FileEdit, EditsTakeNoPlaceThatLacksALineOfTheirs) {
  // The method of the class that is meant is gone; another class has nearly the same one.
  const std::string text =
      "class A:\n    def run(self):\n        start()\n        work()\n        stop()\n";
  const std::vector<TextEdit> edits = {
      {"class B:\n    def run(self):\n        start()\n        work()\n",
       "class B:\n    def run(self):\n        start()\n        rest()\n"}};
  EXPECT_FALSE(apply_edits(text, edits)) << content(apply_edits(text, edits));
  const std::vector<TextEdit> gap = {{"    def run(self):\n        work()\n        stop()\n",
                                      "    def run(self):\n        work()\n        halt()\n"}};
  EXPECT_FALSE(apply_edits(text, gap)) << content(apply_edits(text, gap));
}

TEST(FileEdit, EditsKeepTheFinalNewline) {
  const auto edit = [](std::string_view text, std::string old_text, std::string new_text) {
    const TextEdit one{std::move(old_text), std::move(new_text)};
    return content(apply_edits(text, {&one, 1}));
  };
  EXPECT_EQ(edit("a\nb", "b", "c\n"), "a\nc");
  EXPECT_EQ(edit("a\nb\n", "\nb\n", ""), "a\n");
  EXPECT_EQ(edit("a\r\nb\r\n", "b\r\n", "c"), "a\r\nc\r\n");
  EXPECT_EQ(edit("a\nb", "b", "b\n"), "a\nb\n") << "it asks for nothing else";
  EXPECT_EQ(edit("a\nb\n", "b\n", "b"), "a\nb");
  EXPECT_EQ(edit("b\n", "b\n", ""), "");
}

TEST(FileEdit, EditsKeepTheLineEnds) {
  const auto edit = [](std::string_view text, std::string old_text, std::string new_text) {
    const TextEdit one{std::move(old_text), std::move(new_text)};
    return content(apply_edits(text, {&one, 1}));
  };
  EXPECT_EQ(edit("a\nb\nc\n", "a\nb", "a\r\nx\r\ny"), "a\nx\ny\nc\n");
  EXPECT_EQ(edit("a\nb\n", "b", "x\r\ny"), "a\nx\ny\n");
  EXPECT_EQ(edit("a\r\nb\r\nc\r\n", "a\r\nb", "a\nx\r\ny"), "a\r\nx\r\ny\r\nc\r\n");
  EXPECT_EQ(edit("a\r\nb\r\n", "\nb", "\nx\ny"), "a\r\nx\r\ny\r\n") << "half of a line end";
  EXPECT_EQ(edit("a\nb\r\nc\n", "b\r\n", "x\ny\n"), "a\nx\r\ny\r\nc\n") << "as there";
  EXPECT_EQ(edit("a\nb\r\nc\n", "a\nb\r\nc", "x\r\ny"), "x\r\ny\n") << "neither is usual";
  EXPECT_EQ(edit("a\nb\n", "a\nb\n", "a\r\nb\r\n"), "a\r\nb\r\n") << "it asks for them";
  EXPECT_EQ(edit("a\r\nb", "a\r\nb", "x\ny"), "x\r\ny");
  EXPECT_EQ(edit("a", "a", "x\r\ny"), "x\r\ny") << "the file has none";
}

TEST(FileEdit, WhatFitsNoPlaceOrSeveralIsRefused) {
  struct Row {
    std::string text, hunk;
    Reason reason;
  };
  const std::string lines = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
  for (const auto& [text, hunk, reason] : {
           Row{"x\na\nx\na\n", "-a\n+b\n", Reason::kAmbiguous},
           Row{"a\nb\n  a\n  b\n", " a\n-b\n+c\n", Reason::kAmbiguous},  // A looser second place.
           Row{lines, "-eight\n+8\n", Reason::kNotFound},
           Row{lines, " one\n two\n tree\n-four\n+4\n five\n six\n seven\n", Reason::kNotFound},
           Row{lines, "+zero\n", Reason::kNoContext},
           Row{lines, " one\n two\n-three\n-five\n+3\n six\n", Reason::kNotFound},
           Row{lines, " one\n two\n+new\n four\n five\n", Reason::kNotFound},
           Row{"  a\n    b\nc\n", " a\n   b\n-  c\n+  d\n", Reason::kIndentation},
           Row{"    a\n    b\n", "   a\n-  b\n+c\n", Reason::kIndentation},
           Row{"a\nb\n", "     a\n-    b\n+  c\n", Reason::kIndentation},
           // Lines at the margin may have lost less, but not by one line's word, and not more.
           Row{"f:\n    a\n        b\n", " f:\n a\n-    b\n+    x\n", Reason::kIndentation},
           Row{"f:\n   a\n    b\n    c\n", " f:\n a\n-  b\n-  c\n+  x\n", Reason::kIndentation},
           Row{"f:\n  a\n    b\n    c\n", " f:\n a\n-  b\n-  c\n+x\n", Reason::kIndentation},
           Row{"one\n2\nthree\n", " one\n-two\n+2\n three\n", Reason::kAppliedAlready},
           Row{"one\nnew\n", " one\n+new\n", Reason::kAppliedAlready},
           Row{"new\none\n", "+new\n one\n", Reason::kAppliedAlready},
           Row{lines, "-seven\n+7\n", Reason::kAnchor},
       }) {
    const bool is_anchor = reason == Reason::kAnchor;
    const auto edited = codex(text, (is_anchor ? "@@ eight\n" : "@@\n") + hunk);
    ASSERT_FALSE(edited) << hunk << edited->content;
    EXPECT_EQ(to_string(edited.error().reason), to_string(reason))
        << hunk << edited.error().message();
  }
}

TEST(FileEdit, ALineNumberDecidesBetweenEqualPlacesOnlyWhenItIsRight) {
  const std::string text = "x\na\n1\n2\n3\n4\na\nx\nb\n";
  EXPECT_EQ(content(unified(text, "@@ -7 +7 @@\n-a\n+c\n")), "x\na\n1\n2\n3\n4\nc\nx\nb\n");
  EXPECT_EQ(unified(text, "@@ -6 +6 @@\n-a\n+c\n").error().reason, Reason::kAmbiguous);
  // The other hunk's number is wrong, so nobody knows what this one's is worth.
  EXPECT_EQ(unified(text, "@@ -7 +7 @@\n-a\n+c\n@@ -5 +5 @@\n-b\n+f\n").error().reason,
            Reason::kAmbiguous);
  EXPECT_EQ(content(unified(text, "@@ -7 +7 @@\n-a\n+c\n@@ -9 +9 @@\n-b\n+f\n")),
            "x\na\n1\n2\n3\n4\nc\nx\nf\n");
  EXPECT_EQ(content(unified(text, "@@ -99 +99 @@\n-b\n+f\n")), "x\na\n1\n2\n3\n4\na\nx\nf\n");
  // Equal lines so near each other that a number off by two names the wrong ones.
  EXPECT_EQ(unified("a\n1\n2\na\n", "@@ -4 +4 @@\n-a\n+c\n").error().reason, Reason::kAmbiguous);
  // Two blocks of three lines may touch, not overlap.
  const std::string twins = "a\nx\nb\na\nx\nb\n";
  const std::string block = " a\n-x\n+y\n b\n";
  EXPECT_EQ(content(unified(twins, "@@ -4,3 +4,3 @@\n" + block)), "a\nx\nb\na\ny\nb\n");
  EXPECT_EQ(content(unified(twins, "@@ -1,3 +1,3 @@\n" + block)), "a\ny\nb\na\nx\nb\n");
  for (const char* off : {"2", "3", "5", "6"}) {
    EXPECT_EQ(unified(twins, "@@ -" + std::string(off) + ",3 +4,3 @@\n" + block).error().reason,
              Reason::kAmbiguous);
  }
  EXPECT_EQ(unified(twins, "@@ -4,3 +4,2 @@\n-a\n-x\n b\n").error().reason, Reason::kAmbiguous);
  EXPECT_EQ(unified("a\nx\na\nx\na\n", "@@ -3,3 +3,3 @@\n a\n-x\n+y\n a\n").error().reason,
            Reason::kAmbiguous);
  EXPECT_EQ(unified("x\nx\nx\nx\nx\n", "@@ -2,2 +2,2 @@\n x\n-x\n+c\n").error().reason,
            Reason::kAmbiguous);
}

TEST(FileEdit, AHunkThatIsNearlyWhereItSaysIsNotAppliedElsewhere) {
  // It lacks the line "new", and so fits the second place as it is.
  const std::string text = "one\nnew\ntwo\nthree\n-\none\ntwo\nthree\n";
  EXPECT_EQ(unified(text, "@@ -1,3 +1,3 @@\n one\n two\n-three\n+3\n").error().reason,
            Reason::kAmbiguous);
  EXPECT_EQ(codex(text, "@@\n one\n two\n-three\n+3\n").error().reason, Reason::kAmbiguous);
  EXPECT_EQ(content(unified(text, "@@ -6,3 +6,3 @@\n one\n two\n-three\n+3\n")),
            "one\nnew\ntwo\nthree\n-\none\ntwo\n3\n");
}

TEST(FileEdit, AHunkThatWasAppliedAlreadyIsNotAppliedToItsDouble) {
  // Both blocks were equal; the hunk was applied to the first one.
  const std::string text = "one\n2\nthree\n-\n-\none\ntwo\nthree\n";
  const std::string lines = " one\n-two\n+2\n three\n";
  EXPECT_EQ(unified(text, "@@ -1,3 +1,3 @@\n" + lines).error().reason, Reason::kAppliedAlready);
  const auto unnumbered = codex(text, "@@\n" + lines);
  EXPECT_EQ(unnumbered.error().reason, Reason::kAppliedAlready);
  EXPECT_EQ(unnumbered.error().candidates, std::vector<std::int64_t>{1});
  EXPECT_EQ(content(unified(text, "@@ -6,3 +6,3 @@\n" + lines)),
            "one\n2\nthree\n-\n-\none\n2\nthree\n");
}

TEST(FileEdit, AnchorsNarrowAPlaceDown) {
  const std::string text =
      "def f():\n    a\n    return 1\n\ndef g():\n    b\n    return 1\n\ndef h():\n    return 2\n";
  EXPECT_EQ(codex(text, "@@\n-    return 1\n+    return 3\n").error().reason, Reason::kAmbiguous);
  EXPECT_EQ(
      content(codex(text, "@@ def f():\n-    return 1\n+    return 3\n")),
      "def f():\n    a\n    return 3\n\ndef g():\n    b\n    return 1\n\ndef h():\n    return "
      "2\n");
  EXPECT_EQ(
      content(codex(text, "@@ def g():\n-    return 1\n+    return 3\n")),
      "def f():\n    a\n    return 1\n\ndef g():\n    b\n    return 3\n\ndef h():\n    return "
      "2\n");
  EXPECT_EQ(codex(text, "@@ def h():\n-    b\n+    c\n").error().reason, Reason::kAnchor);
  EXPECT_EQ(codex(text, "@@ def f():\n+    first\n").error().reason, Reason::kNoContext);
}

TEST(FileEdit, TheEndOfAFileIsNotElsewhere) {
  EXPECT_EQ(content(codex("a\nb\na\n", "@@\n-a\n+c\n*** End of File\n")), "a\nb\nc\n");
  EXPECT_EQ(content(codex("a\nb\n", "@@\n+c\n*** End of File\n")), "a\nb\nc\n");
  EXPECT_EQ(content(codex("a\nb", "@@\n+c\n*** End of File\n")), "a\nb\nc");
  EXPECT_EQ(codex("a\nb\n", "@@\n-a\n+c\n*** End of File\n").error().reason, Reason::kNotFound);
  const std::string marker = "\\ No newline at end of file\n";
  EXPECT_EQ(content(unified("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n" + marker + "+b\n")), "a\nb\n");
  EXPECT_EQ(content(unified("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n" + marker)), "a\nb");
  EXPECT_EQ(content(unified("", "@@ -0,0 +1,2 @@\n+a\n+b\n" + marker)), "a\nb");
}

TEST(FileEdit, HunksMayStandInAnyOrderButMayNotMeet) {
  const std::string text = "a\nb\nc\ne\n";
  EXPECT_EQ(content(codex(text, "@@\n-e\n+4\n@@\n-a\n+1\n")), "1\nb\nc\n4\n");
  const auto same = codex(text, "@@\n-b\n+1\n@@\n-e\n+5\n@@\n a\n-b\n+2\n").error();
  EXPECT_EQ(same.reason, Reason::kOverlap);
  EXPECT_EQ(same.message(),
            "hunk 3 (patch line 9): changes lines that hunk 1 changes; make one hunk of both");
  EXPECT_EQ(codex(text, "@@\n b\n+1\n@@\n+2\n c\n").error().reason, Reason::kOverlap);
}

TEST(FileEdit, ARefusalNamesPlacesAndTheFirstLineThatDiffers) {
  const auto several = codex("a\nb\na\n", "@@\n-a\n+c\n").error();
  EXPECT_EQ(several.candidates, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(several.message(),
            "hunk 1 (patch line 3): its lines fit 2 places, lines 1, 3; give more lines around the "
            "change");
  const auto other = codex("one\ntwo\nthree\nfour\n", "@@\n two\n-tree\n+3\n four\n").error();
  ASSERT_TRUE(other.divergence);
  EXPECT_EQ(other.divergence->place, 2);
  EXPECT_EQ(other.divergence->file_line, 3);
  EXPECT_EQ(other.divergence->expected, "tree");
  EXPECT_EQ(other.divergence->actual, "three");
  EXPECT_EQ(other.divergence->equal, 2U);
  EXPECT_NE(other.message().find("line 2 of the hunk is \"tree\", line 3 of the file is \"three\""),
            std::string::npos)
      << other.message();
}

TEST(FileEdit, EditsReplaceBytesOnceOrLines) {
  const auto edit = [](std::string_view text, std::vector<TextEdit> edits) {
    return apply_edits(text, edits);
  };
  EXPECT_EQ(content(edit("f(1, 2)\n", {{"1", "one"}, {"2", "two"}})), "f(one, two)\n");
  EXPECT_EQ(content(edit("a\r\nb\r\nc\r\n", {{"b", "x\ny"}})), "a\r\nx\r\ny\r\nc\r\n");
  EXPECT_EQ(content(edit("a\r\nb\r\nc\r\n", {{"a\nb\n", "x\n"}})), "x\r\nc\r\n");
  EXPECT_EQ(content(edit("  if a:\n    b\n", {{"if a:\n  c", "x"}})).substr(0, 8), "refused:");
  EXPECT_EQ(content(edit("    if a:\n        b\n", {{"if a:\n    b", "if x:\n    y\n    z"}})),
            "    if x:\n        y\n        z\n");
  EXPECT_EQ(content(edit("a\nb\nc\n", {{"b\n", ""}})), "a\nc\n");
  EXPECT_EQ(content(edit("", {{"", "new\n"}})), "new\n");
  EXPECT_EQ(edit("aaa\n", {{"aa", "b"}}).error().reason, Reason::kAmbiguous);
  EXPECT_EQ(edit("a\n", {{"", "b"}}).error().reason, Reason::kNoContext);
  EXPECT_EQ(edit("a\n", {{"a", "a"}}).error().reason, Reason::kNoChange);
  EXPECT_EQ(edit("abc\n", {{"ab", "x"}, {"bc", "y"}}).error().reason, Reason::kOverlap);
  const auto missing = edit("a\nb\nc\n", {{"a", "1"}, {"q", "b"}});
  EXPECT_EQ(missing.error().hunk, 2U);
  EXPECT_EQ(missing.error().detail, "the new text stands at line 2");
}

TEST(FileEdit, APatchIsHeldAgainstWhetherTheFileIsThere) {
  const auto result = [](const std::string& text, std::optional<std::string_view> present) {
    const auto file = apply_patch(read_any(text).at(0), present);
    return file ? file->content.value_or("(deleted)") : "refused: " + file.error().message();
  };
  const std::string add = "*** Begin Patch\n*** Add File: f\n+a\n*** End Patch\n";
  const std::string remove = "*** Begin Patch\n*** Delete File: f\n*** End Patch\n";
  const std::string git_remove = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
  EXPECT_EQ(result(add, std::nullopt), "a\n");
  EXPECT_EQ(result(add, ""), "refused: the file is there already; update it instead");
  EXPECT_EQ(result(remove, "x\n"), "(deleted)");
  EXPECT_EQ(result(remove, std::nullopt), "refused: there is no such file to delete");
  EXPECT_EQ(result(git_remove, "a\n"), "(deleted)");
  EXPECT_EQ(result(git_remove, "a\nb\n"),
            "refused: the file has more lines than the patch deletes");
  EXPECT_EQ(result("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "\xFF"),
            "refused: the file: encoding: byte 1, line 1 is not UTF-8; convert it to UTF-8");
}

TEST(FileEdit, HostileTextsEndWithinTheBudget) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "x\n";
  PatchHunk hunk;
  for (int i = 0; i < 5'000; ++i) hunk.lines.push_back({Sign::kContext, "x", LineEnd::kLf});
  hunk.lines.push_back({Sign::kRemoved, "x", LineEnd::kLf});
  const auto edited = apply_hunks(text, {&hunk, 1}, WorkBudget{500'000});
  ASSERT_FALSE(edited);
  EXPECT_EQ(edited.error().reason, Reason::kWorkLimit);
  EXPECT_EQ(edited.error().code(), ErrorCode::kFailedPrecondition) << "again is the same";
}

}  // namespace
}  // namespace filecall::edit
