// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "embedded/corpus_files.h"
#include "tests/unit/worker/exec/kube/model/corpus.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kEntries = 500;

std::string_view embedded_corpus(std::string_view name) {
  for (const EmbeddedFile& file : corpus_files()) {
    if (file.name == name) return file.bytes;
  }
  return {};
}

/// Entries that are not shown as they should be: how many, by place, and how many held out.
struct Tally {
  std::size_t wrong = 0;
  std::size_t wrong_held_out = 0;
  std::map<std::string, std::size_t> by_place;
  std::string examples;  ///< Of those that are not held out.

  void add(const CorpusEntry& entry, const std::string& text) {
    ++wrong;
    ++by_place[entry.place];
    if (entry.is_held_out) ++wrong_held_out;
    // Whoever looks at what is held out to mend the rules has no measure any more.
    if (entry.is_held_out) return;
    examples += fmt::format("{} {}: {}\n   {}\n", entry.place, entry.detail, entry.text, text);
  }
  void print(const char* what) const {
    fmt::print("corpus: {} of {} {}, {} of them in the half held out\n", wrong, kEntries, what,
               wrong_held_out);
    for (const auto& [place, count] : by_place) fmt::print("corpus:   {} {}\n", count, place);
    if (std::getenv("FILECALL_CORPUS_EXAMPLES") != nullptr) fmt::print("{}", examples);
  }
};

TEST(RedactionCorpus, HidesThePlantedSecrets) {
  Tally visible;
  for (const CorpusEntry& entry : Corpus(embedded_corpus("secrets.txt")).entries(kEntries)) {
    ASSERT_NE(entry.secret, "") << entry.text;
    ASSERT_TRUE(is_visible(entry.text, entry.secret) || entry.place == "args" ||
                entry.place == "spec")
        << entry.text;
    const Shown out = shown_entry(entry);
    if (is_visible(out.text, entry.secret)) visible.add(entry, out.text);
  }
  visible.print("secrets are visible");
  EXPECT_LE(visible.wrong, 5u) << visible.examples;
}

TEST(RedactionCorpus, LeavesTheHarmlessAlone) {
  Tally masked;
  for (const CorpusEntry& entry : Corpus(embedded_corpus("harmless.txt")).entries(kEntries)) {
    const Shown out = shown_entry(entry);
    if (out.is_changed) masked.add(entry, out.text);
  }
  masked.print("harmless texts are masked");
  EXPECT_LE(masked.wrong, kEntries / 20) << masked.examples;
}

std::string shown_file(const std::string& text) {
  return shown_entry({"file", "settings.json", text, "", false}).text;
}

TEST(RedactionCorpus, HidesOnlyTheValuesOfAFileInJson) {
  const std::string text = shown_file(R"({"app": {"user": "app", "pass": "app"}, "port": "1"})");
  EXPECT_NE(text.find(R"({"app": {"user": "[redacted)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("port": "1")"), std::string::npos) << text;
}

TEST(RedactionCorpus, HidesAFileInJsonWhoseValuesAreWrittenInAnotherWay) {
  EXPECT_EQ(shown_file(R"({"db": {"pass": "hunter2\u0021x"}})").find("hunter2"), std::string::npos);
  EXPECT_EQ(shown_file(R"({"kind": "Secret", "data": {"k": "aHVudGVyMg=="}})").find("aHVu"),
            std::string::npos);
}

}  // namespace
}  // namespace filecall::worker::kube
