// SPDX-License-Identifier: MIT
// Usage: bare_reader ROOT LIST
// The least that an answer to file.read needs: for each file that comes into ROOT/requests it reads
// the files that LIST names, a line each, takes the SHA-256 of each, and publishes them as JSON in
// ROOT/responses by a rename. No checks, no limits, one thread. It says that it is ready as
// bare_worker does, and ends at SIGTERM.
#include <fcntl.h>
#include <nettle/sha2.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

std::string read_whole(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0) die(path.c_str());
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (got <= 0) die(path.c_str());
    have += static_cast<std::size_t>(got);
  }
  ::close(fd);
  return bytes;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void append_quoted(std::string& out, const std::string& text) {
  out += '"';
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_hash(std::string& out, const std::string& bytes) {
  sha256_ctx context;
  nettle_sha256_init(&context);
  nettle_sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::uint8_t digest[SHA256_DIGEST_SIZE];
  nettle_sha256_digest(&context, sizeof digest, digest);
  constexpr char kDigits[] = "0123456789abcdef";
  for (const std::uint8_t byte : digest) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
}

std::string answer(const std::string& stem, const std::vector<std::string>& files) {
  std::string out = "{\"request_id\":\"" + stem + "\",\"status\":\"success\",\"data\":{\"files\":[";
  for (const std::string& file : files) {
    const std::string bytes = read_whole(file);
    out += out.ends_with('[') ? "{\"path\":" : ",{\"path\":";
    append_quoted(out, file);
    out += ",\"text\":";
    append_quoted(out, bytes);
    out += ",\"sha256\":\"";
    append_hash(out, bytes);
    out += "\"}";
  }
  return out + "]}}\n";
}

void publish(const std::string& root, const std::string& name, const std::string& bytes) {
  const std::string draft = root + "/draft", place = root + "/responses/" + name;
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) die("draft");
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count <= 0) die("write");
    done += static_cast<std::size_t>(count);
  }
  ::close(fd);
  if (::rename(draft.c_str(), place.c_str()) != 0) die("rename");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string root = argv[1];
  const std::vector<std::string> files = lines_of(read_whole(argv[2]));
  ::mkdir((root + "/requests").c_str(), 0700);
  ::mkdir((root + "/responses").c_str(), 0700);
  const int events = ::inotify_init1(IN_CLOEXEC);
  if (::inotify_add_watch(events, (root + "/requests").c_str(), IN_MOVED_TO) < 0) die("watch");
  publish(root, "../bare-ready", "");
  alignas(inotify_event) char buffer[16 * (sizeof(inotify_event) + NAME_MAX + 1)];
  for (;;) {
    const ssize_t size = ::read(events, buffer, sizeof buffer);
    if (size <= 0) die("events");
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof *event) + event->len;
      const std::string name = event->name;
      if (!name.ends_with(".json") || name.starts_with('.')) continue;
      (void)read_whole(root + "/requests/" + name);
      publish(root, name, answer(name.substr(0, name.size() - 5), files));
    }
  }
}
