"""Runs a program's text as the main module, and says on the report pipe if it came to its end."""

import os
import sys

from axon.sandbox.inside import MEMORY


def run(text: str, token: bytes, report: int) -> None:
    """Run the text; only its normal end writes the token.

    That tells a program that came to its end from one that left early with code 0. It does not withstand a program
    that means to cheat: both share an interpreter, so it can find the token and the pipe. The sandbox protects the
    user's machine from the program, not the score.
    """
    first = os.getpid()  # what the program forks comes to the end of the text too, and does not count
    path = os.path.abspath("program.py")
    with open(path, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        file.write(text)  # for tracebacks, which quote the line
    for name in [name for name in sys.modules if name.split(".")[0] == "axon"]:
        del sys.modules[name]
    main = type(sys)("__main__")
    main.__file__ = path
    sys.modules["__main__"], sys.argv = main, [path]
    try:
        exec(compile(text, path, "exec", dont_inherit=True), main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        if isinstance(error, MemoryError) and os.getpid() == first:
            os.write(report, MEMORY)
        # Without the frame of this function, which is the first.
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        sys.__excepthook__(type(error), error.with_traceback(trace), trace)
        sys.exit(1)
    if os.getpid() == first:
        os.write(report, token)
