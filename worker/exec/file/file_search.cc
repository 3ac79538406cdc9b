// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "os/io.h"
#include "os/side_by_side.h"
#include "worker/exec/file/answer_room.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_text.h"
#include "worker/exec/file/file_walk.h"
#include "worker/exec/file/line_search.h"

namespace filecall::worker::file {
namespace {

constexpr Threads kThreads{2, 64};
/// Of a line that is shown, around what fits.
constexpr std::size_t kLineBytes = 500;
constexpr std::size_t kBeforeFit = 100;

/// A match as the answer has it, and how much of its text it takes.
struct ShownMatch {
  Json json;
  std::size_t bytes = 0;
};

/// What one file came to.
struct Searched {
  enum class State : std::uint8_t { kRead, kNotThere, kUnreadable, kTooLarge, kNoText };
  State state = State::kRead;
  std::size_t count = 0;
  /// Not those that certainly have no room in the answer.
  std::vector<ShownMatch> matches;
};

struct Search {
  const FileJob& job;
  const LineSearch& lines;
  std::size_t context = 0;
  std::size_t max = 0;

  std::size_t bytes_max() const { return job.rules.config.read_bytes; }
};

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// A part of a line of at most kLineBytes, around `at`; whole characters.
std::string_view part_of_line(std::string_view text, std::size_t begin, std::size_t end,
                              std::size_t at) {
  if (end - begin <= kLineBytes) return text.substr(begin, end - begin);
  std::size_t from = std::max(begin, at < begin + kBeforeFit ? begin : at - kBeforeFit);
  while (from < end && !begins_character(text[from])) ++from;
  const std::string_view part = text.substr(from, std::min(end - from, kLineBytes));
  return part.substr(0, part.size() - unfinished_utf8_end(part));
}

/// The lines before `begin`, the nearest one last.
Json lines_before(std::string_view text, std::size_t begin, std::size_t count) {
  std::vector<std::string> lines;
  while (begin > 0 && lines.size() < count) {
    const std::size_t end = begin - 1;  // The line feed.
    const std::size_t feed = end == 0 ? text.npos : text.rfind('\n', end - 1);
    begin = feed == text.npos ? 0 : feed + 1;
    lines.emplace_back(part_of_line(text, begin, end, begin));
  }
  std::ranges::reverse(lines);
  return lines;
}

Json lines_after(std::string_view text, std::size_t end, std::size_t count) {
  Json lines = Json::array();
  for (std::size_t feed = text.find('\n', end);
       feed != text.npos && feed + 1 < text.size() && lines.size() < count;) {
    const std::size_t begin = feed + 1;
    feed = text.find('\n', begin);
    lines.push_back(part_of_line(text, begin, feed == text.npos ? text.size() : feed, begin));
  }
  return lines;
}

ShownMatch shown_match(const Search& search, const std::string& path, std::string_view text,
                       const LineMatch& match) {
  const std::string_view part = part_of_line(text, match.begin, match.end, match.at);
  Json out = {{"path", path}, {"line", match.line}, {"column", match.column}, {"text", part}};
  if (part.size() != match.end - match.begin) out["cut"] = true;
  std::size_t bytes = path.size() + part.size() + 1;
  if (search.context > 0) {
    out["before"] = lines_before(text, match.begin, search.context);
    out["after"] = lines_after(text, match.end, search.context);
    for (const char* name : {"before", "after"}) {
      for (const Json& line : out[name]) bytes += line.get_ref<const std::string&>().size() + 1;
    }
  }
  return {std::move(out), bytes};
}

/// Searches an open regular file. `is_shown`: the answer may have room for its lines.
Searched search_open(const Search& search, int fd, const struct stat& info, const std::string& path,
                     bool is_shown) {
  Searched result;
  const std::size_t most = search.job.rules.config.file_bytes;
  auto bytes = static_cast<std::size_t>(info.st_size) > most
                   ? Result<std::string>(fail(ErrorCode::kResourceExhausted, "too large"))
                   : read_all(fd, most, path);
  if (!bytes) {
    const bool is_large = bytes.error().code == ErrorCode::kResourceExhausted;
    result.state = is_large ? Searched::State::kTooLarge : Searched::State::kUnreadable;
    return result;
  }
  if (encoding_of(*bytes) != "utf-8") {
    result.state = Searched::State::kNoText;
    return result;
  }
  const std::string text = search.lines.plain(*std::move(bytes));
  const LineSearch::Found found =
      search.lines.find(text, is_shown ? search.max : 0, search.job.is_cancelled);
  result.count = found.count;
  AnswerRoom room(search.bytes_max());
  for (const LineMatch& match : found.matches) {
    ShownMatch shown = shown_match(search, path, text, match);
    if (!room.take(shown.bytes)) break;
    result.matches.push_back(std::move(shown));
  }
  return result;
}

/// The same of a file that a walk found below a directory.
Searched search_file(const Search& search, const OpenPlace& directory, const std::string& below,
                     bool is_shown) {
  Searched result;
  const UniqueFd fd = open_without_links(directory.fd.get(), below, O_RDONLY);
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    result.state = Searched::State::kUnreadable;
    return result;
  }
  if (search.job.rules.is_own_file(info.st_dev, info.st_ino)) {
    result.state = Searched::State::kNotThere;
    return result;
  }
  const std::string path = name_of(search.job.rules, directory.root,
                                   directory.path == "." ? below : directory.path + "/" + below);
  return search_open(search, fd.get(), info, path, is_shown);
}

std::vector<Searched> search_directory(const Search& search, const OpenPlace& directory,
                                       const std::vector<WalkEntry>& entries) {
  std::vector<Searched> files(entries.size());
  FilledOrder order(search.bytes_max(), search.max);
  side_by_side(files.size(), kThreads, [&](std::size_t i) {
    if (search.job.is_cancelled) return;
    files[i] = search_file(search, directory, entries[i].path, !order.is_full());
    std::size_t bytes = 0;
    for (const ShownMatch& match : files[i].matches) bytes += match.bytes;
    order.note(i, bytes, files[i].matches.size());
  });
  return files;
}

Result<LineSearch, Failure> lines_of(const Json& params) {
  if (params.contains("pattern") == params.contains("text")) {
    return refused({ErrorCode::kInvalidArgument,
                    "/params: say either 'pattern' (a regular expression) or 'text'"});
  }
  auto lines = params.contains("pattern")
                   ? LineSearch::of_pattern(params["pattern"].get<std::string>())
                   : LineSearch::of_text(params["text"].get<std::string>());
  if (!lines) return refused(std::move(lines).error());
  return *std::move(lines);
}

/// The answer: the first lines in the order of paths, and what was not looked at.
Json gather(const Search& search, const WalkResult& walked, std::vector<Searched>&& files) {
  AnswerRoom room(search.bytes_max());
  Json matches = Json::array();
  bool is_full = false;
  std::size_t count = 0, not_there = 0, unreadable = 0, too_large = 0, no_text = 0;
  for (Searched& file : files) {
    count += file.count;
    not_there += file.state == Searched::State::kNotThere ? 1U : 0U;
    unreadable += file.state == Searched::State::kUnreadable ? 1U : 0U;
    too_large += file.state == Searched::State::kTooLarge ? 1U : 0U;
    no_text += file.state == Searched::State::kNoText ? 1U : 0U;
    std::size_t shown = 0;
    for (ShownMatch& match : file.matches) {
      if (is_full || matches.size() == search.max || !room.take(match.bytes)) break;
      matches.push_back(std::move(match.json));
      ++shown;
    }
    // What is shown is a beginning: nothing behind the first line that is left out.
    is_full = is_full || shown != file.count;
  }
  Json out = {{"files_searched", files.size() - not_there - unreadable - too_large - no_text}};
  out["left_out"] = count - matches.size();
  out["not_searched"] = {{"no_text", no_text},
                         {"too_large", too_large},
                         {"unreadable", unreadable},
                         {"unreadable_directories", walked.unreadable},
                         {"names_not_utf8", walked.foreign_names}};
  // A file that is no text has no lines: it is named, and nothing is missing.
  out["complete"] =
      count == matches.size() && unreadable == 0 && too_large == 0 && walked.is_complete();
  if (const std::string problem = walked.problem(); !problem.empty()) out["problem"] = problem;
  if (count != matches.size() && matches.size() < search.max) {
    out["cut"] = fmt::format(
        "the answer has no room for more text (file.limits.read_bytes is {}); search fewer files "
        "(path, glob), or show less context",
        search.bytes_max());
  }
  out["matches"] = std::move(matches);
  return out;
}

}  // namespace

