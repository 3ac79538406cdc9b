// SPDX-License-Identifier: MIT
//
// Attempts on files, sockets and other ways to talk.

#include <linux/fs.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>

#include <cstdint>

#include "sandbox_attempts.h"

namespace {

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

/// By a descriptor that gives no right to write.
int open_again(const std::string& path) {
  const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return errno;
  return open_with("/proc/self/fd/" + std::to_string(fd), O_WRONLY);
}

int set_file_flags(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int flags = 0;
  if (::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return errno;
  return errno_of(::ioctl(fd, FS_IOC_SETFLAGS, &flags));
}

int listen_somewhere() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const struct sockaddr_in address = loopback("0");
  if (::bind(fd, reinterpret_cast<const struct sockaddr*>(&address), sizeof address) != 0) {
    return errno;
  }
  return errno_of(::listen(fd, 1));
}

/// Connects without connect().
int send_fast_open(const std::string& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const struct sockaddr_in address = loopback(port);
  return errno_of(::sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
                           reinterpret_cast<const struct sockaddr*>(&address), sizeof address));
}

/// Nobody listens for datagrams there: EPROTOTYPE says that the socket was reached.
int send_unix_datagram(const std::string& name) {
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  ::memcpy(address.sun_path, name.data(), name.size());
  const int error = errno_of(
      ::sendto(fd, "x", 1, 0, reinterpret_cast<struct sockaddr*>(&address), sizeof address));
  return error == EPROTOTYPE ? 0 : error;
}

}  // namespace

void add_files(Attempts* all) {
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
  (*all)["symlink"] = [](const Words& w) {
    return errno_of(::symlink(w[1].c_str(), w[2].c_str()));
  };
  (*all)["mkfifo"] = [](const Words& w) { return errno_of(::mkfifo(w[1].c_str(), 0600)); };
  (*all)["attribute"] = [](const Words& w) {
    return errno_of(::setxattr(w[1].c_str(), "user.filecall", "x", 1, 0));
  };
  (*all)["nameless"] = [](const Words& w) { return open_with(w[1], O_TMPFILE | O_WRONLY); };
  (*all)["open-again"] = [](const Words& w) { return open_again(w[1]); };
  (*all)["flags"] = [](const Words& w) { return set_file_flags(w[1]); };
  (*all)["watch"] = [](const Words& w) {
    return errno_of(::inotify_add_watch(::inotify_init1(IN_CLOEXEC), w[1].c_str(), IN_OPEN));
  };
  (*all)["stat"] = [](const Words& w) {
    struct stat info {};
    return errno_of(::stat(w[1].c_str(), &info));
  };
  (*all)["execute"] = [](const Words& w) { return errno_of(::access(w[1].c_str(), X_OK)); };
}

void add_talk(Attempts* all) {
  (*all)["tcp"] = [](const Words& w) { return connect_tcp(w[1]); };
  (*all)["udp"] = [](const Words& w) { return send_udp(w[1]); };
  (*all)["unix"] = [](const Words& w) { return connect_unix(w[1], false); };
  (*all)["abstract"] = [](const Words& w) { return connect_unix(w[1], true); };
  (*all)["socket-inet"] = [](const Words&) { return open_socket(AF_INET, SOCK_STREAM); };
  (*all)["socket-unix"] = [](const Words&) { return open_socket(AF_UNIX, SOCK_STREAM); };
  (*all)["socket-netlink"] = [](const Words&) { return open_socket(AF_NETLINK, SOCK_RAW); };
  (*all)["socket-raw"] = [](const Words&) { return open_socket(AF_PACKET, SOCK_RAW); };
  (*all)["socket"] = [](const Words& w) {
    return open_socket(::atoi(w[1].c_str()), ::atoi(w[2].c_str()));
  };
  (*all)["listen"] = [](const Words&) { return listen_somewhere(); };
  (*all)["fast-open"] = [](const Words& w) { return send_fast_open(w[1]); };
  (*all)["unix-datagram"] = [](const Words& w) { return send_unix_datagram(w[1]); };
  (*all)["message-queue"] = [](const Words&) {
    const long queue = ::mq_open("/filecall", O_CREAT | O_RDWR, 0600, nullptr);
    ::mq_unlink("/filecall");
    return errno_of(queue);
  };
}
