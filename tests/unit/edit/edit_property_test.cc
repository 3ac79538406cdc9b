// SPDX-License-Identifier: MIT
// What must hold of all patches, choices and edits, without a "may be refused".
#include <gtest/gtest.h>

#include <set>

#include "edit/file_edit.h"
#include "edit/proposal.h"
#include "edit/unified_reader.h"
#include "edit/unified_writer.h"
#include "tests/unit/edit/random_texts.h"

namespace filecall::edit {
namespace {

/// A text whose lines are all different, with one end or several, and with or without the last.
std::string text_of_different_lines(RandomTexts& random, std::size_t first, std::size_t count) {
  std::string out;
  const std::size_t ends = random.below(3);
  for (std::size_t i = first; i < first + count; ++i) {
    const bool is_crlf = ends == 1 || (ends == 2 && random.below(2) == 0);
    out += std::string(random.below(6), ' ') + "line " + std::to_string(i);
    out += is_crlf ? "\r\n" : "\n";
  }
  if (random.below(4) == 0 && !out.empty()) out.pop_back();
  if (out.ends_with('\r')) out.pop_back();
  return out;
}

/// Leaves out some lines of a text, and puts new ones, which it does not have, at some places.
std::string changed(RandomTexts& random, const std::string& text) {
  std::string out;
  std::size_t fresh = 1000;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::size_t kind = random.below(8);
    if (kind == 0) out += "new " + std::to_string(fresh++) + (random.below(9) == 0 ? "\r\n" : "\n");
    if (kind != 1) out += text.substr(at, end - at);
    at = end;
  }
  if (random.below(5) == 0) out += "\nlast";
  if (random.below(20) == 0) out.clear();
  return out;
}

/// The texts before and after, as many cases as random_rounds() says.
template <typename Check>
void for_random_changes(unsigned first_seed, Check check) {
  for (unsigned round = 0; round < random_rounds(); ++round) {
    RandomTexts random(first_seed + round);
    const std::size_t lines = random.below(10) == 0 ? 0 : random.below(60);
    const std::string before = text_of_different_lines(random, 0, lines);
    const std::string after =
        lines == 0 ? text_of_different_lines(random, 0, random.below(9)) : changed(random, before);
    check(random, before, after);
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << first_seed + round;
  }
}

TEST(EditProperty, ADifferenceOfLinesThatStandOnceIsNeverRefused) {
  for_random_changes(50'000, [](RandomTexts& random, const auto& before, const auto& after) {
    const auto hunks = diff_texts(before, after);
    ASSERT_TRUE(hunks);
    ASSERT_EQ(hunks->empty(), before == after);
    if (hunks->empty()) return;
    FilePatch patch;
    patch.path = "f";
    for (const DiffHunk& hunk : *hunks) patch.hunks.push_back(hunk.hunk);
    const auto read = read_unified_diff(print_unified_diff({&patch, 1}));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), 1U);
    auto lines = read->front().hunks;
    if (random.below(2) == 0) {
      for (PatchHunk& hunk : lines) hunk.place->old_start += 37;  // The lines decide, not numbers.
    }
    const auto edited = apply_hunks(before, lines);
    ASSERT_TRUE(edited) << edited.error().message() << print_unified_diff({&patch, 1});
    ASSERT_EQ(edited->content, after) << print_unified_diff({&patch, 1});
  });
}

