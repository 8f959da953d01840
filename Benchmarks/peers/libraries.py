"""The libraries to compare with, each behind the same few functions, so that the same code measures them all.

`load`, `apply` and `read` are the cheapest calls of each library. They bypass pycrdt's Python layer, which takes a
lock and a context manager for each update.
"""

import time

FRAME = 16
BASE_CLIENT = 1
WRITER_CLIENT = 1_000


class Yrs:
    package = "pycrdt"

    def __init__(self):
        import pycrdt

        self.library = pycrdt

    def document(self, client=None):
        document = self.library.Doc() if client is None else self.library.Doc(client_id=client)
        document.get("shapes", type=self.library.Map)
        return document

    def base(self, shapes):
        document = self.document(BASE_CLIENT)
        root = document.get("shapes", type=self.library.Map)
        with document.transaction():
            for shape, properties in shapes:
                root[shape] = self.library.Map(properties)
        return self.encode(document)

    def writer(self, base, number):
        document = self.document(WRITER_CLIENT + number)
        self.load(document, base)
        root = document.get("shapes", type=self.library.Map)
        produced = []
        document.observe(lambda event: produced.append(event.update))

        def write(shape, name, value):
            produced.clear()
            root[shape][name] = value
            return produced.pop()

        return document, write

    def load(self, document, data):
        document.apply_update(data)

    def apply(self, document, updates, deadline):
        """Applies each update in a transaction of its own. Returns how many it applied before the deadline."""
        native = document._doc
        for index, update in enumerate(updates):
            transaction = native.create_transaction()
            native.apply_update(transaction, update)
            transaction.commit()
            transaction.drop()
            if index & 255 == 255 and time.perf_counter() > deadline:
                return index + 1
        return len(updates)

    def apply_batch(self, document, updates):
        native = document._doc
        with document.transaction() as transaction:
            for update in updates:
                native.apply_update(transaction._txn, update)

    def empty_call(self, document):
        native = document._doc

        def call():
            transaction = native.create_transaction()
            native.apply_update(transaction, b"\0\0")
            transaction.commit()
            transaction.drop()

        return call

    def encode(self, document):
        return document.get_update()

    encode_shallow = None

    def read(self, document):
        return document.get("shapes", type=self.library.Map).to_py()

    def frames(self, base, positions):
        _, write = self.writer(base, 0)
        for start in range(0, len(positions), FRAME):
            yield self.library.merge_updates(*[write(*position) for position in positions[start : start + FRAME]])


class Loro:
    package = "loro"

    def __init__(self):
        import loro

        self.library = loro

    def document(self, client=None):
        document = self.library.LoroDoc()
        if client is not None:
            document.peer_id = client
        return document

    def base(self, shapes):
        document = self.document(BASE_CLIENT)
        root = document.get_map("shapes")
        for shape, properties in shapes:
            map = root.insert_container(shape, self.library.LoroMap())
            for name, value in properties.items():
                map.insert(name, value)
        document.commit()
        return self.encode(document)

    def writer(self, base, number):
        document = self.document(WRITER_CLIENT + number)
        self.load(document, base)
        root = document.get_map("shapes")
        produced = []

        def local(update):
            produced.append(update)
            return True

        # The writer's closure holds the subscription, because freeing it would unsubscribe.
        subscription = document.subscribe_local_update(local)

        def write(shape, name, value, subscription=subscription):
            root.get_or_create_container(shape, self.library.LoroMap()).insert(name, value)
            document.commit()
            # The library makes no update if the value doesn't change.
            return produced.pop() if produced else None

        return document, write

    def load(self, document, data):
        document.import_(data)

    def apply(self, document, updates, deadline):
        for index, update in enumerate(updates):
            document.import_(update)
            if index & 255 == 255 and time.perf_counter() > deadline:
                return index + 1
        return len(updates)

    def apply_batch(self, document, updates):
        document.import_batch(updates)

    def empty_call(self, document):
        return lambda: document.peer_id

    def encode(self, document):
        return document.export(self.library.ExportMode.Snapshot())

    def encode_shallow(self, document):
        return document.export(self.library.ExportMode.ShallowSnapshot(document.oplog_frontiers))

    def read(self, document):
        return document.get_deep_value()["shapes"]

    def frames(self, base, positions):
        document, write = self.writer(base, 0)
        for start in range(0, len(positions), FRAME):
            before = document.oplog_vv
            for position in positions[start : start + FRAME]:
                write(*position)
            yield document.export(self.library.ExportMode.Updates(before))


PEERS = {"yrs": Yrs, "loro": Loro}