Outcome file_search(const FileJob& job) {
  TRY_ASSIGN(const LineSearch lines, lines_of(job.params));
  TRY_ASSIGN(const auto glob, glob_param(job.params));
  auto place = choose_place(job.rules.config, text_param(job.params, "path", "."), kPathPointer);
  if (!place) return refused(std::move(place).error());
  auto opened = open_place(job.rules, *place, O_RDONLY, kPathPointer);
  if (!opened) return refused(std::move(opened).error());
  const Search search{job, lines, job.params.value("context", std::size_t{0}),
                      count_param(job.params, "max", job.rules.config.results)};
  if (S_ISREG(opened->info.st_mode)) {
    std::vector<Searched> files;
    if (!glob || glob->matches(last_name(opened->path))) {
      files.push_back(search_open(search, opened->fd.get(), opened->info,
                                  name_of(job.rules, opened->root, opened->path), true));
    }
    return gather(search, {}, std::move(files));
  }
  WalkOptions options;
  options.uses_gitignore = uses_gitignore(job.params);
  options.takes_files_only = true;
  options.glob = glob ? &*glob : nullptr;
  const WalkResult walked = walk(job.rules, *opened, options, job.is_cancelled);
  return gather(search, walked, search_directory(search, *opened, walked.entries));
}

}  // namespace filecall::worker::file
