import Glibc

/// Notices that nobody reads standard output any more, even while there is nothing to write.
enum ReaderWatch {
  /// Makes the command end as soon as the reader closes the pipe, and not only at the next write.
  ///
  /// A separate thread waits for that, since the loop watches only sockets. The thread ends with the process. Files and
  /// terminals have no reader that could leave.
  static func start() throws(ClientFailure) {
    var thread = pthread_t()
    let failure = pthread_create(
      &thread,
      nil,
      { _ in
        // No event is requested, so poll returns only when the other end is gone.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&output, 1, -1) < 0, errno == EINTR {}
        if Int32(output.revents) & (POLLERR | POLLHUP) != 0 { Signals.readerIsGone() }
        return nil
      },
      nil
    )
    guard failure == 0 else {
      throw .failed("can't start a thread to watch standard output: \(String(cString: strerror(failure)))")
    }
    pthread_detach(thread)
  }
}
