// SPDX-License-Identifier: MIT
#include "worker/net/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/check.h"
#include "loop/loop_idle.h"
#include "loop/loop_timer.h"
#include "os/clock.h"
#include "worker/net/curl_shard.h"
#include "worker/net/curl_transfer.h"

namespace filecall::worker {
namespace {

/// Responses handed on in one turn of the loop. A caller works on each for a while, and new
/// requests and answers must not wait for all of that.
constexpr int kToldPerTurn = 8;

std::string host_of(const std::string& url) {
  const auto path = url.find('/', url.find("://") == std::string::npos ? 0 : url.find("://") + 3);
  return url.substr(0, path);
}

}  // namespace

/// All transfers of a client.
class HttpClient::Multi {
 public:
  /// Transfers that may use each other's connections.
  struct Group {
    template <typename... ShardArguments>
    explicit Group(std::chrono::seconds kept_for, ShardArguments&&... arguments)
        : keep_alive(kept_for), shard(std::forward<ShardArguments>(arguments)...) {}

    const std::chrono::seconds keep_alive;  ///< Of each of them.
    CurlShard shard;
    Deadline closes;  ///< With its kept connections; never while there are transfers.
  };

  Multi(uv_loop_t* loop, const HttpClientOptions& options)
      : loop_(loop),
        options_(options),
        share_(curl_share_init()),
        clock_(loop, [this] { on_clock(); }),
        sweep_(loop, [this] { sweep(); }),
        telling_(loop, [this] { tell(); }) {
    curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  }
  ~Multi() {
    CHECK(hosts_.empty(), "every transfer is destroyed before its client");
    groups_.clear();
    curl_share_cleanup(share_);
  }

  Multi(const Multi&) = delete;
  Multi& operator=(const Multi&) = delete;

  std::unique_ptr<Running> start(HttpRequest request, HttpHandler& handler);
  std::size_t in_flight() const { return in_flight_; }

  void forget(Running& transfer);
  void reschedule(Running& transfer);

 private:
  /// What is known of one peer while transfers to it exist.
  struct Host {
    bool is_warm = false;        ///< Some transfer got connected.
    std::size_t connecting = 0;  ///< Begun while cold, and neither connected nor ended.
    std::size_t transfers = 0;
    std::deque<Running*> waiting;
  };

  void begin(Running& transfer);
  Running* next_ready();
  void begin_waiting();
  Group& group_for(const CurlTransfer& transfer);
  void on_end(CURL* easy, CURLcode code);
  void on_action();
  void tell();
  void finish(Running& transfer, HttpEnd forced);
  void leave_libcurl(Running& transfer);
  void note_connected();
  void on_clock();
  void arm();
  void leave(Group& group, CURL* easy);
  void arm_sweep();
  void sweep();

