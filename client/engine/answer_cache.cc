// SPDX-License-Identifier: MIT
#include "client/engine/answer_cache.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "base/hash.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

struct EntryName {
  std::string folder;
  std::string file;
};

EntryName entry_name(const std::string& directory, const std::string& identity) {
  const std::string hash = hash128(identity).hex();
  return {directory + "/" + hash.substr(0, 2), hash.substr(2) + ".json"};
}

/// The entry's data; null when it is another question's. nullopt: this is no entry.
std::optional<Json> read_entry(const std::string& bytes, const std::string& identity) {
  auto parsed = parse_json_strict(bytes, limits::kDepthMax);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const auto asked = parsed->find("asked");
  const auto data = parsed->find("data");
  if (asked == parsed->end() || data == parsed->end() || !data->is_object()) return std::nullopt;
  return dump_json(*asked) == identity ? std::move(*data) : Json();
}

Result<void> write_entry(const EntryName& name, const std::string& identity, const Json& data) {
  TRY(make_directories(name.folder));
  TRY_ASSIGN(const UniqueFd folder, open_file(name.folder, O_RDONLY | O_DIRECTORY));
  const Json entry = {
      {"asked", Json::parse(identity)}, {"data", data}, {"stored_at", format_rfc3339(wall_now())}};
  return spool::replace_file(folder.get(), name.file, dump_json(entry) + "\n", Durability::kFile);
}

}  // namespace

Result<std::unique_ptr<AnswerCache>> AnswerCache::open(std::string directory) {
  TRY(make_directories(directory));
  return std::unique_ptr<AnswerCache>(new AnswerCache(std::move(directory)));
}

std::optional<Json> AnswerCache::find(const std::string& identity, const Notice& notice) {
  const EntryName name = entry_name(directory_, identity);
  const std::string path = name.folder + "/" + name.file;
  const auto bytes = read_regular_file(path, limits::kResponseBytesMax);
  if (!bytes && bytes.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!bytes) {
    notice(fmt::format("cache: {}", bytes.error().message));
    return std::nullopt;
  }
  auto data = read_entry(*bytes, identity);
  if (data) return data->is_null() ? std::nullopt : std::move(data);
  const std::string aside = path + ".damaged";
  const bool is_kept = std::rename(path.c_str(), aside.c_str()) == 0;
  notice(fmt::format("cache: {}: is not an entry; {}", path,
                     is_kept ? "kept as " + aside : "ignored"));
  return std::nullopt;
}

void AnswerCache::store(const std::string& identity, const Json& data, const Notice& notice) {
  const auto written = write_entry(entry_name(directory_, identity), identity, data);
  if (!written) notice(fmt::format("cache: {}", written.error().message));
}

}  // namespace filecall::client
