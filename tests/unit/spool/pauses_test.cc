// SPDX-License-Identifier: MIT
#include "spool/pauses.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "os/clock.h"
#include "tests/unit/spool/temporary_root.h"

namespace filecall::spool {
namespace {

TEST(Pauses, AreNamesThatComeBackFromTheirFiles) {
  for (const std::string& name : {std::string("tool.run"), std::string("openai/gpt-4.1"),
                                  std::string("a b%c\xC3\xA4\n"), std::string("..")}) {
    PauseSet set;
    const std::string file = pause_file_name(PauseKind::kDestination, name);
    EXPECT_EQ(file.find('/'), std::string::npos);
    add_pause(file, set);
    add_pause(pause_file_name(PauseKind::kBatch, name), set);
    EXPECT_EQ(set.destinations, (std::set<std::string, std::less<>>{name}));
    EXPECT_EQ(set.batches, (std::set<std::string, std::less<>>{name}));
    EXPECT_FALSE(set.everything);
  }
  EXPECT_EQ(pause_file_name(PauseKind::kDestination, "openai/x"), "destination.openai%2Fx");
}

TEST(Pauses, SayNothingInAForeignName) {
  for (const char* name : {"", "roots", ".root", "destination.", "destination.%", "destination.%4",
                           "destination.%zz", "batch", "root~", ".17.tmp"}) {
    PauseSet set;
    add_pause(name, set);
    EXPECT_EQ(set, PauseSet{}) << name;
  }
}

TEST(Pauses, SayNothingInANameThatIsWrittenInAnotherWay) {
  for (const char* name :
       {"%74ool", "tool%2Erun", "tool%2erun", "a%5Fb", "a%2Db",  "%30",      "openai%2fgpt-4.1",
        "a%0a",   "a b",        "a\n",        "a\x01", "a\x7F",  "\xC3\xA4", "%C3\xA4",
        "%c3%A4", "a+b",        "a%%",        "a%2F%", "a%2F%4", "a% 2",     "%2FA b"}) {
    for (const char* prefix : {"destination.", "batch."}) {
      PauseSet set;
      add_pause(std::string(prefix) + name, set);
      EXPECT_EQ(set, PauseSet{}) << prefix << name;
    }
  }
  for (const char* name : {"%72oot", "root%", "destination%2Etool", "Destination.tool",
                           "%64estination.tool", "batch%2Eb"}) {
    PauseSet set;
    add_pause(name, set);
    EXPECT_EQ(set, PauseSet{}) << name;
  }
}

TEST(Pauses, ThatAreNamedHaveTheFileThatIsRemoved) {
  for (int byte = 0; byte < 256; ++byte) {
    for (const std::string& text :
         {std::string(1, static_cast<char>(byte)), fmt::format("%{:02X}", byte),
          fmt::format("%{:02x}", byte), fmt::format("%{:02X}x", byte)}) {
      PauseSet set;
      add_pause("destination." + text, set);
      ASSERT_LE(set.destinations.size(), 1U);
      if (set.destinations.empty()) continue;
      EXPECT_EQ(pause_file_name(PauseKind::kDestination, *set.destinations.begin()),
                "destination." + text);
    }
  }
}

TEST(Pauses, AreNamedByTheFirstAndCounted) {
  struct Row {
    bool everything;
    std::set<std::string, std::less<>> destinations;
    std::size_t limit;
    std::vector<std::string> first;
    std::size_t count;
    const char* text;
  };
  for (const Row& row : {
           Row{false, {}, 2, {}, 0, "nothing"},
           Row{true, {}, 2, {"root"}, 1, "root"},
           Row{true, {"a"}, 2, {"root", "a"}, 2, "root a"},
           Row{true, {"a", "b", "c"}, 2, {"root", "a"}, 4, "root a, and 2 more"},
           Row{false, {"a", "b", "c"}, 2, {"a", "b"}, 3, "a b, and 1 more"},
           Row{true, {"a"}, 0, {}, 2, "2 more"},
       }) {
    const HeldNames names = held_names({row.everything, row.destinations, {"batch"}}, row.limit);
    EXPECT_EQ(names.first, row.first) << row.text;
    EXPECT_EQ(names.count, row.count) << row.text;
    EXPECT_EQ(held_text(names), row.text);
  }
}

TEST(Pauses, AreSeenAsSoonAsTheyAreThere) {
  const TemporaryRoot root;
  const Layout layout(root.path());
  PauseLook look(layout);
  EXPECT_FALSE(look.refresh(wall_now())) << "no directory";
  // Several in one tick of the kernel's clock.
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(write_pause(layout, PauseKind::kRoot, "", {{"by", "me"}}));
    ASSERT_TRUE(look.refresh(wall_now()));
    EXPECT_TRUE(look.set().everything && look.set().holds_worker());
    EXPECT_FALSE(look.refresh(wall_now()));
    EXPECT_TRUE(remove_pause(layout, PauseKind::kRoot, "").value());
    ASSERT_TRUE(look.refresh(wall_now()));
    EXPECT_EQ(look.set(), PauseSet{});
  }
  EXPECT_FALSE(remove_pause(layout, PauseKind::kRoot, "").value());
  std::ofstream(layout.paused() + "/destination.tool") << "by hand";
  ASSERT_TRUE(look.refresh(wall_now()));
  std::filesystem::remove_all(layout.paused());
  ASSERT_TRUE(look.refresh(wall_now()));
  EXPECT_FALSE(look.set().holds_worker());
}

TEST(Pauses, AreNotReadThroughALink) {
  const TemporaryRoot root;
  const TemporaryRoot other;
  const Layout layout(root.path());
  std::ofstream(other.path() + "/root") << "";
  std::filesystem::create_symlink(other.path(), layout.paused());
  PauseLook look(layout);
  look.refresh(wall_now());
  EXPECT_FALSE(look.set().everything);
  EXPECT_FALSE(write_pause(layout, PauseKind::kBatch, "b", Json::object()));
}

}  // namespace
}  // namespace filecall::spool
