// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ipc/request.h"
#include "ipc/response.h"
#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"
#include "ipc/worker_status.h"

namespace filecall {
namespace {

const std::filesystem::path kSchemas = FILECALL_SCHEMA_DIR;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> examples(std::string_view kind, std::string_view schema) {
  std::vector<std::filesystem::path> files;
  const auto folder = kSchemas / "examples" / kind / schema;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Json read_example(const std::filesystem::path& path) {
  auto parsed = parse_json_strict(read_file(path), limits::kDepth);
  EXPECT_TRUE(parsed) << path << ": " << parsed.error().message;
  return parsed ? *parsed : Json();
}

TEST(SchemaCatalog, HasEverySchemaOfTheSourceTreeUnchanged) {
  std::vector<std::string> expected;
  for (const auto& entry : std::filesystem::directory_iterator(kSchemas)) {
    const std::string name = entry.path().filename().string();
    const auto suffix = name.find(".schema.json");
    if (suffix == std::string::npos) continue;
    expected.push_back(name.substr(0, suffix));
    EXPECT_EQ(find_schema(expected.back()), read_file(entry.path())) << name;
  }
  auto names = schema_names();
  std::sort(expected.begin(), expected.end());
  std::sort(names.begin(), names.end());
  EXPECT_TRUE(std::equal(names.begin(), names.end(), expected.begin(), expected.end()));
  EXPECT_GE(names.size(), 7U);
  EXPECT_EQ(find_schema("no.such"), std::nullopt);
}

TEST(SchemaCatalog, EverySchemaDescribesItselfAndEveryMember) {
  for (const std::string_view name : schema_names()) {
    const Json schema = Json::parse(*find_schema(name));
    EXPECT_EQ(schema.value("$schema", ""), "http://json-schema.org/draft-07/schema#") << name;
    EXPECT_GT(schema.value("description", "").size(), 40U) << name;
    if (!schema.contains("properties")) continue;
    for (const auto& [member, rule] : schema["properties"].items()) {
      EXPECT_GT(rule.value("description", "").size(), 10U) << name << ": " << member;
    }
  }
}

TEST(SchemaExamples, ValidOnesPass) {
  for (const std::string_view name : schema_names()) {
    const auto validator = SchemaValidator::compile(*find_schema(name));
    ASSERT_TRUE(validator) << name << ": " << validator.error().message;
    const auto files = examples("valid", name);
    EXPECT_FALSE(files.empty()) << "no valid example of " << name;
    for (const auto& file : files) {
      const auto violation = validator->check(read_example(file));
      EXPECT_FALSE(violation) << file << ": " << violation->pointer << " " << violation->rule;
    }
  }
}

TEST(SchemaExamples, InvalidOnesFailWithWordsOfOurOwn) {
  for (const std::string_view name : schema_names()) {
    const auto validator = SchemaValidator::compile(*find_schema(name));
    ASSERT_TRUE(validator);
    const auto files = examples("invalid", name);
    EXPECT_FALSE(files.empty()) << "no invalid example of " << name;
    for (const auto& file : files) {
      const auto violation = validator->check(read_example(file));
      ASSERT_TRUE(violation) << file;
      EXPECT_FALSE(violation->rule.empty()) << file;
      const bool is_of_patterns = violation->rule.find("pattern") != std::string::npos ||
                                  violation->rule.find("date-time") != std::string::npos;
      EXPECT_TRUE(is_of_patterns || violation->rule.find("onstraint") == std::string::npos)
          << file << ": " << violation->rule;
    }
  }
}

TEST(SchemaExamples, TheRequestReaderAgreesWithTheSchema) {
  for (const auto& file : examples("valid", "request")) {
    const Json example = read_example(file);
    const auto parsed = parse_request(read_file(file), example["request_id"].get<std::string>());
    EXPECT_TRUE(parsed) << file;
  }
  for (const auto& file : examples("invalid", "request")) {
    const Json example = read_example(file);
    std::string stem = "report-17";
    // An id that is no stem can be no file's name, so that no request under its name is read.
    if (file.filename().string().starts_with("request-id")) continue;
    EXPECT_FALSE(parse_request(read_file(file), stem)) << file;
  }
}

TEST(SchemaExamples, TheOtherReadersTakeEveryValidExample) {
  for (const auto& file : examples("valid", "response")) {
    EXPECT_TRUE(parse_response(read_file(file), "report-17")) << file;
  }
  for (const auto& file : examples("valid", "worker_status")) {
    EXPECT_TRUE(parse_worker_status(read_file(file))) << file;
  }
}

TEST(SchemaExamples, ThePictureOfARootHoldsRealFiles) {
  const auto root = kSchemas / ".." / ".." / "tmp-layout";
  int files = 0;
  for (const char* folder : {"requests", "responses", "failed"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".json") continue;
      ++files;
      const std::string text = read_file(entry.path()), stem = entry.path().stem().string();
      if (std::string_view(folder) == "requests") {
        EXPECT_TRUE(parse_request(text, stem)) << entry.path();
      } else {
        EXPECT_TRUE(parse_response(text, stem)) << entry.path();
      }
    }
  }
  EXPECT_GE(files, 6);
}

TEST(SchemaExamples, WhatWeRenderFitsTheSchemas) {
  const auto fits = [](std::string_view schema, const std::string& text) {
    const auto violation = SchemaValidator::compile(*find_schema(schema))->check(Json::parse(text));
    EXPECT_FALSE(violation) << violation->pointer << " " << violation->rule << "\n" << text;
  };
  fits("request", render_request({.request_id = "a", .command = "c", .timeout_ms = 5}));
  Response response{.request_id = "a", .timing = ResponseTiming{}, .worker = "w"};
  fits("response", render_response(response));
  response.failure = Failure{.code = ErrorCode::kAborted, .message = "m", .retry_after_ms = 1};
  fits("response", render_response(response));
  fits("worker_status", render_worker_status({.instance = "i", .durability = "full"}));
}

}  // namespace
}  // namespace filecall
