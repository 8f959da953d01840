"""Helpers for programs that make load or measure it, in Tests and in Benchmarks."""

import os
import subprocess

# Not imported from `server`, because benchmarks have another module with that name.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def options(parser, modules):
    """Parses the command line, and sets each module's `BINARY` to its program in the folder of --build."""
    parser.add_argument("--build", default=os.path.join(ROOT, ".build", "test", "release"), help="where the programs are")
    given = parser.parse_args()
    for name, module in modules.items():
        module.BINARY = os.path.join(os.path.abspath(given.build), name)
        if not os.access(module.BINARY, os.X_OK):
            parser.error(f"{module.BINARY} is not there: build it, or say where with --build")
    return given


def built(product, *package):
    """The path of a program's release build."""
    command = ["swift", "build", "-c", "release", *package, "--product", product]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    place = subprocess.run([*command, "--show-bin-path"], check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return os.path.join(place.stdout.strip(), product)


def percentile(values, share):
    """The smallest value that at least this share of all doesn't exceed: 0.5 is the median, 1 the maximum."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def spelled(number):
    """The identifier that has this number."""
    digits = ""
    for _ in range(9):
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{digits[:3]}-{digits[3:6]}-{digits[6:]}"


def processor_seconds(pid):
    """The processor time of a process, in seconds."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
