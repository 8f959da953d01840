"""What a person's browser has stored."""

from modules import module
from waiting import wait_until


class Keeping:
    """A part of the class `Person`."""

    def wait_until_kept(self, unsent):
        """Waits until the browser has stored this many unsent edits of the room."""
        self.wait_for_storage("(await editsOf(room)).some((record) => record.unsent === value)", unsent, f"{unsent} edits are kept")

    def wait_until_drawing_is_kept(self, since):
        """Waits until the browser has stored the drawing as it was at that time, by the browser's own clock, or later."""
        self.wait_for_storage("(await drawingOf(room))?.at >= value", since, "the drawing is kept")

    def wait_until_drawing_is_forgotten(self):
        """Waits until the browser has no drawing of the room."""
        self.wait_for_storage("await drawingOf(room) === undefined", None, "the drawing is forgotten")

    def wait_for_storage(self, expression, value, what):
        test = (
            "async ([room, value]) => { const { editsOf, drawingOf, keptRooms } = window.storageModule ??= " + module("storage/database.ts")
            + "; return " + expression + " }")
        # `wait_for_function` can't be used here: the test returns a promise, and the function would count the promise
        # itself as true.
        wait_until(lambda: self.page.evaluate(test, [self.room.name, value]), lambda: f"{self.name}: {what}; {self.noticed}")
