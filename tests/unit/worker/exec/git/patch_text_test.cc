// SPDX-License-Identifier: MIT
#include "worker/exec/git/patch_text.h"

#include <git2/oid.h>
#include <gtest/gtest.h>

namespace filecall::worker::git {
namespace {

FileSide side(std::string path, char digit, std::uint16_t mode) {
  FileSide out;
  out.path = std::move(path);
  out.mode = mode;
  if (digit != '0') ::git_oid_fromstr(&out.id, std::string(GIT_OID_HEXSZ, digit).c_str());
  return out;
}

std::string patch(const FileChange& change, const std::string& before, const std::string& after) {
  const auto made = make_patch(change, before, after);
  return made ? made->text : made.error().message;
}

TEST(PatchText, ReadsAsGitPrintsIt) {
  const std::string a(40, 'a');
  const std::string b(40, 'b');
  const std::string none(40, '0');
  EXPECT_EQ(patch({ChangeKind::kModified, side("x y", 'a', 0100644), side("x y", 'b', 0100644)},
                  "1\n", "2\n"),
            "diff --git a/x y b/x y\nindex " + a + ".." + b +
                " 100644\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-1\n+2\n");
  EXPECT_EQ(patch({ChangeKind::kAdded, side("x", '0', 0), side("x", 'b', 0100755)}, "", "2"),
            "diff --git a/x b/x\nnew file mode 100755\nindex " + none + ".." + b +
                "\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+2\n\\ No newline at end of file\n");
  EXPECT_EQ(patch({ChangeKind::kDeleted, side("x", 'a', 0100644), side("x", '0', 0)}, "", ""),
            "diff --git a/x b/x\ndeleted file mode 100644\nindex " + a + ".." + none + "\n");
  EXPECT_EQ(patch({ChangeKind::kModified, side("x", 'a', 0100644), side("x", 'a', 0100755)}, "1\n",
                  "1\n"),
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
  EXPECT_EQ(patch({ChangeKind::kRenamed, side("x", 'a', 0100644), side("y\"", 'a', 0100644)}, "1\n",
                  "1\n"),
            "diff --git a/x \"b/y\\\"\"\nsimilarity index 100%\nrename from x\nrename to "
            "\"y\\\"\"\n");
}

TEST(PatchText, CountsItsLines) {
  const FileChange change{ChangeKind::kModified, side("x", 'a', 0100644), side("x", 'b', 0100644)};
  const auto made = make_patch(change, "1\n2\n3\n", "1\n4\n5\n3\n");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->additions, 2U);
  EXPECT_EQ(made->deletions, 1U);
}

}  // namespace
}  // namespace filecall::worker::git
