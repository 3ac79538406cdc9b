// SPDX-License-Identifier: MIT
#include "edit/apply_patch_reader.h"

#include <gtest/gtest.h>

namespace filecall::edit {
namespace {

std::string envelope(std::string_view body) {
  return "*** Begin Patch\n" + std::string(body) + "*** End Patch\n";
}
std::vector<FilePatch> read_envelope(std::string_view text) {
  auto files = read_patch(text);
  EXPECT_TRUE(files) << (files ? "" : files.error().message);
  return files ? *std::move(files) : std::vector<FilePatch>();
}

TEST(ApplyPatchReader, ReadsEachOperation) {
  const auto files =
      read_envelope(envelope("*** Add File: new.txt\n+one\n+\n+two\n"
                             "*** Delete File: old.txt\n"
                             "*** Update File: a.py\n*** Move to: b.py\n"
                             "@@ class Shop:\n@@   def sell(self):\n   x\n-y\n+z\n\n w\n\n"
                             "@@\n-last\n+end\n*** End of File\n"));
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].operation, Operation::kCreate);
  ASSERT_EQ(files[0].hunks.at(0).lines.size(), 3U);
  EXPECT_EQ(files[0].hunks[0].lines[1].text, "");
  EXPECT_EQ(files[1].operation, Operation::kDelete);
  EXPECT_EQ(files[1].path, "old.txt");
  EXPECT_EQ(files[2].new_path, "b.py");
  ASSERT_EQ(files[2].hunks.size(), 2U);
  const PatchHunk& first = files[2].hunks[0];
  EXPECT_EQ(first.anchors.size(), 2U);
  ASSERT_EQ(first.lines.size(), 5U) << "an empty line within is context, one behind separates";
  EXPECT_EQ(first.lines[3], (PatchLine{Sign::kContext, "", LineEnd::kLf}));
  EXPECT_EQ(first.place, std::nullopt);
  EXPECT_TRUE(files[2].hunks[1].is_at_end);
}

TEST(ApplyPatchReader, ReadsWhatIsAroundAPatch) {
  const std::string plain = envelope("*** Update File: a\n@@\n-x\n+y\n");
  for (const std::string& text :
       {plain, "\n  " + plain + "\n", "<<'EOF'\n" + plain + "EOF\n", "<<EOF\n" + plain + "EOF",
        "<<\"EOF\"\n" + plain + "EOF\n\n", "cat <<'EOF'\n" + plain + "EOF",
        "apply_patch << 'PATCH'\n" + plain + "PATCH\n",
        "applypatch <<End_it\n" + plain + "End_it"}) {
    EXPECT_EQ(read_envelope(text).size(), 1U) << text;
    EXPECT_TRUE(begins_apply_patch(text)) << text;
  }
  EXPECT_EQ(
      read_envelope("*** Begin Patch  \n  *** Update File: a b \n@@\n-x\n+y\n *** End Patch\n")
          .at(0)
          .path,
      "a b");
  EXPECT_EQ(read_envelope(envelope("*** Update File: a\n-x\n+y\n")).size(), 1U)
      << "the first @@ is optional";
}

TEST(ApplyPatchReader, ReadsHeadersOfHunksAsModelsWriteThem) {
  const auto hunk_of = [](const std::string& header) {
    return read_envelope(envelope("*** Update File: a\n" + header + "\n-x\n+y\n"))
        .at(0)
        .hunks.at(0);
  };
  EXPECT_EQ(hunk_of("@@ -6,9 +7,9 @@ def f():").place, (StatedPlace{6, 7}));
  EXPECT_TRUE(hunk_of("@@ -6,9 +7,9 @@ def f():").anchors.empty());
  EXPECT_EQ(hunk_of("@@ def f(): @@").anchors, std::vector<std::string>{"def f():"});
  EXPECT_EQ(hunk_of("@@   def f():  ").anchors, std::vector<std::string>{"def f():"});
  for (const char* header : {"@@", "@@ ", "@@ @@", "@@ ... @@"}) {
    EXPECT_TRUE(hunk_of(header).anchors.empty()) << header;
    EXPECT_FALSE(hunk_of(header).place) << header;
  }
}

TEST(ApplyPatchReader, NamesTheLineAndTheRuleOfAMistake) {
  const std::pair<std::string, std::string_view> rows[] = {
      {"*** Begin Patch\n", "patch line 1: the last line of the patch is"},
      {"*** Begin Patch\n*** End Patch\n", "patch line 1: the patch has no file"},
      {"<<EOF\n*** Begin Patch\n*** End Patch\n", "patch line 1: the here-document does not end"},
      {"cat <<'END'\n*** Begin Patch\n*** Add File: a\n*** End Patch\nEOF\n",
       "patch line 1: the here-document does not end with \"END\""},
      {"rm <<EOF\n" + envelope("*** Add File: a\n+x\n") + "EOF\n", "patch line 1: neither"},
      {envelope("*** Frob File: x\n"), "patch line 2: a file begins with"},
      {envelope("hello\n"), "patch line 2: a file begins with"},
      {envelope("*** Add File: \n+x\n"), "patch line 2: the name of the file is empty"},
      {envelope("*** Add File: a\n+x\ny\n"), "patch line 4: each line of an added file"},
      {envelope("*** Update File: a\n"), "patch line 2: the update has no hunk"},
      {envelope("*** Update File: a\n@@\n x\n"), "patch line 3: the hunk has neither"},
      {envelope("*** Update File: a\n@@\n-x\n+y\n?z\n"), "patch line 6: a line of a hunk begins"},
      {envelope("*** Update File: a\n*** Move to:\n@@\n-x\n"), "patch line 3: the name"},
  };
  for (const auto& [text, message] : rows) {
    const auto files = read_patch(text);
    ASSERT_FALSE(files) << text;
    EXPECT_EQ(files.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(files.error().message.starts_with(message)) << files.error().message;
  }
}

}  // namespace
}  // namespace filecall::edit
