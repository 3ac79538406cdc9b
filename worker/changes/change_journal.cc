// SPDX-License-Identifier: MIT
#include "worker/changes/change_journal.h"

#include <fmt/core.h>

#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/take_until.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall::worker::changes {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kSumDigits = 32;
constexpr StepKind kKinds[] = {StepKind::kReplace, StepKind::kCreate, StepKind::kRemove,
                               StepKind::kWatch};
constexpr ChangeEnd kEnds[] = {ChangeEnd::kMade, ChangeEnd::kUndone, ChangeEnd::kTorn};

std::string line_of(const Json& object) {
  std::string text;
  append_json(text, object);
  return fmt::format("{} {}\n", hash128(text).hex(), text);
}

/// The object of a whole line; null for any other.
Json object_of(std::string_view line) {
  if (line.size() <= kSumDigits || line[kSumDigits] != ' ') return {};
  const std::string_view text = line.substr(kSumDigits + 1);
  if (hash128(text).hex() != line.substr(0, kSumDigits)) return {};
  Json object = Json::parse(text, nullptr, false);
  return object.is_object() ? object : Json();
}

Json mark_json(const ContentMark& mark) {
  return mark.sha256.empty() ? Json() : Json{{"bytes", mark.bytes}, {"sha256", mark.sha256}};
}

Json step_json(const ChangeStep& step) {
  return {{"kind", to_string(step.kind)},  {"shown", step.shown},
          {"directory", step.directory},   {"name", step.name},
          {"aside", step.aside},           {"before", mark_json(step.before)},
          {"after", mark_json(step.after)}};
}

// Members are there: the checksum says that this program wrote the line.
ContentMark mark_of(const Json& json) {
  if (json.is_null()) return {};
  return {json.at("bytes").get<std::uint64_t>(), json.at("sha256").get<std::string>()};
}

template <typename Word, std::size_t kCount>
Word word_of(const Json& json, const Word (&words)[kCount]) {
  const auto& text = json.get_ref<const std::string&>();
  for (const Word word : words) {
    if (to_string(word) == text) return word;
  }
  CHECK(false, "a whole line has words that this program wrote");
  return words[0];
}

ChangeStep step_of(const Json& json) {
  return {word_of(json.at("kind"), kKinds),
          json.at("shown").get<std::string>(),
          json.at("directory").get<std::string>(),
          json.at("name").get<std::string>(),
          json.at("aside").get<std::string>(),
          mark_of(json.at("before")),
          mark_of(json.at("after"))};
}

ChangeSet set_of(Json&& json) {
  ChangeSet set;
  set.request_id = json.at("request_id").get<std::string>();
  for (const Json& step : json.at("steps")) set.steps.push_back(step_of(step));
  set.makes = json.at("makes").get<std::vector<std::string>>();
  set.empties = json.at("empties").get<std::vector<std::string>>();
  set.answer = std::move(json.at("answer"));
  return set;
}

}  // namespace

std::string_view to_string(ChangeEnd end) {
  switch (end) {
    case ChangeEnd::kMade:
      return "made";
    case ChangeEnd::kUndone:
      return "undone";
    case ChangeEnd::kTorn:
      return "torn";
  }
  CHECK(false, "each end has a name");
  return {};
}

std::string intent_line(const ChangeSet& set) {
  Json steps = Json::array();
  for (const ChangeStep& step : set.steps) steps.push_back(step_json(step));
  return line_of({{"version", kVersion},
                  {"request_id", set.request_id},
                  {"steps", std::move(steps)},
                  {"makes", set.makes},
                  {"empties", set.empties},
                  {"answer", set.answer}});
}

std::string end_line(ChangeEnd end, const std::vector<std::string>& files) {
  return line_of({{"end", to_string(end)}, {"files", files}});
}

Result<ChangeRecord> read_change_record(std::string_view text) {
  Json intent = object_of(take_until(&text, '\n'));
  if (intent.is_null()) {
    return fail(ErrorCode::kDataLoss, "the record of the changes is damaged");
  }
  if (intent.value("version", 0) != kVersion) {
    return fail(ErrorCode::kUnimplemented,
                fmt::format("the record of the changes is of version {}; a newer worker wrote it",
                            intent.value("version", 0)));
  }
  ChangeRecord record;
  record.set = set_of(std::move(intent));
  while (!text.empty()) {
    const Json object = object_of(take_until(&text, '\n'));
    if (!object.contains("end")) continue;
    record.end = word_of(object.at("end"), kEnds);
    record.files = object.at("files").get<std::vector<std::string>>();
  }
  return record;
}

}  // namespace filecall::worker::changes
