"""Records all operations that clients submitted, that were acknowledged, or that clients saw. So it knows what each
room must contain."""

import time
from dataclasses import dataclass

from client import order

# How many lines of a register's history are printed if one of its values is missing.
HISTORY_LINES = 16


@dataclass(slots=True)
class Fact:
    """One value of one register. The times when it was submitted, acknowledged and seen are monotonic, or None."""

    label: str
    value: object
    writer: str
    submitted: float | None = None
    acknowledged: float | None = None
    seen: float | None = None
    seer: str = ""

    @property
    def is_owed(self):
        return self.acknowledged is not None or self.seen is not None


class Ledger:
    """The facts about every register, which is a room, a shape and a property. Facts are sorted by stamp.
    `sync-client pipe` doesn't report stamps, so its facts are sorted by the numbers that it writes."""

    def __init__(self):
        self.began = time.monotonic()
        self.registers = {}
        self.counted = {}
        self.places = {}
        self.actors = set()
        self.story = []
        self.void = 0

    def note(self, words):
        self.story.append((time.monotonic(), words))

    # What happens.

    def submitted(self, room, operations, writer):
        for operation, name, value in each(operations):
            facts = self.registers.setdefault((room, operation["shape"], name), {})
            facts[order(operation["at"])] = Fact(operation["at"], value, writer, time.monotonic())

    def acknowledged(self, room, operations):
        for operation, name, _ in each(operations):
            self.registers[room, operation["shape"], name][order(operation["at"])].acknowledged = time.monotonic()

    def saw(self, room, operation, seer):
        """Records a value that a client saw. Returns a complaint if it is of one of our clients that never wrote it."""
        stamp = order(operation["at"])
        for _, name, value in each([operation]):
            facts = self.registers.setdefault((room, operation["shape"], name), {})
            if stamp not in facts:
                if stamp[2] in self.actors:
                    return f"{seer} was sent {operation}, which its writer never wrote"
                facts[stamp] = Fact(operation["at"], value, "ours")
            fact = facts[stamp]
            if fact.value != value:
                return f"{seer} was sent {operation}, where its writer wrote {fact.value}"
            if fact.seen is None:
                fact.seen, fact.seer = time.monotonic(), seer
        return None

    def counts(self, room, shape, number, writer):
        self.counted.setdefault((room, shape), {})[number] = Fact(str(number), number, writer, time.monotonic())

    def counts_acknowledged(self, room, shape, number):
        self.counted[room, shape][number].acknowledged = time.monotonic()

    def placed(self, room, shape, position):
        """Records the last acknowledged position of a shape that only this bot moves."""
        self.places[room, shape] = position

    def forget_since(self, moment):
        """Forgets what was acknowledged or seen since this moment, because an older copy was restored."""
        for facts in [*self.registers.values(), *self.counted.values()]:
            for fact in facts.values():
                lost = [name for name in ("acknowledged", "seen") if (getattr(fact, name) or 0) > moment]
                for name in lost:
                    setattr(fact, name, None)
                self.void += bool(lost)

    # The rules that must hold

    def missing(self, room, canvas):
        """The values that the room must have and a client that has just joined lacks, with their history."""
        for (owner, shape, name), facts in self.registers.items():
            owed = [stamp for stamp, fact in facts.items() if fact.is_owed] if owner == room else []
            if owed and winner(canvas, shape, name) < max(owed):
                yield self.tell(facts[max(owed)], (room, shape, name), facts, self.found(canvas, shape, name))
        for (owner, shape), facts in self.counted.items():
            owed = [number for number, fact in facts.items() if fact.is_owed] if owner == room else []
            _, there = canvas.registers.get(shape, {}).get("rotation", (None, -1))
            if owed and not max(owed) <= there <= max(facts):
                yield self.tell(facts[max(owed)], (room, shape, "rotation"), facts, there)
        for (owner, shape), position in self.places.items():
            _, there = canvas.registers.get(shape, {}).get("position", (None, None))
            if owner == room and there != position:
                yield f"{room} {shape} position: a bot was told that it is {position}, and the room has {there}"

    def invented(self, room, canvas):
        """Values in the room with the stamp of a foreign client that never wrote them."""
        for shape, registers in canvas.registers.items():
            for name, (stamp, value) in registers.items():
                fact = self.registers.get((room, shape, name), {}).get(order(stamp))
                if order(stamp)[2] in self.actors and (fact is None or fact.value != value):
                    yield f"{room} {shape} {name}: the room has {value} at {stamp}; its writer wrote {fact and fact.value}"

    def found(self, canvas, shape, name):
        stamp, value = canvas.registers.get(shape, {}).get(name, (None, None))
        return f"{value} at {stamp}, erased at {canvas.erased.get(shape)}"

    def tell(self, fact, register, facts, there):
        how = "acknowledged" if fact.acknowledged else f"seen by {fact.seer}"
        lines = [f"{' '.join(register)}: {fact.value} at {fact.label} was {how}, and the room has {there}. Its history:"]
        return "\n".join(lines + self.history(facts))

    def history(self, facts):
        events = [(moment, f"        {words}") for moment, words in self.story]
        for fact in facts.values():
            for what in ("submitted", "acknowledged", "seen"):
                if (moment := getattr(fact, what)) is not None:
                    by = fact.seer if what == "seen" else fact.writer
                    events.append((moment, f"{what} {fact.value} at {fact.label} ({by})"))
        newest = sorted(events)[-HISTORY_LINES:]
        return [f"    {moment - self.began:8.3f} s  {words}" for moment, words in newest]

    @property
    def totals(self):
        facts = [fact for facts in [*self.registers.values(), *self.counted.values()] for fact in facts.values()]
        return {
            "submitted": sum(fact.submitted is not None for fact in facts),
            "acknowledged": sum(fact.acknowledged is not None for fact in facts),
            "seen": sum(fact.seen is not None for fact in facts),
        }

    def lines(self):
        """All facts, each as a line of JSON for a file."""
        rows = [(moment, {"story": words}) for moment, words in self.story]
        named = [(key, facts) for key, facts in self.registers.items()]
        named += [((*key, "rotation"), facts) for key, facts in self.counted.items()]
        for register, facts in named:
            for fact in facts.values():
                row = {"register": register, "value": fact.value, "at": fact.label, "writer": fact.writer, "seer": fact.seer}
                moments = {name: getattr(fact, name) for name in ("submitted", "acknowledged", "seen")}
                row |= {name: round(moment - self.began, 3) for name, moment in moments.items() if moment is not None}
                rows.append((min(filter(None, moments.values()), default=0), row))
        return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def each(operations):
    for operation in operations:
        for name, value in operation["set"].items():
            yield operation, name, value


def winner(canvas, shape, name):
    """The stamp that decided a register: of its value, or of the shape's deletion."""
    nothing = (-1, 0, "")
    erased = canvas.erased.get(shape, nothing)
    entry = None if name == "deleted" else canvas.registers.get(shape, {}).get(name)
    return max(erased, order(entry[0]) if entry else nothing)
