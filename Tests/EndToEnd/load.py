"""What programs that make load or measure it have in common, here, in Tests/Chaos, Soak and Attacks, and in Benchmarks."""

import os
import subprocess

# Not by server.py: a benchmark has that name too.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def options(parser, modules):
    """Reads the command line, with where the programs are. `modules`: for each program the module whose `BINARY` it is."""
    parser.add_argument("--build", default=os.path.join(ROOT, ".build", "test", "release"), help="where the programs are")
    given = parser.parse_args()
    for name, module in modules.items():
        module.BINARY = os.path.join(os.path.abspath(given.build), name)
        if not os.access(module.BINARY, os.X_OK):
            parser.error(f"{module.BINARY} is not there: build it, or say where with --build")
    return given


def built(product, *package):
    """The path of a program, built for release."""
    command = ["swift", "build", "-c", "release", *package, "--product", product]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    place = subprocess.run([*command, "--show-bin-path"], check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return os.path.join(place.stdout.strip(), product)


def percentile(values, share):
    """What this share of the values is not above: 0.5 for their median, 1 for the largest."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def processor_seconds(pid):
    """How long a process has had a processor."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
