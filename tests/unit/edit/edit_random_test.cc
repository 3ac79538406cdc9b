// SPDX-License-Identifier: MIT
// Random texts and edits: what must hold for all of them.
#include <gtest/gtest.h>

#include "edit/file_edit.h"
#include "edit/hunk_choice.h"
#include "edit/text_merge.h"
#include "edit/unified_reader.h"
#include "edit/unified_writer.h"
#include "tests/unit/edit/random_texts.h"

namespace filecall::edit {
namespace {

FilePatch patch_of(const std::vector<DiffHunk>& hunks) {
  FilePatch patch;
  patch.path = "a file";
  for (const DiffHunk& hunk : hunks) patch.hunks.push_back(hunk.hunk);
  return patch;
}
/// As it was before it was printed and read.
FilePatch without_lines(FilePatch patch) {
  patch.patch_line = 0;
  for (PatchHunk& hunk : patch.hunks) hunk.patch_line = 0;
  return patch;
}

TEST(EditRandom, ADifferencePrintedReadAndAppliedIsTheOtherText) {
  for (unsigned seed = 0; seed < random_rounds(); ++seed) {
    RandomTexts random(seed);
    auto lines = random.lines();
    const std::string before = random.text(lines);
    random.change(lines);
    const std::string after = random.text(lines);
    const auto hunks = diff_texts(before, after);
    ASSERT_TRUE(hunks);
    if (hunks->empty()) {
      ASSERT_EQ(before, after);
      continue;
    }
    const FilePatch patch = patch_of(*hunks);
    const auto read = read_unified_diff(print_unified_diff({&patch, 1}));
    ASSERT_TRUE(read) << seed << read.error().message;
    ASSERT_EQ(read->size(), 1U) << seed;
    ASSERT_EQ(without_lines(read->front()), patch) << seed << print_unified_diff({&patch, 1});
    const auto edited = apply_hunks(before, read->front().hunks);
    // It may be refused as unclear, but what it says it did is right.
    if (edited) {
      ASSERT_EQ(edited->content, after) << seed << print_unified_diff({&patch, 1});
    } else {
      ASSERT_NE(edited.error().reason, EditRefusal::Reason::kNotFound)
          << seed << edited.error().message() << print_unified_diff({&patch, 1});
    }
  }
}

TEST(EditRandom, AnyHunksAndThenTheRestAreTheWhole) {
  for (unsigned seed = 0; seed < random_rounds(); ++seed) {
    RandomTexts random(seed + 10'000);
    auto lines = random.lines();
    const std::string before = random.text(lines);
    random.change(lines);
    const std::string after = random.text(lines);
    std::vector<std::string> first;
    const auto hunks = diff_texts(before, after);
    ASSERT_TRUE(hunks);
    for (const DiffHunk& hunk : *hunks) {
      if (random.below(2) == 0) first.push_back(hunk.id);
    }
    const auto chosen = apply_chosen(before, after, first);
    ASSERT_TRUE(chosen);
    ASSERT_TRUE(!first.empty() || chosen->content == before);
    std::vector<std::string> rest;
    for (const DiffHunk& hunk : chosen->rest) rest.push_back(hunk.id);
    const auto whole = apply_chosen(chosen->content, after, rest);
    ASSERT_TRUE(whole);
    ASSERT_EQ(whole->content, after) << seed;
    ASSERT_TRUE(whole->rest.empty());
  }
}

/// A text of lines of which some occur twice or more.
std::vector<std::string> long_text(RandomTexts& random) {
  std::vector<std::string> lines(120);
  for (std::string& line : lines) {
    line = random.below(4) == 0 ? "}\n" : "line " + std::to_string(random.below(200)) + "\n";
  }
  return lines;
}
std::string text_of_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

TEST(EditRandom, HunksOfAFileThatChangedMeanwhileAreMergedOrRefused) {
  std::size_t applied = 0;
  for (unsigned seed = 0; seed < random_rounds(); ++seed) {
    RandomTexts random(seed + 30'000);
    const auto base = long_text(random);
    auto theirs = base;
    auto ours = base;
    for (int i = 0; i < 3; ++i) theirs[random.below(theirs.size())] = "changed\n";
    for (std::size_t i = 1 + random.below(3); i > 0; --i) {
      const auto at = ours.begin() + static_cast<std::ptrdiff_t>(random.below(ours.size()));
      ours.insert(at, "new " + std::to_string(i) + "\n");
    }
    const auto merged =
        merge_texts(text_of_lines(base), text_of_lines(ours), text_of_lines(theirs));
    const auto hunks = diff_texts(text_of_lines(base), text_of_lines(theirs));
    ASSERT_TRUE(merged && hunks);
    if (!merged->is_clean()) continue;
    for (const bool has_places : {true, false}) {
      FilePatch patch = patch_of(*hunks);
      for (PatchHunk& hunk : patch.hunks) {
        if (!has_places) hunk.place.reset();
      }
      const auto edited = apply_hunks(text_of_lines(ours), patch.hunks);
      if (!edited) continue;
      ASSERT_EQ(edited->content, merged->content) << "seed " << seed;
      ++applied;
    }
  }
  EXPECT_GT(applied, random_rounds());
}

TEST(EditRandom, AMergeOfOneChangeIsThatChange) {
  for (unsigned seed = 0; seed < random_rounds(); ++seed) {
    RandomTexts random(seed + 20'000);
    auto lines = random.lines();
    const std::string before = random.text(lines);
    random.change(lines);
    const std::string after = random.text(lines);
    const auto merged = merge_texts(before, before, after);
    ASSERT_TRUE(merged);
    ASSERT_TRUE(merged->is_clean()) << seed;
    ASSERT_EQ(merged->content, after) << seed;
  }
}

}  // namespace
}  // namespace filecall::edit
