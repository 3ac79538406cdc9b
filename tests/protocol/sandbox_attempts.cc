// SPDX-License-Identifier: MIT
//
// sandbox_attempts: tries what a confined program must not be able to do. Reads one attempt a line
// ("NAME [ARGUMENT]...") from standard input, makes each in a process of its own, and prints a JSON
// object of the results: "ok", the name of an errno value, or a signal.

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using Words = std::vector<std::string>;

/// 0 when the call did what it was asked, else errno.
int errno_of(long result) { return result >= 0 ? 0 : errno; }

int open_with(const std::string& path, int flags) {
  return errno_of(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0600));
}

int read_something(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  char byte = 0;
  const ssize_t size = ::read(fd, &byte, 1);
  if (size < 0) return errno;
  return size == 0 ? ENODATA : 0;
}

int write_through_link(const std::string& link, const std::string& target) {
  ::unlink(link.c_str());
  if (::symlink(target.c_str(), link.c_str()) != 0) return errno;
  return open_with(link, O_WRONLY);
}

int connect_unix(const std::string& name, bool is_abstract) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  ::memcpy(address.sun_path + (is_abstract ? 1 : 0), name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(struct sockaddr_un, sun_path) + name.size() +
                                           (is_abstract ? 1 : 0));
  return errno_of(::connect(fd, reinterpret_cast<struct sockaddr*>(&address), size));
}

struct sockaddr_in loopback(const std::string& port) {
  struct sockaddr_in address {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(::atoi(port.c_str())));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int connect_tcp(const std::string& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const struct sockaddr_in address = loopback(port);
  return errno_of(
      ::connect(fd, reinterpret_cast<const struct sockaddr*>(&address), sizeof address));
}

int send_udp(const std::string& port) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const struct sockaddr_in address = loopback(port);
  return errno_of(
      ::sendto(fd, "x", 1, 0, reinterpret_cast<const struct sockaddr*>(&address), sizeof address));
}

int open_socket(int family, int type) { return errno_of(::socket(family, type | SOCK_CLOEXEC, 0)); }

/// ENOENT: none but the three standard ones is open.
int find_descriptor() {
  for (int fd = 3; fd < 4096; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) return 0;
  }
  return ENOENT;
}

/// ENOENT: the environment has no such name.
int find_variable(const std::string& name) {
  return ::getenv(name.c_str()) != nullptr ? 0 : ENOENT;
}

/// EPERM: every set of capabilities is empty.
int find_capability() {
  FILE* file = ::fopen("/proc/self/status", "re");
  if (file == nullptr) return errno;
  char line[256];
  unsigned long long all = 0;
  while (::fgets(line, sizeof line, file) != nullptr) {
    unsigned long long set = 0;
    if (::sscanf(line, "Cap%*3s: %llx", &set) == 1) all |= set;
  }
  ::fclose(file);
  return all != 0 ? 0 : EPERM;
}

int raise_capabilities() {
  struct __user_cap_header_struct header {
    _LINUX_CAPABILITY_VERSION_3, 0
  };
  struct __user_cap_data_struct data[2] = {};
  data[0].effective = data[0].permitted = 1U << CAP_SYS_ADMIN;
  return errno_of(::syscall(SYS_capset, &header, data));
}

/// Executes `program` (a copy of this one, set-user-ID) and sees whether that changes the user.
int gain_user(const std::string& program) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(program.c_str(), program.c_str(), "--is-somebody-else", nullptr);
    ::_exit(errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int clone_with(unsigned long flags) {
  const long pid = ::syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) ::_exit(0);
  return errno_of(pid);
}

int clone3_with(std::uint64_t flags) {
  std::uint64_t arguments[11] = {flags};
  arguments[4] = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, arguments, sizeof arguments);
  if (pid == 0) ::_exit(0);
  return errno_of(pid);
}

int read_memory(pid_t pid) {
  char bytes[8];
  struct iovec here {
    bytes, sizeof bytes
  };
  struct iovec there {
    reinterpret_cast<void*>(0x1000), sizeof bytes
  };
  const long got = ::syscall(SYS_process_vm_readv, pid, &here, 1, &there, 1, 0);
  return errno_of(got) == EFAULT ? 0 : errno_of(got);  // Only the address was wrong.
}

/// Types into a terminal of its own.
int type_ahead() {
  ::setsid();
  const int master = ::posix_openpt(O_RDWR | O_CLOEXEC);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) return EIO;
  const int terminal = ::open(::ptsname(master), O_RDWR | O_CLOEXEC);
  if (terminal < 0) return EIO;
  ::ioctl(terminal, TIOCSCTTY, 0);
  return errno_of(::ioctl(terminal, TIOCSTI, "x"));
}

int set_up_io_uring() {
  char parameters[256] = {};
  return errno_of(::syscall(SYS_io_uring_setup, 1, parameters));
}

