// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/discovery.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/log.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr Duration kFreshFor = seconds(600);
constexpr std::size_t kListsInFlight = 16;
constexpr std::size_t kCacheBytesMax = 16 * 1024 * 1024;

ApiRequest discovery_request(const std::string& path) {
  ApiRequest request;
  request.path = path;
  request.timeouts = {seconds(10), seconds(32), seconds(32), seconds(32)};
  return request;
}

}  // namespace

Discovery::Discovery(ApiCall::Line line, std::string cache_file)
    : line_(std::move(line)), cache_file_(std::move(cache_file)) {}
Discovery::~Discovery() = default;

void Discovery::with_table(bool is_fresh, Then then) {
  if (!std::exchange(is_loaded_, true)) load();
  if (table_ && !is_fresh && !fresh_until_.is_reached(monotonic_now())) return then(table_);
  waiting_.push_back(std::move(then));
  if (waiting_.size() == 1) ask();
}

void Discovery::ask() {
  calls_.clear();
  lists_.clear();
  next_list_ = 0;
  pages_[0].reset();
  pages_[1].reset();
  unanswered_ = 2;
  const std::uint64_t round = ++round_;
  ask_page("/api", 0);
  // Credentials that cannot be had fail the first one at once, and with it everything.
  if (round == round_ && !waiting_.empty()) ask_page("/apis", 1);
}

void Discovery::ask_page(const std::string& path, std::size_t page) {
  ApiRequest request = discovery_request(path);
  request.accept = kDiscoveryAccept;
  calls_.push_back(std::make_unique<ApiCall>(
      line_, std::move(request),
      [this, page, path](ApiAnswer answer) { take_page(page, path, std::move(answer)); }));
  calls_.back()->start();
}

void Discovery::take_page(std::size_t page, const std::string& path, ApiAnswer answer) {
  if (waiting_.empty()) return;  // The other page failed.
  --unanswered_;
  if (!answer) {
    const bool is_absent = answer.error().details.value("http_status", 0) == 404;
    // A server of other groups alone has no core group.
    if (path != "/api" || !is_absent) return tell(answer.error());
    pages_[page] = DiscoveryPage{};
  } else {
    pages_[page] = read_discovery_page(answer->object());
    if (!pages_[page]) {
      return tell(Failure::of({ErrorCode::kUnavailable,
                               fmt::format("{}: this is not how an API server answers; look at the "
                                           "server's address in the kubeconfig",
                                           path)}));
    }
  }
  if (unanswered_ > 0) return;
  for (const auto& done : pages_) {
    for (const std::string& list : done->to_ask) lists_.push_back({list, {}, false});
  }
  unanswered_ = lists_.size();
  if (lists_.empty()) return finish();
  ask_lists();
}

void Discovery::ask_lists() {
  const std::size_t answered = lists_.size() - unanswered_;
  while (next_list_ < lists_.size() && next_list_ - answered < kListsInFlight) {
    const std::size_t index = next_list_++;
    calls_.push_back(std::make_unique<ApiCall>(
        line_, discovery_request(lists_[index].path),
        [this, index](ApiAnswer answer) { take_list(index, std::move(answer)); }));
    calls_.back()->start();
  }
}

void Discovery::take_list(std::size_t index, ApiAnswer answer) {
  if (waiting_.empty()) return;
  List& list = lists_[index];
  if (answer && answer->object().contains("resources")) {
    list.resources = read_resource_list(answer->object(), list.path);
  } else {
    list.has_failed = true;  // One broken extension must not hide all other kinds.
  }
  if (--unanswered_ == 0) return finish();
  ask_lists();
}

void Discovery::finish() {
  std::vector<Resource> resources;
  std::vector<std::string> failed;
  for (auto& page : pages_) {
    for (Resource& resource : page->resources) resources.push_back(std::move(resource));
    failed.insert(failed.end(), page->failed.begin(), page->failed.end());
  }
  for (List& list : lists_) {
    if (list.has_failed) failed.push_back(list.path.substr(list.path.find('/', 1) + 1));
    for (Resource& resource : list.resources) resources.push_back(std::move(resource));
  }
  table_ = std::make_shared<ResourceTable>(std::move(resources), std::move(failed));
  fresh_until_ = Deadline::after(monotonic_now(), kFreshFor);
  store();
  tell(table_);
}

void Discovery::tell(const Result<Table, Failure>& result) {
  // The calls go with the next round: one of them is telling.
  for (const Then& then : std::exchange(waiting_, {})) then(result);
}

void Discovery::load() {
  if (cache_file_.empty()) return;
  const auto text = read_regular_file(cache_file_, kCacheBytesMax);
  if (!text) return;
  const auto json = parse_foreign(*text);
  if (!json || text_member(*json, "server") != line_.credentials.access().server) return;
  const auto stored_at = parse_rfc3339(text_member(*json, "stored_at"));
  auto page = resources_from_json(*json);
  if (!stored_at || !page) return;
  const Duration age = wall_now() - *stored_at;
  if (age < Duration::zero() || age >= kFreshFor) return;
  table_ = std::make_shared<ResourceTable>(std::move(page->resources), std::move(page->failed));
  fresh_until_ = Deadline::after(monotonic_now(), kFreshFor - age);
}

void Discovery::store() const {
  if (cache_file_.empty()) return;
  Json json = resources_to_json(*table_);
  json["server"] = line_.credentials.access().server;
  json["stored_at"] = format_rfc3339(wall_now());
  const std::string temp = fmt::format("{}.{}.tmp", cache_file_, ::getpid());
  const bool has_place = bool{make_directories(cache_file_.substr(0, cache_file_.rfind('/')))};
  ::unlink(temp.c_str());
  const auto file = open_regular(temp, O_WRONLY | O_CREAT | O_EXCL);
  // Without it the next worker asks the cluster: nothing is lost.
  const bool is_stored = has_place && file && write_all(file->get(), dump_json(json), temp) &&
                         std::rename(temp.c_str(), cache_file_.c_str()) == 0;
  if (!is_stored) {
    log_debug("{}: what the cluster serves cannot be kept there", cache_file_);
    ::unlink(temp.c_str());
  }
}

}  // namespace filecall::worker::kube
