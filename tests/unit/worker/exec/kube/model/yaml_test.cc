// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "worker/exec/kube/model/yaml_reader.h"

namespace filecall::worker::kube {
namespace {

Json only(std::string_view text) {
  const Result<std::vector<Json>> documents = read_yaml(text);
  EXPECT_TRUE(documents) << (documents ? "" : documents.error().message);
  if (!documents || documents->size() != 1) return "not one document";
  return (*documents)[0];
}

std::string complaint(std::string_view text, const YamlLimits& limits = {}) {
  const Result<std::vector<Json>> documents = read_yaml(text, limits);
  return documents ? "read" : documents.error().message;
}

TEST(Yaml, ReadsScalarsByTheRulesOfKubectl) {
  // Left: the text; right: what kubectl 1.32 sends for it.
  const std::vector<std::pair<std::string, Json>> cases = {
      {"0644", 420},
      {"0o644", 420},
      {"08", 8},
      {"0x1F", 31},
      {"0b11", 3},
      {"1_000", 1000},
      {"+1", 1},
      {"-7", -7},
      {"1:30", "1:30"},
      {"2020-01-01", "2020-01-01"},
      {"1e3", 1000},
      {"1.0", 1},
      {"1.50", 1.5},
      {".5", 0.5},
      {"-.5e2", -50},
      {"1e400", "1e400"},
      {"y", true},
      {"Yes", true},
      {"yES", "yES"},
      {"ON", true},
      {"off", false},
      {"N", false},
      {"~", nullptr},
      {"NULL", nullptr},
      {"nuLL", "nuLL"},
      {"'on'", "on"},
      {"\"0644\"", "0644"},
      {"!!str 1", "1"},
      {"!!int \"3\"", 3},
      {"!!float 3", 3},
      {"!!bool \"yes\"", true},
      {"!foo 12", "12"},
      {"!!binary aGVsbG8=", "hello"},
      {"1.2.3", "1.2.3"},
      {"0x", "0x"},
      {"9223372036854775807", 9223372036854775807},
      {"18446744073709551615", 18446744073709551615.0}};
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(only("v: " + text)["v"], value) << text;
  }
}

TEST(Yaml, ReadsKeysAsTexts) {
  EXPECT_EQ(
      only("{n: 1, 1: 2, 1.5: 3, true: 4, 0644: 5, 1e3: 6, 'y': 7}"),
      Json({{"false", 1}, {"1", 2}, {"1.5", 3}, {"true", 4}, {"420", 5}, {"1000", 6}, {"y", 7}}));
}

TEST(Yaml, Merges) {
  const Json out = only(
      "base: &b {a: 1, c: 2}\n"
      "before: {a: 5, <<: *b}\n"
      "after: {<<: *b, a: 5}\n"
      "many: {<<: [{a: 7}, {a: 8, d: 9}], c: 1}\n"
      "text: {\"<<\": 3}\n");
  EXPECT_EQ(out["before"], Json({{"a", 1}, {"c", 2}}));
  EXPECT_EQ(out["after"], Json({{"a", 5}, {"c", 2}}));
  EXPECT_EQ(out["many"], Json({{"a", 7}, {"c", 1}, {"d", 9}}));
  EXPECT_EQ(out["text"], Json({{"<<", 3}}));
}

TEST(Yaml, LeavesOutDocumentsWithoutContent) {
  EXPECT_EQ(read_yaml("# nothing\n---\na: 1\n---\n# nothing\n---\nb: 2\n")->size(), 2u);
  EXPECT_EQ(read_yaml("")->size(), 0u);
}

TEST(Yaml, KeepsTheEndOfABlockAsItIs) {
  EXPECT_EQ(only("a: |\n  x"), Json({{"a", "x\n"}}));
  EXPECT_EQ(only("a: |-\n  x"), Json({{"a", "x"}}));
  EXPECT_EQ(only("a: |\n  x\n"), Json({{"a", "x\n"}}));
  EXPECT_EQ(only("a: |+\n  x\n\n"), Json({{"a", "x\n\n"}}));
}

TEST(Yaml, TakesJson) {
  EXPECT_EQ(only("{\"a\":\t[1, true, null, \"x\"]}"), Json::parse(R"({"a":[1,true,null,"x"]})"));
}

TEST(Yaml, RefusesWithLineAndColumn) {
  EXPECT_EQ(complaint("a: 1\nb: 2\na: 3\n"), "YAML: line 3, column 1: key \"a\" is given twice");
  EXPECT_EQ(complaint("{\"a\":1,\"a\":2}"), "YAML: line 1, column 8: key \"a\" is given twice");
  EXPECT_EQ(complaint("a: .inf"), "YAML: line 1, column 4: JSON has no infinite numbers");
  EXPECT_EQ(complaint("[1]: 2\n"), "YAML: line 1, column 1: a key is not a scalar");
  EXPECT_NE(complaint("a: [1"), "read");
  EXPECT_NE(complaint("a: \"x\n"), "read");
  EXPECT_NE(complaint("a: 'x"), "read");
  EXPECT_NE(complaint("~: 1"), "read");
  EXPECT_NE(complaint("a: !!int x"), "read");
  EXPECT_NE(complaint("{<<: 3}"), "read");
}

TEST(Yaml, EndsWhereTheLibraryFindsDocumentsWithoutEnd) {
  for (const char* text : {R"("a","b":"c":{}})", R"("a","c":"d","k":"p":{}})", R"(x: 1
---
"a","b":"c":{}})"}) {
    EXPECT_TRUE(complaint(text).ends_with("no value can begin here")) << complaint(text);
  }
}

TEST(Yaml, SaysWhatIsWrongInUtf8) {
  for (const char* text : {"\"\\\xf4\"", "\"\\x\xff\"", "%\xff\n---\na", "!\xff a", "*\xff"}) {
    EXPECT_TRUE(is_valid_utf8(complaint(text))) << complaint(text);
  }
}

TEST(Yaml, RefusesWhatIsNotUtf8) {
  for (const char* text : {"a\xc6\xdfmetadata:", "a: \xff", "# \xc3\na: 1",
                           "\xff\xfe"
                           "a"}) {
    EXPECT_EQ(complaint(text), "YAML: the text is not UTF-8; convert it");
  }
}

TEST(Yaml, RefusesControlCharacters) {
  EXPECT_TRUE(complaint(std::string_view("a\0b: 1", 6)).find("control characters") !=
              std::string::npos);
  EXPECT_TRUE(complaint("a: \x1b[1m").find("control characters") != std::string::npos);
  EXPECT_EQ(only("a: \"\\x1b\"\r\n"), Json({{"a", "\x1b"}}));
}

TEST(Yaml, BoundsWhatAliasesMultiply) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += "*a" + last + ", ";
    bomb += "]\n";
  }
  EXPECT_NE(complaint(bomb).find("more than 200000 values"), std::string::npos) << complaint(bomb);
}

TEST(Yaml, BoundsDepthAndSize) {
  EXPECT_NE(complaint(std::string(200, '[') + std::string(200, ']')).find("nested deeper"),
            std::string::npos);
  EXPECT_NE(complaint(std::string(100'000, '[')), "read");
  EXPECT_NE(complaint("a: &x [*x]"), "read");
  EXPECT_NE(complaint("a: 1", {.bytes_max = 3}), "read");
}

}  // namespace
}  // namespace filecall::worker::kube
