// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "worker/exec/file/file_content.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"

namespace filecall::worker::file {
namespace {

constexpr std::size_t kAllLines = 1'000'000'000;

/// One of the files that are asked for: a path, or an object with it.
struct Asked {
  std::string path;
  std::size_t offset = 1;
  std::size_t limit = kAllLines;
};

Asked asked_of(const Json& item) {
  if (item.is_string()) return {item.get<std::string>()};
  return {item["path"].get<std::string>(), item.value("offset", std::size_t{1}),
          item.value("limit", kAllLines)};
}

/// How to come to what an answer had no room for.
std::string advice(const LineSlice& slice, const FileContent& file, std::size_t offset,
                   std::size_t room) {
  const std::size_t next = offset + slice.lines - (slice.is_line_cut ? 1 : 0);
  std::string text = fmt::format(
      "the answer has no room for more (file.limits.read_bytes is {}); ask for the lines from "
      "offset {} on",
      room, next);
  const auto begin = static_cast<std::size_t>(slice.text.data() - file.bytes.data());
  const std::size_t line = std::min(file.bytes.find('\n', begin), file.bytes.size()) - begin + 1;
  if (slice.is_line_cut && line > room) {
    text = fmt::format(
        "line {} alone has {} bytes, more than an answer has room for (file.limits.read_bytes is "
        "{}); its rest is not shown; the next line has offset {}",
        next, line, room, next + 1);
  }
  return text;
}

/// What the answer says of one file; takes what it shows off `bytes_left`.
Json file_json(const FileRules& rules, const FileContent& file, const Asked& asked,
               std::size_t& bytes_left) {
  Json out = {{"path", name_of(rules, file.place.root, file.place.path)},
              {"bytes", file.bytes.size()},
              {"sha256", sha256_hex(file.bytes)}};
  const std::string_view encoding = encoding_of(file.bytes);
  if (encoding != "utf-8") {
    out["binary"] = true;
    out["encoding"] = encoding;
    out["complete"] = false;
    return out;
  }
  const LineSlice slice = slice_lines(file.bytes, asked.offset, asked.limit, bytes_left);
  bytes_left -= slice.text.size();
  out["text"] = slice.text;
  out["lines"] = count_lines(file.bytes);
  out["offset"] = asked.offset;
  out["lines_shown"] = slice.lines;
  out["complete"] = slice.text.size() == file.bytes.size();
  if (!slice.is_whole) out["cut"] = advice(slice, file, asked.offset, rules.config.read_bytes);
  return out;
}

}  // namespace

Outcome file_read(const FileJob& job) {
  std::size_t bytes_left = job.rules.config.read_bytes;
  Json files = Json::array();
  std::size_t failed = 0;
  bool is_complete = true;
  std::optional<Error> first;
  std::size_t index = 0;
  SeenPlaces seen;
  for (const Json& item : job.params["files"]) {
    if (job.is_cancelled) break;
    const Asked asked = asked_of(item);
    const std::string pointer = fmt::format("/params/files/{}", index++);
    const auto content = read_content(job.rules, asked.path, pointer, seen);
    if (content) {
      files.push_back(file_json(job.rules, *content, asked, bytes_left));
      is_complete = is_complete && files.back()["complete"].get<bool>();
      continue;
    }
    ++failed;
    is_complete = false;
    if (!first) first = content.error();
    files.push_back({{"path", asked.path},
                     {"complete", false},
                     {"error_code", to_string(content.error().code)},
                     {"error_message", content.error().message}});
  }
  if (first && failed == files.size()) return refused(*std::move(first));
  return Json{{"files", std::move(files)}, {"failed", failed}, {"complete", is_complete}};
}

}  // namespace filecall::worker::file