TEST(EditProperty, ChosenHunksTheRestAndTheUndoAreWholes) {
  for_random_changes(60'000, [](RandomTexts& random, const auto& before, const auto& after) {
    const WantedChange wanted{.path = "f", .new_content = after, .is_exact = true};
    const auto change = propose(wanted, before);
    ASSERT_TRUE(change && !change->has_conflict);
    ASSERT_EQ(change->new_content, after);
    std::vector<std::string> ids;
    for (const DiffHunk& hunk : change->hunks) {
      if (random.below(2) == 0) ids.push_back(hunk.id);
    }
    const auto some = accept_hunks(*change, before, ids);
    ASSERT_TRUE(some);
    ASSERT_EQ(some->rest.has_value(), ids.size() < change->hunks.size());
    ASSERT_TRUE(!ids.empty() || some->content == before);
    const auto whole = some->rest ? propose(*some->rest, some->content) : change;
    ASSERT_TRUE(whole);
    ASSERT_EQ(whole->new_content, after);
    ASSERT_EQ(some->rest ? whole->hunks.size() + ids.size() : ids.size(), change->hunks.size());
    const auto undone = propose(some->undo, some->content);
    ASSERT_TRUE(undone);
    ASSERT_EQ(undone->new_content, before);
  });
}

TEST(EditProperty, PrintedPatchesOfSeveralFilesAreReadAsTheSame) {
  const std::string names[] = {"a",           "dir/b c",       "\"q\"",     "tab\there",
                               "back\\slash", "\u00e4 \u00f6", "a b/",      "-- x",
                               "b/a",         "/dev/x",        "new\nline", "d"};
  for_random_changes(70'000, [&](RandomTexts& random, const auto& before, const auto& after) {
    std::vector<FilePatch> files;
    for (std::size_t count = 1 + random.below(4); count > 0; --count) {
      FilePatch file;
      file.operation = static_cast<Operation>(random.below(3));
      file.path = names[random.below(std::size(names))];
      const bool is_update = file.operation == Operation::kUpdate;
      if (is_update && random.below(4) == 0) file.new_path = "moved " + file.path;
      if (!is_update || random.below(3) == 0) file.mode = random.below(2) == 0 ? 0644 : 0755;
      const auto hunks = diff_texts(file.operation == Operation::kCreate ? "" : before,
                                    file.operation == Operation::kDelete ? "" : after);
      for (const DiffHunk& hunk : *hunks) file.hunks.push_back(hunk.hunk);
      if (is_update && file.hunks.empty() && file.new_path.empty()) continue;
      files.push_back(std::move(file));
    }
    const std::string printed = print_unified_diff(files);
    if (files.empty()) return;
    auto read = read_unified_diff(printed);
    ASSERT_TRUE(read) << read.error().message << "\n" << printed;
    for (FilePatch& file : *read) {
      file.patch_line = 0;
      for (PatchHunk& hunk : file.hunks) hunk.patch_line = 0;
    }
    ASSERT_EQ(*read, files) << printed;
    ASSERT_EQ(print_unified_diff(*read), printed);
  });
}

/// Whether a text has both LF and CR LF.
bool has_both_ends(std::string_view text) {
  std::set<bool> found;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    found.insert(at > 0 && text[at - 1] == '\r');
  }
  return found.size() == 2;
}

TEST(EditProperty, AnEditBringsNoOtherLineEndsIntoAFileOfOneKind) {
  std::size_t applied = 0;
  for_random_changes(80'000, [&](RandomTexts& random, const auto& before, const auto&) {
    if (before.find('\n') == std::string::npos || has_both_ends(before)) return;
    const std::size_t begin = random.below(before.size());
    const std::size_t size = 1 + random.below(std::min<std::size_t>(60, before.size() - begin));
    const TextEdit edit{before.substr(begin, size), random.text(random.lines())};
    const bool has_bare_cr = edit.old_text.ends_with('\r') ||
                             edit.new_text.find("\r\r") != std::string::npos ||
                             edit.new_text.ends_with('\r');
    if (has_bare_cr) return;  // A CR that ends no line is text.
    const auto edited = apply_edits(before, {&edit, 1});
    if (!edited) return;
    ++applied;
    ASSERT_FALSE(has_both_ends(edited->content))
        << ::testing::PrintToString(before) << ::testing::PrintToString(edit.old_text)
        << ::testing::PrintToString(edit.new_text) << ::testing::PrintToString(edited->content);
  });
  EXPECT_GT(applied, random_rounds() / 10);
}

}  // namespace
}  // namespace filecall::edit
