// SPDX-License-Identifier: MIT
// Tables of variables (CSV, TSV) and the templates that they fill. The first line is the template,
// the rest the table. Each row is an object or has a problem; what is made of it is a request, or
// the row is told to be none; equal rows make equal requests.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "client/batch/batch_item.h"
#include "client/batch/request_maker.h"
#include "client/batch/table_reader.h"
#include "client/core/prompt_template.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace {

using namespace filecall;
using namespace filecall::client;

constexpr std::size_t kRowBytesMax = 4096;

UniqueFd file_of(std::string_view bytes) {
  UniqueFd fd(::memfd_create("table", MFD_CLOEXEC));
  CHECK(fd.is_open(), "memfd_create");
  CHECK(::pwrite(fd.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "pwrite");
  return fd;
}

BatchPlan plan_of(std::string_view line) {
  BatchPlan plan;
  plan.matrix.repeat = 2;
  RequestTemplate wanted{"t", {{"command", "llm.chat"}, {"params", Json::object()}}, ""};
  const auto json = parse_strict(line, limits::kDepth, Strictness::kRequest, "template");
  if (json && json->is_object() && json->value("params", Json()).is_object()) {
    wanted.request = *json;  // The loader of templates refuses other ones.
  } else {
    wanted.prompt = std::string(line);
  }
  if (!line.empty()) plan.templates.push_back(std::move(wanted));
  return plan;
}

void check_row(const RequestMaker& maker, const std::string& row) {
  const auto object = parse_strict(row, limits::kDepth, Strictness::kRequest, "row");
  CHECK(object && object->is_object(), "a row is an object without equal names");
  const auto made = maker.make(row, std::nullopt);
  if (!made) {
    CHECK(!made.error().empty() && is_valid_utf8(made.error()), "a refusal has a reason");
    return;
  }
  CHECK(maker.make(row, std::nullopt)->texts == made->texts, "equal rows make equal requests");
  for (const std::string& text : made->texts) {
    const auto item = read_batch_item(text, std::nullopt, ItemCheck::kFull);
    CHECK(item || !item.error().empty(), "a refusal has a reason");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string_view line = bytes.substr(0, end);
  const std::string_view table = bytes.substr(std::min(bytes.size(), end + 1));
  if (!is_valid_utf8(line)) return 0;
  const RequestMaker maker(plan_of(line));
  for (const char delimiter : {',', '\t'}) {
    const auto reader = TableReader::open(file_of(table), "table", delimiter, kRowBytesMax);
    std::int64_t before = 0;
    for (;;) {
      const auto row = reader->next();
      CHECK(row.has_value(), "memory can be read");
      if (!row->has_value()) break;
      CHECK((*row)->line >= before, "lines are counted");
      before = (*row)->line;
      CHECK((*row)->object.empty() != (*row)->problem.empty(),
            "a row is an object or has a problem");
      CHECK(is_valid_utf8((*row)->problem), "a problem can be shown");
      if (!(*row)->object.empty()) check_row(maker, (*row)->object);
    }
  }
  return 0;
}
