// SPDX-License-Identifier: MIT
// The baseline: a worker of nothing but the system calls that the protocol needs. No JSON, no
// checks, no recovery. What it reaches is what the machine allows.
//
//   bare_worker ROOT none|file|full|journal [SPIN_US]
//
//   file      16 parallel fsyncs, each before its rename
//   full      the same and one directory fsync a batch
//   journal   one append and one fdatasync a batch, then publication without syncs
//   SPIN_US   after work, look for more this long before blocking (default 0: block at once)
#include <dirent.h>
#include <poll.h>

#include <functional>
#include <memory>
#include <unordered_set>

#include "bare_answer.h"
#include "bare_crew.h"
#include "bare_journal.h"

namespace {

using namespace filecall::bench;
using Batch = std::vector<std::string>;

Batch names_in(int directory_fd) {
  Batch names;
  DIR* directory = fdopendir(openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(directory);
  return names;
}

Batch pending(const Directories& at) {
  const auto answered = names_in(at.responses);
  const std::unordered_set<std::string> is_answered(answered.begin(), answered.end());
  Batch names;
  for (auto& name : names_in(at.requests)) {
    if (!is_answered.contains(name)) names.push_back(std::move(name));
  }
  return names;
}

std::function<void(const Batch&)> server(const Directories& at, const std::string& root,
                                         const std::string& durability) {
  if (durability == "none") {
    return [at](const Batch& batch) {
      for (const auto& name : batch) answer(at, name, 0, false);
    };
  }
  if (durability == "journal") {
    auto journal = std::make_shared<Journal>(at, root + "/bare-log");
    return [journal](const Batch& batch) { journal->run(batch); };
  }
  must(durability == "file" || durability == "full", "durability");
  auto current = std::make_shared<const Batch*>();
  auto crew = std::make_shared<Crew>(
      [at, current](std::size_t index, int lane) { answer(at, (**current)[index], lane, true); });
  return [at, crew, current, is_full = durability == "full"](const Batch& batch) {
    *current = &batch;
    crew->run(batch.size());
    if (is_full) must(fsync(at.responses) == 0, "fsync responses");
  };
}

void wait_readable(int fd, std::int64_t spin_ns) {
  const std::int64_t until = now_ns() + spin_ns;
  pollfd one{fd, POLLIN, 0};
  while (now_ns() < until) {
    if (poll(&one, 1, 0) > 0) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  must(argc >= 3, "usage: bare_worker ROOT none|file|full|journal [SPIN_US]");
  const std::string root = argv[1];
  const std::int64_t spin_ns = argc > 3 ? std::atoi(argv[3]) * 1000LL : 0;
  const Directories at{open_directory(root + "/requests"), open_directory(root + "/responses"),
                       open_directory(root + "/bare-stage")};
  const int inotify_fd = inotify_init1(IN_CLOEXEC);
  must(inotify_add_watch(inotify_fd, (root + "/requests").c_str(),
                         IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE) >= 0,
       "inotify");
  const auto serve = server(at, root, argv[2]);
  Batch batch = pending(at);
  close(open((root + "/bare-ready").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  for (;;) {
    if (!batch.empty()) serve(batch);
    batch.clear();
    if (spin_ns > 0) wait_readable(inotify_fd, spin_ns);
    bool is_overflown = false;
    read_events(
        inotify_fd, [&](const char* name) { batch.emplace_back(name); },
        [&] { is_overflown = true; });
    if (is_overflown) batch = pending(at);
  }
}