/// Leaves a process that holds a lock on `path`, in a session of its own, with closed descriptors.
int leave_daemon(const std::string& path) {
  int told[2];
  if (::pipe2(told, O_CLOEXEC) != 0) return errno;
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const int error = fd < 0 ? errno : errno_of(::flock(fd, LOCK_EX | LOCK_NB));
    signal(SIGTERM, SIG_IGN);
    [[maybe_unused]] const ssize_t written = ::write(told[1], &error, sizeof error);
    for (int open = 0; open < 64; ++open) {
      if (open != fd) ::close(open);
    }
    for (;;) ::pause();
  }
  ::close(told[1]);
  int error = ECHILD;
  [[maybe_unused]] const ssize_t got = ::read(told[0], &error, sizeof error);
  return error;
}

int call_foreign_architecture() {
#if defined(__x86_64__)
  long result = 20;  // getpid of the 32-bit table.
  __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return result > 0 ? 0 : static_cast<int>(-result);
#else
  return ENOSYS;
#endif
}

using Attempt = std::function<int(const Words&)>;

void add_files(std::map<std::string, Attempt>* all) {
  (*all)["read"] = [](const Words& w) { return read_something(w[1]); };
  (*all)["list"] = [](const Words& w) { return open_with(w[1], O_RDONLY | O_DIRECTORY); };
  (*all)["write"] = [](const Words& w) { return open_with(w[1], O_WRONLY); };
  (*all)["create"] = [](const Words& w) { return open_with(w[1], O_WRONLY | O_CREAT | O_EXCL); };
  (*all)["truncate"] = [](const Words& w) { return errno_of(::truncate(w[1].c_str(), 0)); };
  (*all)["mkdir"] = [](const Words& w) { return errno_of(::mkdir(w[1].c_str(), 0700)); };
  (*all)["rmdir"] = [](const Words& w) { return errno_of(::rmdir(w[1].c_str())); };
  (*all)["unlink"] = [](const Words& w) { return errno_of(::unlink(w[1].c_str())); };
  (*all)["rename"] = [](const Words& w) { return errno_of(::rename(w[1].c_str(), w[2].c_str())); };
  (*all)["exchange"] = [](const Words& w) {
    return errno_of(::renameat2(AT_FDCWD, w[1].c_str(), AT_FDCWD, w[2].c_str(), RENAME_EXCHANGE));
  };
  (*all)["lease"] = [](const Words& w) {
    const int fd = ::open(w[1].c_str(), O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : errno_of(::fcntl(fd, F_SETLEASE, F_RDLCK));
  };
  (*all)["set-id"] = [](const Words& w) {
    const auto mode = static_cast<mode_t>(::strtoul(w[1].c_str(), nullptr, 8));
    return errno_of(::chmod(w[2].c_str(), mode));
  };
  (*all)["create-set-id"] = [](const Words& w) {
    const auto mode = static_cast<mode_t>(::strtoul(w[1].c_str(), nullptr, 8));
    ::umask(0);
    const int fd = ::open(w[2].c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    return errno_of(fd);
  };
  (*all)["fchmod-set-id"] = [](const Words& w) {
    const int fd = ::open(w[1].c_str(), O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : errno_of(::fchmod(fd, 06755));
  };
  (*all)["mknod-set-id"] = [](const Words& w) {
    return errno_of(::mknod(w[1].c_str(), S_IFREG | 04755, 0));
  };
  (*all)["chmod"] = [](const Words& w) { return errno_of(::chmod(w[1].c_str(), 0777)); };
  (*all)["chown"] = [](const Words& w) {
    return errno_of(::chown(w[1].c_str(), ::getuid(), ::getgid()));
  };
  (*all)["utime"] = [](const Words& w) {
    return errno_of(::utimensat(AT_FDCWD, w[1].c_str(), nullptr, 0));
  };
  (*all)["link"] = [](const Words& w) { return errno_of(::link(w[1].c_str(), w[2].c_str())); };
  (*all)["write-through-link"] = [](const Words& w) { return write_through_link(w[1], w[2]); };
  (*all)["mknod"] = [](const Words& w) {
    return errno_of(::mknod(w[1].c_str(), S_IFCHR | 0600, 0x103));
  };
  (*all)["daemon"] = [](const Words& w) { return leave_daemon(w[1]); };
}

void add_talk(std::map<std::string, Attempt>* all) {
  (*all)["tcp"] = [](const Words& w) { return connect_tcp(w[1]); };
  (*all)["udp"] = [](const Words& w) { return send_udp(w[1]); };
  (*all)["unix"] = [](const Words& w) { return connect_unix(w[1], false); };
  (*all)["abstract"] = [](const Words& w) { return connect_unix(w[1], true); };
  (*all)["socket-inet"] = [](const Words&) { return open_socket(AF_INET, SOCK_STREAM); };
  (*all)["socket-unix"] = [](const Words&) { return open_socket(AF_UNIX, SOCK_STREAM); };
  (*all)["socket-netlink"] = [](const Words&) { return open_socket(AF_NETLINK, SOCK_RAW); };
  (*all)["socket-raw"] = [](const Words&) { return open_socket(AF_PACKET, SOCK_RAW); };
}

void add_processes(std::map<std::string, Attempt>* all) {
  const auto pid_of = [](const Words& w) { return static_cast<pid_t>(::atoi(w[1].c_str())); };
  (*all)["environment"] = [](const Words& w) {
    return read_something("/proc/" + w[1] + "/environ");
  };
  (*all)["variable"] = [](const Words& w) { return find_variable(w[1]); };
  (*all)["descriptor"] = [](const Words&) { return find_descriptor(); };
  (*all)["signal"] = [=](const Words& w) { return errno_of(::kill(pid_of(w), SIGWINCH)); };
  (*all)["ptrace"] = [=](const Words& w) {
    return errno_of(::ptrace(PTRACE_SEIZE, pid_of(w), nullptr, nullptr));
  };
  (*all)["memory"] = [=](const Words& w) { return read_memory(pid_of(w)); };
  (*all)["capability"] = [](const Words&) { return find_capability(); };
  (*all)["capset"] = [](const Words&) { return raise_capabilities(); };
  (*all)["setuid-program"] = [](const Words& w) { return gain_user(w[1]); };
  (*all)["new-user-namespace"] = [](const Words&) { return errno_of(::unshare(CLONE_NEWUSER)); };
  (*all)["clone-user-namespace"] = [](const Words&) { return clone_with(CLONE_NEWUSER); };
  (*all)["clone3-user-namespace"] = [](const Words&) { return clone3_with(CLONE_NEWUSER); };
  (*all)["setns"] = [](const Words& w) {
    const int fd = ::open(w[1].c_str(), O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : errno_of(::setns(fd, 0));
  };
}

void add_kernel(std::map<std::string, Attempt>* all) {
  (*all)["mount"] = [](const Words& w) {
    return errno_of(::mount("tmpfs", w[1].c_str(), "tmpfs", 0, nullptr));
  };
  (*all)["umount"] = [](const Words& w) { return errno_of(::umount2(w[1].c_str(), MNT_DETACH)); };
  (*all)["remount"] = [](const Words& w) {
    return errno_of(::mount(nullptr, w[1].c_str(), nullptr, MS_REMOUNT | MS_BIND, nullptr));
  };
  (*all)["open-tree"] = [](const Words& w) {
    return errno_of(::syscall(428, AT_FDCWD, w[1].c_str(), 1 | AT_RECURSIVE));
  };
  (*all)["chroot"] = [](const Words& w) { return errno_of(::chroot(w[1].c_str())); };
  (*all)["tiocsti"] = [](const Words&) { return type_ahead(); };
  (*all)["keyctl"] = [](const Words&) {
    return errno_of(::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1));
  };
  (*all)["io-uring"] = [](const Words&) { return set_up_io_uring(); };
  (*all)["userfaultfd"] = [](const Words&) { return errno_of(::syscall(SYS_userfaultfd, 1)); };
  (*all)["hostname"] = [](const Words&) {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return errno_of(::sethostname(name, ::strlen(name)));
  };
  (*all)["foreign-call"] = [](const Words&) { return call_foreign_architecture(); };
}

std::string result_of(const Attempt& attempt, const Words& words) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    ::_exit(attempt(words));
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return "fork failed";
  if (WIFSIGNALED(status)) return std::string("SIG") + ::sigabbrev_np(WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return "ok";
  const char* name = ::strerrorname_np(WEXITSTATUS(status));
  return name != nullptr ? name : "?";
}

Words split(const std::string& line) {
  Words words;
  std::string word;
  for (const char c : line + ' ') {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && ::strcmp(argv[1], "--is-somebody-else") == 0) {
    return ::geteuid() != ::getuid() ? 0 : EPERM;
  }
  std::map<std::string, Attempt> all;
  add_files(&all);
  add_talk(&all);
  add_processes(&all);
  add_kernel(&all);
  char* line = nullptr;
  std::size_t room = 0;
  const char* separator = "{";
  while (::getline(&line, &room, stdin) > 0) {
    std::string text = line;
    if (text.ends_with('\n')) text.pop_back();
    const Words words = split(text);
    const auto found = words.empty() ? all.end() : all.find(words[0]);
    const std::string result =
        found == all.end() ? "no such attempt" : result_of(found->second, words);
    ::printf("%s\"%s\": \"%s\"", separator, text.c_str(), result.c_str());
    ::fflush(stdout);
    separator = ",\n";
  }
  ::printf("}\n");
  return 0;
}
