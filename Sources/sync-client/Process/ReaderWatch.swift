import Basics
import Glibc

/// Notices when the reader of standard output is gone, even if nothing is being written.
enum ReaderWatch {
  /// Ends the command as soon as the reader closes the pipe, and not only at the next write. Does nothing for files and
  /// terminals.
  ///
  /// A separate thread waits for the pipe to be closed, because the event loop watches only sockets.
  static func start() throws(ClientFailure) {
    do throws(SystemThread.Failure) {
      let thread = try SystemThread(handlesSignals: true) {
        // With no requested events, `poll` returns only when the other end is closed.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&output, 1, -1) < 0, errno == EINTR {}
        if Int32(output.revents) & (POLLERR | POLLHUP) != 0 { Signals.readerIsGone() }
      }
      thread.detach()
    } catch {
      throw .failed("can't start a thread to watch standard output: \(error)")
    }
  }
}