  uv_loop_t* loop_;
  HttpClientOptions options_;
  CURLSH* share_;
  std::list<Group> groups_;
  std::map<std::string, Host> hosts_;
  std::set<Running*> connecting_;
  std::set<std::pair<MonotonicTime, Running*>> wakes_;
  LoopTimer clock_;
  LoopTimer sweep_;
  LoopIdle telling_;  ///< Active while `ended_` has some.
  /// Off libcurl, their handlers not called yet.
  std::deque<std::pair<Running*, HttpResult>> ended_;
  std::size_t in_flight_ = 0;
  bool is_start_due_ = false;
};

/// A transfer in the hands of who started it.
struct HttpTransfer::Running {
  Running(HttpClient::Multi& owner, HttpRequest request, HttpHandler& handler)
      : client(owner), curl(std::move(request), handler) {}
  ~Running() { client.forget(*this); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  HttpClient::Multi& client;
  CurlTransfer curl;
  HttpClient::Multi::Group* group = nullptr;
  std::string host;  ///< Scheme, name and port; empty once it has ended.
  MonotonicTime wake_at = MonotonicTime::max();  ///< Its place in the client's wakes.
};

HttpTransfer::HttpTransfer(std::unique_ptr<Running> running) : running_(std::move(running)) {}

HttpTransfer::~HttpTransfer() = default;

void HttpTransfer::progress() { running_->curl.clock().on_progress(monotonic_now()); }

void HttpTransfer::end_within(Duration left) {
  running_->curl.clock().end_within(left, monotonic_now());
  running_->client.reschedule(*running_);
}

std::unique_ptr<HttpClient::Running> HttpClient::Multi::start(HttpRequest request,
                                                              HttpHandler& handler) {
  auto transfer = std::make_unique<Running>(*this, std::move(request), handler);
  transfer->host = host_of(transfer->curl.url());
  ++in_flight_;
  Host& host = hosts_[transfer->host];
  ++host.transfers;
  // Never begun at once: the caller must have the transfer before its handler hears of it, and a
  // caller may itself be called by libcurl, which does not let itself be entered twice.
  host.waiting.push_back(transfer.get());
  is_start_due_ = true;
  arm();
  return transfer;
}

HttpClient::Multi::Group& HttpClient::Multi::group_for(const CurlTransfer& transfer) {
  for (Group& group : groups_) {
    const bool has_room = group.shard.size() < options_.shard_transfers_max;
    if (has_room && group.keep_alive == transfer.keep_alive()) return group;
  }
  return groups_.emplace_back(
      transfer.keep_alive(), loop_, options_.kept_connections_max,
      [this](CURL* easy, CURLcode code) { on_end(easy, code); }, [this] { on_action(); });
}

void HttpClient::Multi::begin(Running& transfer) {
  if (Host& host = hosts_.at(transfer.host); !host.is_warm) {
    ++host.connecting;
    connecting_.insert(&transfer);
  }
  const MonotonicTime now = monotonic_now();
  if (const auto refused = transfer.curl.prepare(share_, &transfer, now)) {
    finish(transfer, *refused);
    return;
  }
  transfer.group = &group_for(transfer.curl);
  transfer.group->shard.add(transfer.curl.easy());
  transfer.group->closes = Deadline::never();
  transfer.wake_at = transfer.curl.clock().next_look(now).when();
  wakes_.emplace(transfer.wake_at, &transfer);
}

HttpClient::Running* HttpClient::Multi::next_ready() {
  for (auto& [name, host] : hosts_) {
    const bool has_room = host.is_warm || host.connecting < options_.first_connects_max;
    if (host.waiting.empty() || !has_room) continue;
    Running* transfer = host.waiting.front();
    host.waiting.pop_front();
    return transfer;
  }
  return nullptr;
}

void HttpClient::Multi::begin_waiting() {
  is_start_due_ = false;
  // One by one: a handler that hears of an end may start and destroy others.
  while (Running* transfer = next_ready()) begin(*transfer);
}

void HttpClient::Multi::note_connected() {
  for (auto it = connecting_.begin(); it != connecting_.end();) {
    Running& transfer = **it;
    if (!transfer.curl.is_connected()) {
      ++it;
      continue;
    }
    Host& host = hosts_.at(transfer.host);
    host.is_warm = true;
    --host.connecting;
    it = connecting_.erase(it);
  }
}

void HttpClient::Multi::on_end(CURL* easy, CURLcode code) {
  auto& transfer = *static_cast<Running*>(CurlTransfer::owner_of(easy));
  HttpResult result = transfer.curl.result(code, std::nullopt, monotonic_now());
  if (transfer.curl.is_connected()) hosts_.at(transfer.host).is_warm = true;
  leave_libcurl(transfer);
  if (result.end == HttpEnd::kComplete) transfer.curl.handler().on_complete(result.status);
  ended_.emplace_back(&transfer, std::move(result));
}

void HttpClient::Multi::on_action() {
  note_connected();
  begin_waiting();
  if (!ended_.empty()) telling_.start();
  arm();
}

void HttpClient::Multi::tell() {
  for (int told = 0; told < kToldPerTurn && !ended_.empty(); ++told) {
    const auto [transfer, result] = std::move(ended_.front());
    ended_.pop_front();
    HttpHandler& handler = transfer->curl.handler();
    forget(*transfer);
    handler.on_done(result);  // May destroy the transfer, and others.
  }
  if (ended_.empty()) telling_.stop();
  begin_waiting();
  arm();
}

void HttpClient::Multi::finish(Running& transfer, HttpEnd forced) {
  const HttpResult result = transfer.curl.result(CURLE_OK, forced, monotonic_now());
  HttpHandler& handler = transfer.curl.handler();
  if (transfer.curl.is_connected()) hosts_.at(transfer.host).is_warm = true;
  forget(transfer);
  handler.on_done(result);  // May destroy the transfer.
}

void HttpClient::Multi::leave_libcurl(Running& transfer) {
  if (transfer.group != nullptr) leave(*transfer.group, transfer.curl.easy());
  transfer.group = nullptr;
  if (transfer.wake_at != MonotonicTime::max()) wakes_.erase({transfer.wake_at, &transfer});
  transfer.wake_at = MonotonicTime::max();
  if (connecting_.erase(&transfer) > 0) --hosts_.at(transfer.host).connecting;
}

void HttpClient::Multi::forget(Running& transfer) {
  if (transfer.host.empty()) return;
  leave_libcurl(transfer);
  std::erase_if(ended_, [&](const auto& end) { return end.first == &transfer; });
  const auto host = hosts_.find(transfer.host);
  std::erase(host->second.waiting, &transfer);
  if (--host->second.transfers == 0) hosts_.erase(host);
  transfer.host.clear();
  --in_flight_;
}

void HttpClient::Multi::reschedule(Running& transfer) {
  if (transfer.wake_at == MonotonicTime::max()) return;
  wakes_.erase({transfer.wake_at, &transfer});
  transfer.wake_at = transfer.curl.clock().next_look(monotonic_now()).when();
  wakes_.emplace(transfer.wake_at, &transfer);
  arm();
}

void HttpClient::Multi::on_clock() {
  begin_waiting();
  const MonotonicTime now = monotonic_now();
  while (!wakes_.empty() && wakes_.begin()->first <= now) {
    Running& transfer = *wakes_.begin()->second;
    if (const auto expired = transfer.curl.clock().expired(now)) {
      finish(transfer, *expired);
    } else {
      reschedule(transfer);
    }
  }
  arm();
}

void HttpClient::Multi::arm() {
  if (is_start_due_) return clock_.start(Duration::zero());
  if (wakes_.empty()) return clock_.stop();
  clock_.start(Deadline::at(wakes_.begin()->first).time_left(monotonic_now()));
}

void HttpClient::Multi::leave(Group& group, CURL* easy) {
  group.shard.remove(easy);
  if (group.shard.size() > 0) return;
  group.closes = Deadline::after(monotonic_now(), group.keep_alive);
  arm_sweep();
}

void HttpClient::Multi::arm_sweep() {
  Deadline next;
  for (const Group& group : groups_) next = std::min(next, group.closes);
  if (next.is_never()) return sweep_.stop();
  sweep_.start(next.time_left(monotonic_now()));
}

void HttpClient::Multi::sweep() {
  // Kept connections that nobody uses would stay half closed until the next transfer.
  const MonotonicTime now = monotonic_now();
  groups_.remove_if([now](const Group& group) { return group.closes.is_reached(now); });
  arm_sweep();
}

HttpClient::HttpClient(uv_loop_t* loop, const HttpClientOptions& options)
    : multi_(std::make_unique<Multi>(loop, options)) {}

HttpClient::~HttpClient() = default;

std::unique_ptr<HttpTransfer> HttpClient::start(HttpRequest request, HttpHandler& handler) {
  return std::unique_ptr<HttpTransfer>(
      new HttpTransfer(multi_->start(std::move(request), handler)));
}

std::size_t HttpClient::in_flight() const { return multi_->in_flight(); }

std::unique_ptr<HttpClient> HttpClient::create(uv_loop_t* loop, const HttpClientOptions& options) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(initialised == CURLE_OK, "libcurl can be initialised");
  return std::unique_ptr<HttpClient>(new HttpClient(loop, options));
}

}  // namespace filecall::worker
