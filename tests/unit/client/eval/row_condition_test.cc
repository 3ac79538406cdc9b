// SPDX-License-Identifier: MIT
#include "client/eval/row_condition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace filecall::client {
namespace {

struct ReadCondition {
  RowCondition condition;
  std::vector<std::string> complaints;
};

ReadCondition condition_of(const std::string& yaml) {
  ReadCondition read;
  auto section = YamlSection::parse(yaml, "s.yaml", read.complaints);
  EXPECT_TRUE(section);
  read.condition = read_row_condition(*section);
  section->finish();
  return read;
}

TEST(RowCondition, FitsRowsByTheirColumnsAndMetadata) {
  const Json row = {{"suite", "geo"},
                    {"vars",
                     {{"category", "math"},
                      {"level", 3},
                      {"done", true},
                      {"tags", {"easy", "short"}},
                      {"place", {{"city", "Rome"}}},
                      {"empty", ""},
                      {"none", nullptr}}}};
  const struct {
    const char* yaml;
    bool fits;
  } kCases[] = {
      {"when: {category: math}", true},
      {"when: {category: [logic, math]}", true},
      {"when: {category: Math}", false},
      {"when: {category: [logic, code]}", false},
      {"when: {level: 3}", true},
      {"when: {level: '3'}", true},
      {"when: {level: 4}", false},
      {"when: {done: true}", true},
      {"when: {done: 'true'}", true},
      {"when: {category: math, level: 4}", false},
      {"when: {category: math, level: 3}", true},
      {"when: {suite: geo}", true},
      {"when: {tags: short}", true},
      {"when: {tags: [long, easy]}", true},
      {"when: {tags: hard}", false},
      {"when: {place.city: Rome}", true},
      {"when: {empty: ''}", true},
      {"when: {none: ''}", false},
      {"when: {absent: ''}", false},
      {"unless: {category: math}", false},
      {"unless: {category: logic}", true},
      {"unless: {absent: x}", true},
      {"unless: {category: math, level: 4}", true},
      {"{when: {suite: geo}, unless: {level: 3}}", false},
      {"{when: {suite: geo}, unless: {level: 4}}", true},
      {"{}", true},
  };
  for (const auto& one : kCases) {
    const ReadCondition read = condition_of(one.yaml);
    EXPECT_TRUE(read.complaints.empty()) << one.yaml << ": " << read.complaints.front();
    EXPECT_EQ(read.condition.fits(row), one.fits) << one.yaml;
  }
  EXPECT_FALSE(condition_of("when: {a: b}").condition.fits(nullptr));
}

TEST(RowCondition, IsRefusedWhereItSaysNothing) {
  for (const char* yaml : {"when: math", "when: {}", "when: [math]", "when: {category: }",
                           "when: {category: []}", "when: {category: [math, null]}",
                           "when: {category: {is: math}}", "unless: {category: {}}"}) {
    EXPECT_EQ(condition_of(yaml).complaints.size(), 1U) << yaml;
  }
}

TEST(RowCondition, CanBeRead) {
  const auto text = [](const char* yaml) { return condition_text(condition_of(yaml).condition); };
  EXPECT_EQ(text("{}"), "");
  EXPECT_EQ(text("when: {a: [x, y], b: 1}"), "a=x or y, b=1");
  EXPECT_EQ(text("{when: {a: x}, unless: {b: 1}}"), "a=x, unless b=1");
  EXPECT_EQ(text("unless: {b: 1}"), "unless b=1");
}

}  // namespace
}  // namespace filecall::client
