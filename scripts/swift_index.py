"""Reads which names each Swift file defines and uses, from the compiler's index.

The index that `swift build` writes has a unit for each file, which refers to a record of the file's symbols. It is
read with libIndexStore from the toolchain, whose header is indexstore/indexstore.h.
"""

import ctypes
import glob
import json
import os
import subprocess
from ctypes import CFUNCTYPE, POINTER, byref, c_bool, c_char, c_char_p, c_size_t, c_uint, c_uint64, c_void_p

DEFINITION = 1 << 1
REFERENCE = 1 << 2
RECORD_DEPENDENCY = 2


class Text(ctypes.Structure):
    _fields_ = [("data", POINTER(c_char)), ("length", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


visit_text = CFUNCTYPE(c_bool, c_void_p, Text)
visit_item = CFUNCTYPE(c_bool, c_void_p, c_void_p)


def library():
    info = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    resources = json.loads(info)["paths"]["runtimeResourcePath"]
    lib = ctypes.CDLL(os.path.join(os.path.dirname(resources), "libIndexStore.so"))
    forms = {
        "error_get_description": (c_char_p, c_void_p),
        "store_create": (c_void_p, c_char_p, c_void_p),
        "store_units_apply_f": (c_bool, c_void_p, c_uint, c_void_p, visit_text),
        "unit_reader_create": (c_void_p, c_void_p, c_char_p, c_void_p),
        "unit_reader_dispose": (None, c_void_p),
        "unit_reader_get_main_file": (Text, c_void_p),
        "unit_reader_dependencies_apply_f": (c_bool, c_void_p, c_void_p, visit_item),
        "unit_dependency_get_kind": (c_uint, c_void_p),
        "unit_dependency_get_name": (Text, c_void_p),
        "unit_dependency_get_filepath": (Text, c_void_p),
        "record_reader_create": (c_void_p, c_void_p, c_char_p, c_void_p),
        "record_reader_dispose": (None, c_void_p),
        "record_reader_symbols_apply_f": (c_bool, c_void_p, c_bool, c_void_p, visit_item),
        "record_reader_occurrences_apply_f": (c_bool, c_void_p, c_void_p, visit_item),
        "symbol_get_roles": (c_uint64, c_void_p),
        "symbol_get_usr": (Text, c_void_p),
        "symbol_get_name": (Text, c_void_p),
        "occurrence_get_symbol": (c_void_p, c_void_p),
        "occurrence_get_roles": (c_uint64, c_void_p),
        "occurrence_get_line_col": (None, c_void_p, POINTER(c_uint), POINTER(c_uint)),
    }
    for name, (result, *arguments) in forms.items():
        function = getattr(lib, f"indexstore_{name}")
        function.restype, function.argtypes = result, arguments
    return lib


class SwiftIndex:
    """The newest unit of each file in `sources`, from any of the stores.

    Units of moved or deleted files, or of another checkout, are ignored. `stale` has the files without a unit, and
    those that have changed since their unit was written.
    """

    def __init__(self, stores, sources):
        self.lib = library()
        # Maps the absolute paths that the compiler uses to the given paths.
        wanted = {os.path.realpath(path): path for path in sources}
        newest = {}
        for store_path in stores:
            store = self._opened("store_create", store_path.encode())
            for unit in self._units(store):
                main_file, records = self._unit(store, unit)
                path = wanted.get(os.path.realpath(main_file))
                if path is None:
                    continue
                written = self._written(store_path, unit)
                if path not in newest or newest[path][0] < written:
                    newest[path] = (written, store, records)
        self.records = {path: (store, records) for path, (_, store, records) in newest.items()}
        self.stale = sorted(p for p in sources if p not in newest or newest[p][0] < os.stat(p).st_mtime_ns)

    def symbols(self, path):
        """Yields (roles, USR, name) for each symbol that the file defines or uses."""
        found = []
        lib = self.lib

        def visit(_, symbol):
            usr, name = lib.indexstore_symbol_get_usr(symbol), lib.indexstore_symbol_get_name(symbol)
            found.append((lib.indexstore_symbol_get_roles(symbol), str(usr), str(name)))
            return True

        visitor = visit_item(visit)
        self._each(path, lambda reader: lib.indexstore_record_reader_symbols_apply_f(reader, True, None, visitor))
        return found

    def lines(self, path, usrs):
        """The first line on which the file uses each symbol: {USR: line}."""
        found = {}

        def visit(_, occurrence):
            usr = str(self.lib.indexstore_symbol_get_usr(self.lib.indexstore_occurrence_get_symbol(occurrence)))
            if usr in usrs and self.lib.indexstore_occurrence_get_roles(occurrence) & REFERENCE:
                line, column = c_uint(), c_uint()
                self.lib.indexstore_occurrence_get_line_col(occurrence, byref(line), byref(column))
                found[usr] = min(line.value, found.get(usr, line.value))
            return True

        visitor = visit_item(visit)
        self._each(path, lambda reader: self.lib.indexstore_record_reader_occurrences_apply_f(reader, None, visitor))
        return found

    def _each(self, path, read):
        store, records = self.records[path]
        for record in records:
            reader = self._opened("record_reader_create", store, record.encode())
            read(reader)
            self.lib.indexstore_record_reader_dispose(reader)

    def _units(self, store):
        names = []
        self.lib.indexstore_store_units_apply_f(store, 1, None, visit_text(lambda _, name: names.append(str(name)) or True))
        return names

    def _unit(self, store, unit):
        """The file of a unit, and the names of its records."""
        reader = self._opened("unit_reader_create", store, unit.encode())
        main_file = str(self.lib.indexstore_unit_reader_get_main_file(reader))
        records = []

        def visit(_, dependency):
            if self.lib.indexstore_unit_dependency_get_kind(dependency) == RECORD_DEPENDENCY:
                if str(self.lib.indexstore_unit_dependency_get_filepath(dependency)) == main_file:
                    records.append(str(self.lib.indexstore_unit_dependency_get_name(dependency)))
            return True

        self.lib.indexstore_unit_reader_dependencies_apply_f(reader, None, visit_item(visit))
        self.lib.indexstore_unit_reader_dispose(reader)
        return main_file, records

    @staticmethod
    def _written(store_path, unit):
        return os.stat(glob.glob(os.path.join(store_path, "v*", "units", glob.escape(unit)))[0]).st_mtime_ns

    def _opened(self, name, *arguments):
        error = c_void_p()
        opened = getattr(self.lib, f"indexstore_{name}")(*arguments, byref(error))
        if not opened:
            raise OSError(self.lib.indexstore_error_get_description(error).decode())
        return opened
