// SPDX-License-Identifier: MIT
// Holds values against JSON Schemas: one object {"schema", "values"} a line in, one a line out:
// {"fits": [true, false or, beyond the bounds of a check, null]}, or {"error"} for no schema.
// test_json_schema.py compares the verdicts with those of others.

#include <cstdio>
#include <string>

#include "ipc/limits.h"
#include "ipc/schema_validator.h"
#include "ipc/strict_parser.h"
#include "tests/protocol/input_line.h"

namespace {

using namespace filecall;

Json answer(const std::string& line) {
  const auto question = parse_strict(line, limits::kDepthMax, Strictness::kForeign, "question");
  if (!question) return {{"error", question.error().message}};
  const auto validator = SchemaValidator::compile(question->at("schema"));
  if (!validator) return {{"error", validator.error().message}};
  Json fits = Json::array();
  for (const Json& value : question->at("values")) {
    const auto violation = validator->check(value);
    const bool is_undecided = violation && violation->rule.starts_with("cannot be checked");
    fits.push_back(is_undecided ? Json() : Json(!violation));
  }
  return {{"fits", std::move(fits)}};
}

}  // namespace

int main() {
  std::string line;
  while (filecall::read_input_line(&line)) std::puts(dump_json(answer(line)).c_str());
  return 0;
}
