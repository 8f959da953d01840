"""Checks measurements that must not grow. Only the second half of a run counts, because by then everything has reached
its full size."""

import collections

from load import percentile

# A straight line is fitted to the measurements of the second half of the run. The limits below say how much this line
# may rise from its beginning to its end.
#
# Memory: half an hour has 700,000 operations and 1,400 connections. A leak of four bytes per operation, or of two
# kilobytes per connection, would exceed this limit. Smaller changes are normal for the allocator.
MEMORY_RISE_MAX = 0.06
# The number of threads, and of descriptors that are not connections. A snapshot or a checkpoint briefly needs one more.
# A leak of one per minute would add thirty by the end.
OTHERS_RISE_MAX = 1.0
# Latency. Other programs on the machine affect the 99th percentile much and the median little. The machine's own
# slowness is measured by how long a write to its disk takes without the server, and by how many threads wait for a
# processor. A latency that nobody notices is always accepted.
MEDIAN_RISE_MAX, MEDIAN_RISE_MILLISECONDS_MAX = 0.3, 3
LATENCY_RISE_MAX = 1.5
LATENCY_MILLISECONDS_FINE = 50
# How much the database may grow, as a fraction of its size. The file never shrinks, although snapshots and history are
# removed all the time.
DATABASE_RISE_MAX = 0.15
# A checkpoint happens at 8,192 pages of 4 KiB. The write-ahead log's file is never truncated below 64 MiB.
WAL_MIB_MAX = 64

# The messages that the server may log. A slow commit is the disk's fault, and latency is judged separately.
EXPECTED = ("the page's files were not found", "slow commit")


class Judgement:
    """Judges a run. `rows` are the samples of samples.py, and `asked` are the measurements of probe.py."""

    def __init__(self, rows, asked, seconds):
        self.all_rows = rows
        # The last seconds are left out, because the last round ends before the run does.
        self.rows = [row for row in rows if seconds / 2 <= row["second"] <= seconds - 15]
        self.asked, self.seconds = asked, seconds
        self.complaints = []
        self.findings = []

    def growth(self):
        self.flat("memory_mib", MEMORY_RISE_MAX * self.mean("memory_mib"), "MiB of memory")
        self.flat("others", OTHERS_RISE_MAX, "descriptors beside connections")
        self.flat("threads", OTHERS_RISE_MAX, "threads")
        self.flat("database_mib", DATABASE_RISE_MAX * self.mean("database_mib"), "MiB of database")
        for what in ("ping", "ack", "seen"):
            median = f"{what}_p50"
            self.flat(median, max(MEDIAN_RISE_MILLISECONDS_MAX, MEDIAN_RISE_MAX * self.mean(median)), f"ms, median of {what}")
            self.slowest(what)
        self.write_ahead()

    def find(self, words, is_right):
        self.findings.append(f"{'ok     ' if is_right else 'WRONG  '}{words}")
        if not is_right:
            self.complaints.append(words)

    def mean(self, name):
        return sum(row[name] for row in self.rows) / len(self.rows)

    def rise(self, name):
        """The rise of the best-fitting straight line, from its beginning to its end."""
        times = [row["second"] for row in self.rows]
        middle, mean = sum(times) / len(times), self.mean(name)
        slope = sum((row["second"] - middle) * (row[name] - mean) for row in self.rows) / sum((time - middle) ** 2 for time in times)
        return slope * (times[-1] - times[0])

    def flat(self, name, rise_max, what):
        rise, values = self.rise(name), [row[name] for row in self.rows]
        words = f"{what}: {min(values):.4g} to {max(values):.4g}, rising by {rise:+.2f} in {self.seconds / 2:.0f} s; allowed {rise_max:.2f}"
        self.find(words, rise <= rise_max)

    def slowest(self, what):
        """Compares the slowest answers of the last third with those of the second third."""
        column = {"ping": 1, "ack": 2, "seen": 3}[what]

        def within(part, second):
            return self.seconds * part / 3 <= second < self.seconds * (part + 1) / 3

        def p99(index, part):
            return percentile([one[index] for one in self.asked if within(part, one[0])], 0.99)

        def load(part):
            values = [row["load"] for row in self.all_rows if within(part, row["second"])]
            return sum(values) / len(values)

        before, after = p99(column, 1), p99(column, 2)
        machine = max(1, p99(4, 2) / p99(4, 1), load(2) / load(1))
        allowed = max(LATENCY_MILLISECONDS_FINE, before * LATENCY_RISE_MAX * machine)
        words = f"{what}, slowest of a hundred: {before:.1f} ms, then {after:.1f} ms; allowed {allowed:.1f}"
        words += f" (the machine is {machine:.2f} times as slow)" if machine > 1 else ""
        self.find(words, after <= allowed)

    def write_ahead(self):
        largest, carried = max(row["wal_mib"] for row in self.rows), self.rows[-1]["checkpoints"] - self.rows[0]["checkpoints"]
        written = sum(row["log_mib"] for row in self.rows) * self.seconds / 2 / len(self.rows)
        words = f"write-ahead log: at most {largest:.0f} MiB, carried over {carried:.0f} times; allowed {WAL_MIB_MAX} MiB"
        self.find(words, largest <= WAL_MIB_MAX and carried > 0)
        made = self.rows[-1]["snapshots"] - self.rows[0]["snapshots"]
        words = f"{made:.0f} snapshots, so that {written:.1f} MiB of new records could be trimmed to a database of "
        self.find(words + f"{self.rows[-1]['database_mib']:.1f} MiB", made > 0)

    def crowd(self, crowd, left):
        """Judges the crowd's complaints, and whether it did its work."""
        self.complaints += crowd.complaints
        wanted = ("acknowledged to bots", "rounds of bots", "rooms left for a while", "visits", "resumed", "digests compared")
        counted = ", ".join(f"{name} {crowd.counts[name]}" for name in (*wanted, "loaded anew", "reconnects of bots"))
        self.find(counted, all(crowd.counts[name] for name in wanted) and not crowd.counts["reconnects of bots"])
        self.find(
            f"when all have left: {left['canvas_connections']:.0f} connections, {left['canvas_rooms_open']:.0f} rooms, "
            f"{left['process_open_fds']:.0f} descriptors, {left['process_resident_memory_bytes'] / (1 << 20):.1f} MiB",
            left["canvas_connections"] == left["canvas_rooms_open"] == 0,
        )

    def server(self, code, verified, log):
        self.find(f"the server ended with {code}", code == 0)
        self.find(f"log verify: {(verified[1] + verified[2]).strip()}", verified[0] == 0)
        # A log line that sums up similar messages has the first of them in `like`.
        said = collections.Counter(entry.get("like", entry["message"]) for entry in log if entry["level"] in ("error", "warning"))
        words = f"{len(log)} lines in the server's log; errors and warnings among them: {dict(said) or 'none'}"
        self.find(words, said.keys() <= set(EXPECTED))
