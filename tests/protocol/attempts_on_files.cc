// SPDX-License-Identifier: MIT
//
// Attempts on files, sockets and other ways to talk.

#include <linux/capability.h>
#include <linux/fs.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
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

int open_socket(int family, int type, int protocol = 0) {
  return errno_of(::socket(family, type | SOCK_CLOEXEC, protocol));
}

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

/// Names a file by a handle of its file system, and with `opens` by that alone.
int use_handle(const std::string& path, bool opens) {
  alignas(struct file_handle) char room[sizeof(struct file_handle) + MAX_HANDLE_SZ] = {};
  auto* const handle = reinterpret_cast<struct file_handle*>(room);
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  if (::name_to_handle_at(AT_FDCWD, path.c_str(), handle, &mount, 0) != 0) return errno;
  const int place = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (!opens || place < 0) return errno_of(place);
  return errno_of(::open_by_handle_at(place, handle, O_RDONLY | O_CLOEXEC));
}

/// A program that is run gets the right to set its user.
int give_file_capability(const std::string& path) {
  struct vfs_cap_data data {};
  data.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  data.data[0].permitted = 1U << CAP_SETUID;
  return errno_of(::setxattr(path.c_str(), "security.capability", &data, sizeof data, 0));
}

/// Everybody may read and write.
int set_access_list(const std::string& path) {
  constexpr std::uint16_t kOwner = 1, kGroup = 4, kOthers = 0x20, kReadWrite = 6;
  struct {
    std::uint32_t version = 2;
    struct {
      std::uint16_t tag, rights;
      std::uint32_t id;
    } entries[3] = {
        {kOwner, kReadWrite, ~0U}, {kGroup, kReadWrite, ~0U}, {kOthers, kReadWrite, ~0U}};
  } const list;
  return errno_of(::setxattr(path.c_str(), "system.posix_acl_access", &list, sizeof list, 0));
}

/// EPERM: the bit was not set.
int make_set_id_folder(const std::string& path) {
  struct stat info {};
  if (::mkdir(path.c_str(), 02777) != 0 || ::stat(path.c_str(), &info) != 0) return errno;
  return (info.st_mode & S_ISGID) != 0 ? 0 : EPERM;
}

/// Writes where its own memory is read-only.
int write_own_memory() {
  void* const page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int fd = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  return fd < 0 ? errno : errno_of(::pwrite(fd, "x", 1, reinterpret_cast<off_t>(page)));
}

/// A program that lies in no file tree.
int run_from_memory(const std::string& path) {
  const int program = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int memory = ::memfd_create("program", MFD_CLOEXEC);
  if (program < 0 || memory < 0) return errno;
  char bytes[65536];
  for (ssize_t size = 0; (size = ::read(program, bytes, sizeof bytes)) > 0;) {
    if (::write(memory, bytes, static_cast<std::size_t>(size)) != size) return errno;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    char name[] = "true";
    char* const words[] = {name, nullptr};
    char* const no_variables[] = {nullptr};
    ::fexecve(memory, words, no_variables);
    ::_exit(errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/// A name that programs of the host may look for.
int bind_abstract(const std::string& name) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  ::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size =
      static_cast<socklen_t>(offsetof(struct sockaddr_un, sun_path) + name.size() + 1);
  return errno_of(::bind(fd, reinterpret_cast<struct sockaddr*>(&address), size));
}

int listen_at(const std::string& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const struct sockaddr_in address = loopback(port);
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

/// Other ways to the same.
void add_ways_round(Attempts* all) {
  (*all)["handle"] = [](const Words& w) { return use_handle(w[1], false); };
  (*all)["open-handle"] = [](const Words& w) { return use_handle(w[1], true); };
  (*all)["file-capability"] = [](const Words& w) { return give_file_capability(w[1]); };
  (*all)["access-list"] = [](const Words& w) { return set_access_list(w[1]); };
  (*all)["mkdir-set-id"] = [](const Words& w) { return make_set_id_folder(w[1]); };
  (*all)["own-memory"] = [](const Words&) { return write_own_memory(); };
  (*all)["run-from-memory"] = [](const Words& w) { return run_from_memory(w[1]); };
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
  add_ways_round(all);
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
    const int protocol = w.size() > 3 ? ::atoi(w[3].c_str()) : 0;
    return open_socket(::atoi(w[1].c_str()), ::atoi(w[2].c_str()), protocol);
  };
  (*all)["listen"] = [](const Words& w) { return listen_at(w.size() > 1 ? w[1] : "0"); };
  (*all)["bind-abstract"] = [](const Words& w) { return bind_abstract(w[1]); };
  (*all)["fast-open"] = [](const Words& w) { return send_fast_open(w[1]); };
  (*all)["unix-datagram"] = [](const Words& w) { return send_unix_datagram(w[1]); };
  (*all)["message-queue"] = [](const Words&) {
    const long queue = ::mq_open("/filecall", O_CREAT | O_RDWR, 0600, nullptr);
    ::mq_unlink("/filecall");
    return errno_of(queue);
  };
}
