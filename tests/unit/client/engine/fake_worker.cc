// SPDX-License-Identifier: MIT
#include "fake_worker.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ipc/worker_status.h"
#include "os/clock.h"
#include "spool/client_files.h"

namespace filecall::client {

TemporaryRoot::TemporaryRoot() {
  std::string pattern = ::testing::TempDir() + "/filecall-engine-XXXXXX";
  path_ = ::mkdtemp(pattern.data());
}
TemporaryRoot::~TemporaryRoot() { std::filesystem::remove_all(path_); }

std::string TemporaryRoot::read(const std::string& name) const {
  std::ifstream file(path_ + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}
bool TemporaryRoot::has(const std::string& name) const {
  return std::filesystem::exists(path_ + "/" + name);
}
void TemporaryRoot::write(const std::string& name, const std::string& bytes) const {
  const std::string path = path_ + "/" + name;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path + ".tmp") << bytes;
  std::filesystem::rename(path + ".tmp", path);
}

std::string success_text(const std::string& id) {
  return R"({"request_id":")" + id + R"(","status":"success","data":{"n":1}})";
}
std::string error_text(const std::string& id, const std::string& members) {
  return R"({"request_id":")" + id + R"(","status":"error","error_message":"no luck")" + members +
         "}";
}

FakeWorker::FakeWorker(const std::string& root, Script script)
    : path_(root),
      script_(std::move(script)),
      root_(std::move(*spool::Root::open(root, {.allow_shared = false, .create = true}))),
      lock_(std::move(*spool::FileLock::acquire(root_.layout().worker_lock()))) {
  WorkerStatus status;
  status.state = WorkerState::kReady;
  status.pid = ::getpid();
  status.started_at = status.heartbeat_at = wall_now();
  std::ofstream(root_.layout().worker_status()) << render_worker_status(status);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

FakeWorker::~FakeWorker() {
  thread_.request_stop();
  thread_.join();
}

int FakeWorker::executions(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = executions_.find(id);
  return found == executions_.end() ? 0 : found->second;
}

void FakeWorker::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    answer_pending();
    ::poll(nullptr, 0, 2);
  }
}

void FakeWorker::answer_pending() {
  for (const auto& entry : std::filesystem::directory_iterator(path_ + "/requests")) {
    const std::string name = entry.path().filename();
    const auto stem = spool::Layout::stem_of(name);
    if (!stem || std::filesystem::exists(path_ + "/responses/" + name)) continue;
    if (!silent_[std::string(*stem)]) answer(std::string(*stem));
  }
}

void FakeWorker::answer(const std::string& stem) {
  const auto publish = [&](const std::string& id, const std::string& bytes) {
    const std::string temporary = path_ + "/worker/tmp/" + id;
    std::ofstream(temporary) << bytes;
    std::filesystem::rename(temporary, path_ + "/responses/" + id + ".json");
  };
  std::ifstream file(path_ + "/requests/" + stem + ".json");
  std::stringstream text;
  text << file.rdbuf();
  const auto parsed = parse_request(text.str(), stem);
  if (!parsed) return;
  if (parsed->command == "system.cancel") {
    const std::string target = parsed->params.value("request_id", "");
    if (std::exchange(silent_[target], false)) {
      publish(target, error_text(target, R"(,"error_code":"cancelled","retryable":false)"));
    }
    return publish(stem, success_text(stem));
  }
  int execution = 0;
  {
    const std::scoped_lock lock(mutex_);
    execution = ++executions_[stem];
  }
  const auto bytes = script_(stem, execution);
  if (bytes) {
    publish(stem, *bytes);
  } else {
    silent_[stem] = true;
  }
}

ListFeed::ListFeed(std::vector<std::string> ids) {
  for (const std::string& id : ids) {
    Request request;
    request.request_id = id;
    request.command = "system.echo";
    submissions_.push_back({id, request.command, render_request(request)});
  }
}

Result<Offer> ListFeed::next() {
  return next_ == submissions_.size() ? Offer::end() : Offer::of(submissions_[next_++]);
}

void Recorder::on_outcome(const RequestOutcome& outcome) {
  if (!outcomes.emplace(outcome.request_id, outcome).second) ++repeated;
  if (after_outcome) after_outcome();
}

}  // namespace filecall::client
