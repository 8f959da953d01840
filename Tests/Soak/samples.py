"""Samples every ten seconds: the server's process, its files, its metrics, and the probe's measurements since the last
sample."""

import asyncio
import csv
import os
import re
import time

from load import processor_seconds

PAUSE_SECONDS = 10
MEBIBYTE = 1 << 20


class Samples:
    """`rows` are dictionaries of numbers. The rates and latencies of a row cover the time since the previous row."""

    def __init__(self, server, crowd, probe, folder):
        self.server, self.crowd, self.probe, self.folder = server, crowd, probe, folder
        self.rows = []
        self.before = None
        self.probed = 0
        self.bots_used = {}

    async def take(self):
        while True:
            began = time.monotonic()
            await self.look()
            await asyncio.sleep(max(0, began + PAUSE_SECONDS - time.monotonic()))

    async def look(self):
        metrics, now = await self.server.metrics(), time.monotonic()
        before, self.before = self.before, (metrics, now, self.bots_busy(), sum(os.times()[:2]))
        if before is None:
            return
        row = {"second": round(now - self.probe.began, 1)} | self.process() | self.files()
        row["connections"] = metrics["canvas_connections"]
        row["others"] = row["descriptors"] - metrics["canvas_connections"] - metrics["canvas_http_connections"]
        row |= {name: metrics[f"canvas_{name}"] for name in ("rooms_open", "shapes_open")}
        row |= self.rates(before, self.before) | self.latencies()
        row["load"] = os.getloadavg()[0]
        self.rows.append({name: round(value, 3) for name, value in row.items()})
        if len(self.rows) % 6 == 1:
            shown = ("second", "memory_mib", "others", "threads", "connections", "database_mib", "wal_mib", "server_cpu", "bots_cpu", "ack_p50", "ack_max")
            self.write()
            print("  ".join(f"{name} {self.rows[-1][name]:g}" for name in shown), flush=True)

    def process(self):
        folder = f"/proc/{self.server.process.pid}"
        with open(f"{folder}/status") as file:
            status = dict(line.split(":", 1) for line in file)
        return {
            "memory_mib": int(status["VmRSS"].split()[0]) / 1_024,
            "anonymous_mib": int(status["RssAnon"].split()[0]) / 1_024,
            "threads": int(status["Threads"]),
            "descriptors": len(os.listdir(f"{folder}/fd")),
        }

    def files(self):
        sizes = {name: os.path.getsize(os.path.join(self.server.data, name)) for name in os.listdir(self.server.data)}
        wal = sizes.get("canvas.db-wal", 0)
        return {"database_mib": sizes["canvas.db"] / MEBIBYTE, "wal_mib": wal / MEBIBYTE, "directory_mib": sum(sizes.values()) / MEBIBYTE}

    def bots_busy(self):
        """The processor time of all bots so far, in seconds."""
        for pid in self.crowd.processes.values():
            try:
                self.bots_used[pid] = processor_seconds(pid)
            except (FileNotFoundError, ProcessLookupError):
                pass
        return sum(self.bots_used.values())

    @staticmethod
    def rates(before, after):
        (old, began, bots, own), (new, ended, bots_now, own_now) = before, after
        seconds = ended - began

        def rate(name):
            return (new[name] - old[name]) / seconds

        return {
            "operations": rate("canvas_operations_in_total"),
            "deliveries": rate("canvas_deliveries_total"),
            "commits": rate("canvas_log_commits_total"),
            "log_mib": rate("canvas_log_bytes_total") / MEBIBYTE,
            "snapshots": new["canvas_snapshots_total"],
            "checkpoints": new["canvas_log_checkpoint_seconds_count"],
            "server_cpu": rate("process_cpu_seconds_total"),
            "bots_cpu": (bots_now - bots) / seconds,
            "own_cpu": (own_now - own) / seconds,
            "commit_p50": quantile(old, new, "canvas_log_commit_seconds", 0.5) * 1_000,
            "commit_p99": quantile(old, new, "canvas_log_commit_seconds", 0.99) * 1_000,
            "delivery_p50": quantile(old, new, "canvas_delivery_seconds", 0.5) * 1_000,
            "delivery_p99": quantile(old, new, "canvas_delivery_seconds", 0.99) * 1_000,
        }

    def latencies(self):
        asked, self.probed = self.probe.asked[self.probed :], len(self.probe.asked)
        row = {}
        for index, name in enumerate(self.probe.WHAT, 1):
            values = sorted(one[index] for one in asked) or [0]
            row |= {f"{name}_p50": values[len(values) // 2], f"{name}_max": values[-1]}
        return row

    def write(self):
        with open(os.path.join(self.folder, "samples.csv"), "w", newline="") as file:
            writer = csv.DictWriter(file, self.rows[0])
            writer.writeheader()
            writer.writerows(self.rows)
        with open(os.path.join(self.folder, "probes.csv"), "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("second", *self.probe.WHAT))
            writer.writerows([round(value, 3) for value in row] for row in self.probe.asked)


def quantile(old, new, name, part):
    """A quantile of what a histogram has counted between two readings: the upper limit of its bucket."""
    pattern = re.compile(re.escape(name) + r'_bucket\{le="([^"]+)"\}')
    counts = sorted((float(match[1]), new[key] - old.get(key, 0)) for key in new if (match := pattern.fullmatch(key)))
    total = counts[-1][1]
    return next((bound for bound, count in counts if count >= part * total and bound != float("inf")), counts[-2][0]) if total else 0
