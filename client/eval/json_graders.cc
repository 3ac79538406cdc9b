// SPDX-License-Identifier: MIT
#include "client/eval/json_graders.h"

#include <fmt/core.h>

#include <utility>

#include "ipc/json_text.h"

namespace filecall::client {
namespace {

Judgement no_json() { return Judgement::of(false, "the answer is not JSON"); }

class JsonSchemaGrader final : public Grader {
 public:
  JsonSchemaGrader(GraderSettings settings, SchemaValidator schema)
      : Grader(std::move(settings)), schema_(std::move(schema)) {}

 private:
  Judgement judge(const Subject& subject, std::span<const Reply>) const override {
    const auto json = answer_json(subject, settings().at);
    if (!json) return no_json();
    const auto violation = schema_.check(*json);
    if (!violation) return Judgement::of(true, "fits the schema");
    return Judgement::of(
        false, fmt::format("{}: {}", violation->pointer.empty() ? "/" : violation->pointer,
                           violation->rule));
  }

  SchemaValidator schema_;
};

class JsonEqualGrader final : public Grader {
 public:
  JsonEqualGrader(GraderSettings settings, std::string pointer, Expectation expected)
      : Grader(std::move(settings)), pointer_(std::move(pointer)), expected_(std::move(expected)) {}

 private:
  const Expectation* expectation() const override { return &expected_; }
  Judgement judge(const Subject& subject, std::span<const Reply>) const override {
    std::string why;
    const auto expected = expected_.value(subject, why);
    if (!expected) return Judgement::none(why);
    const auto json = answer_json(subject, settings().at);
    if (!json) return no_json();
    const Json* value = find_at(*json, pointer_);
    if (value == nullptr) return Judgement::of(false, fmt::format("there is no {}", pointer_));
    if (*value == *expected) return Judgement::of(true, "equal");
    return Judgement::of(false, fmt::format("is {}, expected {}", excerpt(dump_json(*value), 120),
                                            excerpt(dump_json(*expected), 120)));
  }

  std::string pointer_;
  Expectation expected_;
};

}  // namespace

std::unique_ptr<Grader> make_json_schema_grader(GraderSettings settings, SchemaValidator schema) {
  return std::make_unique<JsonSchemaGrader>(std::move(settings), std::move(schema));
}

std::unique_ptr<Grader> make_json_equal_grader(GraderSettings settings, std::string pointer,
                                               Expectation expected) {
  return std::make_unique<JsonEqualGrader>(std::move(settings), std::move(pointer),
                                           std::move(expected));
}

}  // namespace filecall::client
