// SPDX-License-Identifier: MIT
// Drives any worker of the directory protocol and measures; prints one JSON object.
//
//   load_client ROOT latency N [1 WHAT]        one request at a time: p50_us, p99_us
//   load_client ROOT throughput N W [WHAT]     N requests, W in flight: per_s
//   load_client ROOT synced N W       the same, every drop and the directory synced
//   load_client ROOT drop N           only drops N requests
//   load_client ROOT await N          waits until N responses are there: seconds
//   load_client ROOT await-one 1      waits until anything is answered: seconds
//   load_client ROOT fill N           makes N answered pairs (empty files) in a new root
//   load_client ROOT answered N       the same with real answers
//   load_client ROOT clear 0          removes what measurements left: all but what fill made
//   load_client ROOT probe N          makes N files: us for each
//   load_client ROOT warm N           touches N MiB, so that the host has given them to us
//
// WHAT: what is asked for, as members of a request ("command" and "params"); else a small echo.
#include <dirent.h>
#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "bare_crew.h"
#include "bench_io.h"

namespace {

using namespace filecall::bench;

constexpr int kPatienceMs = 60'000;
constexpr const char* kEcho =
    "\"command\":\"system.echo\",\"params\":{\"text\":\"hello\",\"number\":42}";

class Client {
 public:
  Client(const std::string& root, std::string what)
      : what_(std::move(what)),
        requests_(open_directory(root + "/requests")),
        responses_(open_directory(root + "/responses")),
        stage_(open_directory(root + "/bench-stage")),
        inotify_fd_(inotify_init1(IN_CLOEXEC)) {
    must(
        inotify_add_watch(inotify_fd_, (root + "/responses").c_str(), IN_MOVED_TO | IN_CREATE) >= 0,
        "inotify");
    std::snprintf(prefix_, sizeof prefix_, "r%llx", static_cast<unsigned long long>(now_ns()));
  }

  void drop(int i) { drop(i, 0, false); }

  void drop(int i, int lane, bool is_synced) {
    char name[64], body[1024], temp[16];
    std::snprintf(temp, sizeof temp, "t%d", lane);
    std::snprintf(name, sizeof name, "%s-%07d.json", prefix_, i);
    const int size = std::snprintf(body, sizeof body, "{\"request_id\":\"%s-%07d\",%s}", prefix_, i,
                                   what_.c_str());
    must(size < static_cast<int>(sizeof body), "WHAT is too long");
    publish(stage_, temp, requests_, name, body, static_cast<std::size_t>(size), is_synced);
  }

  void latency(int count) {
    std::vector<std::int64_t> ns;
    for (int i = 0; i < count; ++i) {
      const std::int64_t begin = now_ns();
      drop(i);
      while (collect() == 0) {
      }
      ns.push_back(now_ns() - begin);
    }
    std::sort(ns.begin(), ns.end());
    std::printf("{\"p50_us\": %.1f, \"p99_us\": %.1f}\n",
                static_cast<double>(ns[ns.size() / 2]) / 1e3,
                static_cast<double>(ns[ns.size() * 99 / 100]) / 1e3);
  }

  void throughput(int count, int window, bool is_synced) {
    int dropped = 0, answered = 0;
    std::optional<Crew> crew;
    if (is_synced) {
      crew.emplace(
          [&](std::size_t i, int lane) { drop(dropped + static_cast<int>(i), lane, true); });
    }
    const std::int64_t begin = now_ns();
    while (answered < count) {
      const int room = std::min(count - dropped, window - (dropped - answered));
      if (room > 0 && is_synced) {
        crew->run(static_cast<std::size_t>(room));
        must(fsync(requests_) == 0, "fsync requests");
      }
      for (int i = 0; i < room && !is_synced; ++i) drop(dropped + i);
      dropped += room;
      answered += collect();
    }
    const double seconds = static_cast<double>(now_ns() - begin) / 1e9;
    std::printf("{\"per_s\": %.0f, \"seconds\": %.3f}\n", count / seconds, seconds);
  }

  void await_one() {
    const std::int64_t begin = now_ns();
    wait_for_events();
    std::printf("{\"seconds\": %.4f}\n", static_cast<double>(now_ns() - begin) / 1e9);
  }

