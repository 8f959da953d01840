// libwebsockets; libuv, the loop that it runs on; OpenSSL, which does TLS for clients. What follows is only what
// Swift's importer can't see: macros that are built by arithmetic, functions with variable arguments, and features of
// Linux that the C library doesn't know.

#ifndef CANVAS_CWEBSOCKETS_SHIM_H
#define CANVAS_CWEBSOCKETS_SHIM_H

#include <libwebsockets.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <uv.h>

// Glibc declares these two only with GNU's extensions, which Swift's own import of it doesn't turn on.
int accept4(int listener, struct sockaddr *address, socklen_t *count, int flags);
int pthread_setname_np(pthread_t thread, const char *name);

/// The number of bytes in front of a payload that lws_write() may use for its frame header.
static const size_t cws_header_room = LWS_PRE;

/// The context runs on a libuv loop of ours, and makes no virtual host by itself.
static const uint64_t cws_context_options =
    LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;

/// For a context, or a virtual host, whose clients speak TLS.
static const uint64_t cws_tls_options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;

/// Refuses versions of TLS that are no longer safe.
static inline int cws_tls_refuse_old_versions(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// Tells the server which of its names the client wants.
static inline int cws_tls_name_server(SSL *tls, const char *name) { return SSL_set_tlsext_host_name(tls, name); }

/// Lets a write that sent nothing be repeated from another address in memory, and be taken in part.
static inline long cws_tls_write_freely(SSL *tls) {
  return SSL_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

/// A virtual host that only adopts sockets, and one that only connects outwards.
static const int cws_port_adopting = CONTEXT_PORT_NO_LISTEN_SERVER;
static const int cws_port_connecting = CONTEXT_PORT_NO_LISTEN;

/// Closes a connection at once; not to be called within a callback of that connection.
static inline void cws_kill(struct lws *wsi) {
  lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

/// The kind of lws_write() that sends bytes unchanged.
static const int cws_write_raw = LWS_WRITE_RAW;

/// lws_write(), with its kind as a number and the bit that means that more fragments follow.
static inline int cws_write(struct lws *wsi, unsigned char *payload, size_t count, int kind, int more) {
  return lws_write(wsi, payload, count, (enum lws_write_protocol)(kind | (more ? LWS_WRITE_NO_FIN : 0)));
}

/// What the kernel knows of a connection's line.
struct cws_line {
  /// Bytes given to the socket that the peer has not acknowledged, whether they were sent or not.
  int queued;
  /// Bytes that the peer has acknowledged in all.
  uint64_t acknowledged;
  /// The round trip in microseconds: the current one, and the shortest so far.
  uint32_t round_trip, least_round_trip;
};

/// Linux's `struct tcp_info`, up to the last field that is read here. The kernel only ever appends to it. The C
/// library's own version ends before those fields, and the kernel's header can't be included beside it.
struct cws_tcp_info {
  uint8_t states[8];
  uint32_t until_round_trip[15];
  uint32_t round_trip, until_pacing[8];
  uint64_t pacing_rate, pacing_rate_max, bytes_acked, bytes_received;
  uint32_t segments_out, segments_in, notsent_bytes, least_round_trip;
};

/// Reads a socket's line. 0 on success, or -1 if the socket has none.
static inline int cws_read_line(int descriptor, struct cws_line *line) {
  struct cws_tcp_info info;
  memset(&info, 0, sizeof info);
  socklen_t count = sizeof info;
  if (ioctl(descriptor, TIOCOUTQ, &line->queued) != 0) return -1;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &count) != 0) return -1;
  line->acknowledged = info.bytes_acked;
  line->round_trip = info.round_trip;
  line->least_round_trip = info.least_round_trip;
  return 0;
}

/// Reads how many bytes of a socket have been received and read. 0 on success, or -1 if the socket has no such count.
static inline int cws_read_received(int descriptor, uint64_t *bytes) {
  struct cws_tcp_info info;
  memset(&info, 0, sizeof info);
  socklen_t count = sizeof info;
  int unread = 0;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &count) != 0) return -1;
  if (ioctl(descriptor, FIONREAD, &unread) != 0 || unread < 0) return -1;
  *bytes = info.bytes_received > (uint64_t)unread ? info.bytes_received - (uint64_t)unread : 0;
  return 0;
}

/// Bounds what the socket takes beyond what TCP has in flight. Without it, megabytes gather for a stalled line.
static inline int cws_limit_unsent(int descriptor, int bytes) {
  return setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

#endif
