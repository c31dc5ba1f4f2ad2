"""``njit`` that costs nothing until a kernel is called.

Idea. Importing numba takes a third of a second and compiling a kernel one to three; a small file
needs neither, because its way is plain numpy (``mdav.small``, for example). So a kernel is kept as
the function that was written and handed to numba when it is first called, by Python or by another
kernel that is being compiled.

Where numba finds no folder to write to (a read-only installation without a home), kernels are
compiled for this run alone. A shared temporary folder would do for a cache, but whoever can write
there could put code into our process.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import cached_property, update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Any

Options = bool | str
"""A value of an option of numba's ``njit``."""

PATIENCE = 1.0
"""CPU seconds that a kernel may spend in plain code before it is compiled: a third of what
compiling takes."""
AT_HAND = 0.25
"""The same where the compiled kernel lies beside its source: about what importing numba and reading
it takes."""
IN_USE = 0.03
"""The same once another kernel has brought numba: about what reading one more takes."""
PYTHON_STEP = 5e-7
"""CPU seconds of a line of Python with a number or two from an array."""
NUMPY_STEP = 4e-9
"""CPU seconds of an operation on one entry of an array of some thousands."""

_lock = threading.RLock()
_here = threading.local()
_listening: list[Callable[[str], None]] = []
_watched = False


class Kernel:
    """A function that numba compiles when it is first called."""

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Options],
        module: str = "",
    ) -> None:
        self.py_func = function
        self._module = module
        self._options = options
        self._compiled: Callable[..., Any] | None = None
        self._spent = 0.0
        update_wrapper(self, function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if getattr(_here, "plain", False):
            return self.py_func(*arguments, **named)
        compiled = self._compiled or self.compiled()
        return compiled(*arguments, **named)

    def pays(self, seconds: float) -> bool:
        """Is it time to compile, for one more call that takes so long in plain code?

        Both ways give the same bits, so it does not matter which calls come first.
        """
        if self._compiled is not None:
            return True
        self._spent += seconds
        return self._spent > self._patience

    @property
    def is_ready(self) -> bool:
        """Has it been called before, so that another call compiles nothing?"""
        return self._compiled is not None

    def taking(self, steps: int) -> Callable[..., Any]:
        """The kernel for a call of about so many steps: interpreted while they are few."""
        late = self._spent + steps * PYTHON_STEP > self._patience
        return self if late or self._compiled is not None else self.plainly

    @property
    def _patience(self) -> float:
        """How long plain code may take; shorter where a compiled kernel is at hand."""
        if not self._is_cached:
            return PATIENCE
        return min(PATIENCE, IN_USE if _watched else AT_HAND)

    @cached_property
    def _is_cached(self) -> bool:
        """Has numba left a compiled kernel beside the source?"""
        code = self.py_func.__code__
        file = Path(code.co_filename)
        name = f"{file.stem}.{self.py_func.__qualname__}-{code.co_firstlineno}"
        tag = f"py{sys.version_info.major}{sys.version_info.minor}"
        return (file.parent / "__pycache__" / f"{name}.{tag}.nbi").exists()

    def plainly(self, *arguments: Any, **named: Any) -> Any:
        """The result of the function as it was written, and of the kernels that it calls."""
        import numpy as np  # here, because the command line imports this file for its help

        before = getattr(_here, "plain", False)
        _here.plain = True
        start = time.thread_time()
        try:
            # what wraps or divides by zero does so silently in a compiled kernel
            with np.errstate(all="ignore"):
                return self.py_func(*arguments, **named)
        finally:
            _here.plain = before
            # what it took, where the estimate was too low
            self._spent += time.thread_time() - start

    def compiled(self) -> Callable[..., Any]:
        """numba's object, or the plain function where numba is switched off."""
        with _lock:
            if self._compiled is None:
                self._load()
                self._compiled = _decorated(self.py_func, self._options)
        return self._compiled

    def direct(self, *examples: Any) -> Callable[..., Any]:
        """The compiled code for arguments of these types, for which nobody looks at them again.

        That look takes a third of a call that does little. Other types than those of the examples
        must not be passed.
        """
        compiled: Any = self.compiled()
        if not hasattr(compiled, "get_overload"):
            return self.compiled()
        from numba import typeof

        types = tuple(typeof(example) for example in examples)
        compiled.compile(types)
        found: Callable[..., Any] = compiled.get_overload(types)
        return found

    def _load(self) -> None:
        """Give the function the names of its module, which its own does not have yet."""
        if self._module:
            named = vars(import_module(self._module))
            for name in self.py_func.__code__.co_names:
                if name in named:
                    self.py_func.__globals__.setdefault(name, named[name])

    def __getattr__(self, name: str) -> Any:
        # what numba asks of a kernel that another one calls, and tests of any
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compiled(), name)

    def __reduce__(self) -> str:
        # a kernel is found by its name, as a function is
        return str(self.py_func.__qualname__)


def njit(
    module: str = "", **options: Options
) -> Callable[[Callable[..., Any]], Kernel]:
    """numba's decorator of the same name, with the same options, put off to the first call.

    ``module`` has names that the function uses and that cannot be imported without numba.
    """
    return lambda function: Kernel(function, options, module)


def when_compiling(tell: Callable[[str], None]) -> None:
    """Call ``tell`` with the name of the first kernel that is compiled and not in the cache."""
    _listening.append(tell)
    if _watched:
        _watch()


def _decorated(
    function: Callable[..., Any], options: dict[str, Options]
) -> Callable[..., Any]:
    """The function in numba's hands; without a cache where there is no place for one."""
    import numba

    _teach_numba()
    try:
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    except (RuntimeError, OSError):
        # "no locator available": nowhere to write
        plain = {name: value for name, value in options.items() if name != "cache"}
        return numba.njit(**plain)(function)  # type: ignore[no-any-return]


def _teach_numba() -> None:
    """Once: numba sees a kernel as what it compiled, and says when it compiles."""
    global _watched
    if _watched:
        return
    _watched = True
    from numba import types
    from numba.extending import typeof_impl

    @typeof_impl.register(Kernel)
    def _type_of(kernel: Kernel, context: object) -> object:
        return types.Dispatcher(kernel.compiled())

    _watch()


def _watch() -> None:
    """Tell the listeners of the first compilation."""
    if not _listening:
        return
    from numba.core import event

    class First(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            name = event.data["dispatcher"].py_func.__name__
            while _listening:
                _listening.pop()(name)

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", First())