  /// Counts events, a few milliseconds' worth at a time; lists the directory only when the kernel's
  /// queue ran over: a listing holds the lock that the worker publishes under.
  void await(int count) {
    const std::int64_t begin = now_ns();
    for (int seen = answered(); seen < count;) {
      wait_for_events();
      pollfd nothing{-1, 0, 0};
      poll(&nothing, 0, 2);
      bool is_overflown = false;
      read_events(
          inotify_fd_, [&](const char*) { ++seen; }, [&] { is_overflown = true; });
      if (is_overflown || seen >= count) seen = answered();
    }
    std::printf("{\"seconds\": %.4f}\n", static_cast<double>(now_ns() - begin) / 1e9);
  }

 private:
  void wait_for_events() const {
    pollfd one{inotify_fd_, POLLIN, 0};
    must(poll(&one, 1, kPatienceMs) > 0, "no answer for a minute");
  }

  /// Waits for events and counts own answers among them, reading each.
  int collect() {
    int seen = 0;
    bool is_overflown = false;
    wait_for_events();
    read_events(
        inotify_fd_,
        [&](const char* name) {
          if (std::strncmp(name, prefix_, std::strlen(prefix_)) != 0) return;
          static char response[64 * 1024];
          const ssize_t size = read_small(responses_, name, response, sizeof response);
          must(size > 0 && memmem(response, static_cast<std::size_t>(size), "success", 7), name);
          ++seen;
        },
        [&] { is_overflown = true; });
    must(!is_overflown, "overflow: the window is too large for the event queue");
    return seen;
  }

  int answered() const {
    int count = 0;
    DIR* directory = fdopendir(openat(responses_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
  }

  std::string what_;
  int requests_, responses_, stage_, inotify_fd_;
  char prefix_[32];
};

void touch(int directory, const char* name) {
  const int fd = openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  must(fd >= 0, name);
  close(fd);
}

void fill(const std::string& root, int count, bool has_content) {
  const int responses = open_directory(root + "/responses");
  const int requests = open_directory(root + "/requests");
  for (int i = 0; i < count; ++i) {
    char name[64], body[128];
    std::snprintf(name, sizeof name, "fill-%08d.json", i);
    if (has_content) {
      const int size =
          std::snprintf(body, sizeof body,
                        "{\"request_id\":\"fill-%08d\",\"status\":\"success\",\"data\":{}}\n", i);
      publish(responses, ".t", responses, name, body, static_cast<std::size_t>(size), false);
    } else {
      touch(responses, name);
    }
    touch(requests, name);
  }
}

/// Removes what measurements left; what fill() made stays.
void clear(const std::string& root) {
  for (const char* name : {"/requests", "/responses"}) {
    const int folder = open_directory(root + name);
    DIR* directory = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    must(directory != nullptr, name);
    while (const dirent* entry = readdir(directory)) {
      if (entry->d_type != DT_REG || std::strncmp(entry->d_name, "fill-", 5) == 0) continue;
      must(unlinkat(folder, entry->d_name, 0) == 0, entry->d_name);
    }
    closedir(directory);
    close(folder);
  }
}

void probe(const std::string& root, int count) {
  const int directory = open_directory(root + "/probe");
  const std::int64_t begin = now_ns();
  for (int i = 0; i < count; ++i) touch(directory, ("p" + std::to_string(i)).c_str());
  std::printf("{\"us\": %.2f}\n", static_cast<double>(now_ns() - begin) / 1e3 / count);
}

void warm(std::size_t mebibytes) {
  const std::size_t size = mebibytes << 20;
  void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  must(pages != MAP_FAILED, "mmap");
}

}  // namespace

int main(int argc, char** argv) {
  must(argc >= 4, "usage: load_client ROOT MODE N [WINDOW [WHAT]]");
  const std::string root = argv[1], mode = argv[2];
  const int count = std::atoi(argv[3]), window = argc > 4 ? std::atoi(argv[4]) : 256;
  if (mode == "fill" || mode == "answered") {
    fill(root, count, mode == "answered");
  } else if (mode == "clear") {
    clear(root);
  } else if (mode == "probe") {
    probe(root, count);
  } else if (mode == "warm") {
    warm(static_cast<std::size_t>(count));
  } else {
    Client client(root, argc > 5 ? argv[5] : kEcho);
    if (mode == "latency") client.latency(count);
    if (mode == "throughput" || mode == "synced") {
      client.throughput(count, window, mode == "synced");
    }
    if (mode == "await") client.await(count);
    if (mode == "await-one") client.await_one();
    if (mode == "drop") {
      for (int i = 0; i < count; ++i) client.drop(i);
    }
  }
}
