# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python module of libptaudit: the page tables of processes. See libptaudit(3).

    import ptaudit

    report = ptaudit.Handle().estimate(pid)
    for name, row in report.levels().items():
        print(name, row.tables)

Only one thread may use a Handle at a time. Rows have the members of the structs in ptaudit.h.
The environment variable LIBPTAUDIT can name another copy of the library.
"""
import ctypes
import errno
import os
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

PTE, PMD, PUD, P4D, PGD, LEVELS = range(6)
ANY, MODULE, BPF, BOTH = range(4)
ASK_FILL, ASK_KERNEL = 1, 2
TABLE_HUGE_PAGE, TABLE_SHARED, TABLE_POSSIBLE, TABLE_COUNTED = 1, 2, 4, 8


class Sized(ctypes.Structure):
    """A struct whose first member is its size."""

    def __init__(self, **values):
        super().__init__(ctypes.sizeof(type(self)), **values)


def _fields(kind, names):
    return [(name, kind) for name in names.split()]


class Options(Sized):
    _fields_ = [("size", c_size_t)] + _fields(c_char_p, "recording estimator") + _fields(c_uint32, "truth reserved")


class Ask(Sized):
    _fields_ = [("size", c_size_t), ("flags", c_uint64)]


class Fill(ctypes.Structure):
    _fields_ = _fields(c_uint64, "tables counted entries room") + [("in_class", c_uint64 * 5), ("unasked", c_uint64)]


class ProcessRow(Sized):
    _fields_ = (
        [("size", c_size_t)] + _fields(c_int32, "pid tid") + _fields(c_uint32, "uid sees_empty")
        + [("comm", c_char * 64)]
        + _fields(c_uint64, "start_time page_bytes table_bytes vmpte_bytes rss_bytes deposited_tables empty_tables unexplained")
        + [("residual_bytes", c_int64), ("fill", Fill)]
    )


class LevelRow(Sized):
    _fields_ = [("size", c_size_t)] + _fields(
        c_uint64,
        "tables bytes estimate possible empty huge_pages kernel_only estimate_only explained in_flux unexplained",
    )


class MappingRow(Sized):
    _fields_ = [
        ("size", c_size_t), ("start", c_uint64), ("end", c_uint64), ("path", c_char_p), ("perms", c_char * 8),
        ("tables", c_uint64 * LEVELS), ("possible", c_uint64 * LEVELS), ("huge_pages", c_uint64), ("fill", Fill),
    ]


class CauseRow(Sized):
    _fields_ = (
        [("size", c_size_t)] + _fields(c_uint32, "level reserved") + _fields(c_char_p, "cause meaning")
        + _fields(c_uint64, "tables bytes start end")
    )


class DifferenceRow(Sized):
    _fields_ = (
        [("size", c_size_t)] + _fields(c_uint32, "level is_huge_page") + _fields(c_char_p, "cause seen_by")
        + _fields(c_uint64, "start end entries")
    )


class TableRow(Sized):
    _fields_ = [("size", c_size_t)] + _fields(c_uint64, "start end") + _fields(c_uint32, "level flags entries mapping")


class Error(OSError):
    """An error of the library: errno and a message."""


def _load():
    lib = ctypes.CDLL(os.environ.get("LIBPTAUDIT", "libptaudit.so.0"))
    for name in ("version", "error", "level_name"):
        getattr(lib, "ptaudit_" + name).restype = c_char_p
    lib.ptaudit_error.argtypes = [c_void_p]
    lib.ptaudit_level_name.argtypes = [c_uint]
    lib.ptaudit_new.argtypes = [POINTER(c_void_p)]
    lib.ptaudit_configure.argtypes = [c_void_p, POINTER(Options)]
    lib.ptaudit_list.argtypes = [c_void_p, POINTER(c_int), c_size_t, POINTER(c_size_t)]
    for name in ("estimate", "check", "map"):
        getattr(lib, "ptaudit_" + name).argtypes = [c_void_p, c_int, POINTER(Ask), POINTER(c_void_p)]
    lib.ptaudit_get_process.argtypes = [c_void_p, POINTER(ProcessRow)]
    lib.ptaudit_get_level.argtypes = [c_void_p, c_uint, POINTER(LevelRow)]
    for name, row in ("mapping", MappingRow), ("cause", CauseRow), ("difference", DifferenceRow), ("table", TableRow):
        getattr(lib, "ptaudit_get_" + name).argtypes = [c_void_p, c_size_t, POINTER(row)]
    for name in ("free", "report_free"):
        getattr(lib, "ptaudit_" + name).argtypes = [c_void_p]
        getattr(lib, "ptaudit_" + name).restype = None
    return lib


_lib = _load()
version = _lib.ptaudit_version().decode()


def _text(value):
    """Bytes for C, which would end them at a NUL."""
    text = None if value is None else os.fsencode(value)
    if text and b"\0" in text:
        raise ValueError("embedded null byte")
    return text


class _Owner:
    """Frees what the library has made. A copy would free it again."""

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} cannot be copied")


class Report(_Owner):
    """The result of a measurement. Its rows keep a reference to it."""

    def __init__(self, pointer):
        self._pointer = pointer

    def __del__(self):
        _lib.ptaudit_report_free(self._pointer)

    def process(self):
        row = ProcessRow()
        _lib.ptaudit_get_process(self._pointer, byref(row))
        return row

    def levels(self):
        """{name: row} of the levels that the machine has."""
        ret = {}
        for level in reversed(range(LEVELS)):
            row = LevelRow()
            if not _lib.ptaudit_get_level(self._pointer, level, byref(row)):
                ret[_lib.ptaudit_level_name(level).decode()] = row
        return ret

    def _rows(self, get, kind):
        index = 0
        while True:
            row = kind()
            if get(self._pointer, index, byref(row)):
                return
            row.report = self
            yield row
            index += 1

    def mappings(self):
        return self._rows(_lib.ptaudit_get_mapping, MappingRow)

    def causes(self):
        return self._rows(_lib.ptaudit_get_cause, CauseRow)

    def differences(self):
        return self._rows(_lib.ptaudit_get_difference, DifferenceRow)

    def tables(self):
        return self._rows(_lib.ptaudit_get_table, TableRow)


class Handle(_Owner):
    """Measures processes of /proc or of a recording with one estimator. Not thread-safe."""

    _pointer = None  # for __del__(), if the arguments of __init__() are wrong

    def __init__(self, recording=None, estimator=None, truth=ANY):
        # ctypes would cut off the upper bits
        if c_uint32(truth).value != truth:
            raise Error(errno.EINVAL, f"unknown truth {truth}")
        options = Options(recording=_text(recording), estimator=_text(estimator), truth=truth)
        self._pointer = c_void_p()
        self._call(_lib.ptaudit_new(byref(self._pointer)))
        self._call(_lib.ptaudit_configure(self._pointer, byref(options)))

    def __del__(self):
        _lib.ptaudit_free(self._pointer)

    def _call(self, error):
        if error:
            said = _lib.ptaudit_error(self._pointer) if self._pointer else b"no memory"
            raise Error(-error, said.decode(errors="replace"))

    def processes(self):
        """All PIDs in ascending order, including kernel threads and zombies."""
        number = c_size_t()
        room = 0
        while True:
            pids = (c_int * room)()
            self._call(_lib.ptaudit_list(self._pointer, pids, room, byref(number)))
            if number.value <= room:
                return list(pids[: number.value])
            room = number.value + 16

    def _measure(self, function, pid, flags):
        # ctypes would cut off the upper bits
        if c_int(pid).value != pid:
            raise Error(errno.EINVAL, f"{pid} is not a PID")
        report = c_void_p()
        self._call(function(self._pointer, pid, byref(Ask(flags=flags)), byref(report)))
        return Report(report)

    def estimate(self, pid, fill=False):
        return self._measure(_lib.ptaudit_estimate, pid, ASK_FILL if fill else 0)

    def check(self, pid):
        return self._measure(_lib.ptaudit_check, pid, 0)

    def map(self, pid, kernel=False):
        return self._measure(_lib.ptaudit_map, pid, ASK_KERNEL if kernel else 0)
