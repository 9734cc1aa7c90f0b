"""Programs a model wrote run to their end or are stopped, and nothing outside feels them."""

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from axon.errors import AxonError
from axon.sandbox import Isolation, Limits, Unavailable, child, isolation, probe, run, run_many
from axon.sandbox.inside import seccomp
from axon.sandbox.watch import REPORT_BYTES, StartError

SECRET = "the user's secret"
SHORT = Limits(seconds=1.0)
# Every process that a program with this beginning forks shows the name to the outside.
NAMED = "import ctypes, os, signal, sys, time\nctypes.CDLL(None).prctl(15, b'{}', 0, 0, 0)\n"


@pytest.fixture
def marker():
    return f"mk{uuid4().hex[:10]}"


@pytest.fixture
def without_isolation(monkeypatch):
    monkeypatch.setattr("axon.sandbox.runner.isolation", lambda: Isolation(False, "it is a test", "end the test"))


@pytest.fixture(params=["isolated", "unsafe"])
def run_either_way(request):
    """Run with isolation, and run without."""
    if request.param == "unsafe":
        request.getfixturevalue("without_isolation")
    return partial(run, unsafe=request.param == "unsafe")


def alive(marker):
    """How many processes of this machine bear the name or have it among their arguments."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "comm").read_text() + (folder / "cmdline").read_text()
            dead = (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (OSError, UnicodeDecodeError):
            continue
        found += marker in text and not dead
    return found


def wait_until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_isolation_is_available_where_these_tests_run():
    assert isolation() == Isolation(True), isolation().sentence
    assert "isolated" in isolation().sentence


# How a program ends


@pytest.mark.parametrize(
    "program",
    [
        "print(1 + 1)",
        "",
        "import json, re, math, hashlib, sqlite3, asyncio; asyncio.run(asyncio.sleep(0))",
        "import pickle\nclass A: pass\nif __name__ == '__main__': assert type(pickle.loads(pickle.dumps(A()))) is A",
        "import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()",
        "import multiprocessing\nwith multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, 2]) == [1, 2]",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(1)'], check=True)",
        "import tempfile\nwith tempfile.TemporaryFile() as file: file.write(b'x')",
        "import sys\nsys.stdout.close()",
        "import signal, os\nsignal.signal(signal.SIGTERM, print)\nos.kill(os.getpid(), signal.SIGTERM)",
    ],
)
def test_a_program_that_comes_to_its_end_passes(program):
    outcome = run(program)
    assert outcome.passed, outcome
    assert (outcome.status, outcome.code) == ("ok", 0)


@pytest.mark.parametrize(
    ("program", "code", "message"),
    [
        ("def f(x):\n    return x\nassert f(2) == 3, 'not three'", 1, "assert f(2) == 3, 'not three'"),
        ("def f(:", 1, "SyntaxError"),
        ("x = '\ud800'", 1, "UnicodeEncodeError"),
        ("x = 1\0", 1, "null bytes"),
        ("input()", 1, "EOFError"),
        ("import numpy", 1, "ModuleNotFoundError"),
        ("import axon", 1, "ModuleNotFoundError"),
        ("raise KeyboardInterrupt", 1, "KeyboardInterrupt"),
        ("import sys; sys.exit(0)", 0, ""),
        ("import os; os._exit(0)", 0, ""),
        ("import sys; sys.exit('the end')", 1, "the end"),
        ("import os\nif os.fork(): os._exit(0)", 0, ""),  # the other one comes to the end
        ("import atexit, os; atexit.register(os._exit, 3)", 3, ""),
        ("import os; os.kill(os.getpid(), 15)", 128 + 15, ""),
        ("import os; os.abort()", 128 + 6, ""),
        ("import os; os.closerange(3, 256)", 1, "OSError"),
        (
            f"import os\nfor fd in range(3, 256):\n  try: os.write(fd, b'x' * {REPORT_BYTES})\n  except OSError: 0",
            0,
            "",
        ),
    ],
)
def test_any_other_end_fails(program, code, message):
    outcome = run(program)
    assert not outcome.passed
    assert (outcome.status, outcome.code) == ("failed", code), outcome
    assert message in outcome.stderr


def test_a_user_who_hides_new_files_can_run_programs():
    before = os.umask(0o077)
    try:
        outcome = run("import json, ctypes; open('file', 'w')")
    finally:
        os.umask(before)
    assert outcome.passed, outcome


def test_a_traceback_shows_the_program_and_not_the_sandbox():
    lines = run("def f():\n    return 1 / 0\nf()").stderr.splitlines()
    assert [line for line in lines if "File" in line] == [
        '  File "/tmp/program.py", line 3, in <module>',
        '  File "/tmp/program.py", line 2, in f',
    ]


def test_output_that_is_not_utf8_is_kept_readable():
    outcome = run("import sys\nsys.stdout.buffer.write(b'caf\\xe9 \\xc3\\xa9')\nsys.stderr.buffer.write(b'\\xff')")
    assert (outcome.stdout, outcome.stderr) == ("caf\ufffd \u00e9", "\ufffd")
    assert outcome.passed


def test_a_program_runs_alike_every_time():
    program = "print(hash('a'), {'some', 'words', 'in', 'a', 'set'})"
    assert run(program).stdout == run(program).stdout


# What a program cannot see


def test_the_environment_is_empty(monkeypatch, run_either_way):
    monkeypatch.setenv("AXON_TEST_SECRET", SECRET)
    assert run_either_way("import os; print(dict(os.environ))").stdout == "{}\n"


@pytest.mark.parametrize("place", ["test folder", "home", "/etc/passwd", "this file", "torch", "parent"])
def test_files_of_the_user_are_not_there(place, tmp_path):
    home = Path.home() / f".axon-test-{uuid4().hex}"
    files = {
        "test folder": tmp_path / "secret",
        "home": home,
        "/etc/passwd": Path("/etc/passwd"),
        "this file": Path(__file__),
        "torch": Path(sys.modules["torch"].__file__),
        "parent": Path(f"/proc/{os.getpid()}/environ"),
    }
    file = files[place]
    try:
        if place in ("test folder", "home"):
            file.write_text(SECRET)
        assert file.read_bytes()
        outcome = run(f"print(open({str(file)!r}, 'rb').read())")
    finally:
        home.unlink(missing_ok=True)
    assert outcome.status == "failed"
    assert "FileNotFoundError" in outcome.stderr
    assert outcome.stdout == ""


def test_nothing_is_in_the_file_system_but_the_interpreter():
    outcome = run(
        "import os; print(os.getcwd(), *sorted(os.listdir('/tmp') + os.listdir('/dev') + os.listdir('/etc')))"
    )
    assert outcome.stdout.split() == ["/tmp", "ld.so.cache", "null", "program.py", "shm", "urandom"]


@pytest.mark.parametrize("family", ["inet", "unix", "abstract"])
def test_no_server_of_this_machine_can_be_reached(family, tmp_path):
    place = {"inet": ("127.0.0.1", 0), "unix": str(tmp_path / "s"), "abstract": f"\0{uuid4().hex}"}[family]
    kind = socket.AF_INET if family == "inet" else socket.AF_UNIX
    with socket.socket(kind) as server:
        server.bind(place)
        server.listen()
        server.settimeout(0.1)
        outcome = run(f"import socket\nsocket.socket({int(kind)}).connect({server.getsockname()!r})")
        with pytest.raises(TimeoutError):
            server.accept()
    assert outcome.status == "failed"
    assert "Error" in outcome.stderr


def test_only_sockets_that_a_namespace_holds_can_be_made():
    outcome = run("import socket\nsocket.socket(1), socket.socket(2), socket.socket(10)\nsocket.socket(40)")
    assert f"[Errno {errno.EAFNOSUPPORT}]" in outcome.stderr
    assert "line 3" in outcome.stderr


def test_other_processes_are_not_visible():
    assert run("import os; print(os.getpid(), os.getppid(), os.path.exists('/proc'))").stdout == "2 1 False\n"
    assert "ProcessLookupError" in run(f"import os; os.kill({os.getpid()}, 0)").stderr


# What a program cannot change


@pytest.mark.parametrize("place", ["test folder", "/", "/usr", "/usr/lib", "/dev", "home", "interpreter"])
def test_nothing_is_written_outside(place, tmp_path):
    folders = {"test folder": tmp_path, "home": Path.home(), "interpreter": Path(os.__file__).parent}
    file = folders.get(place, Path(place)) / f"axon-{uuid4().hex}"
    outcome = run(f"open({str(file)!r}, 'w').write('x')")
    assert outcome.status == "failed"
    assert "Read-only" in outcome.stderr or "No such file" in outcome.stderr
    assert not file.exists()


def test_a_program_does_not_see_what_the_one_before_left():
    program = "import os; print(os.listdir()); open('left', 'w'); open('/dev/shm/too', 'w')"
    first, second = run(program), run(program)
    assert first.passed
    assert second.stdout == "['program.py']\n"


@pytest.mark.parametrize(
    ("target", "code"), [("os.getppid()", 0), ("1", 0), ("-1", 1), ("0", 128 + 9), ("os.getpid()", 128 + 9)]
)
def test_killing_whatever_it_can_hurts_nobody_else(target, code):
    with subprocess.Popen(["sleep", "60"]) as witness:
        outcome = run(f"import os\nos.kill({target}, 9)")
        assert witness.poll() is None
        witness.kill()
    assert outcome.code == code


def test_a_program_has_no_privileges_and_no_way_to_any():
    outcome = run("""
import ctypes, os
libc = ctypes.CDLL(None)
data = (ctypes.c_uint32 * 6)()
libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), data)
assert not any(data)
assert os.getresuid() == os.getresgid() == (65534,) * 3
assert libc.prctl(39, 0, 0, 0, 0) == 1
for attempt in (lambda: os.setuid(0), lambda: os.chroot('/tmp'), lambda: os.mknod('/tmp/d', 0o20666, os.makedev(1, 3))):
    try: attempt()
    except OSError: continue
    raise SystemError
assert libc.mount(b'x', b'/tmp', b'tmpfs', 0, None) == libc.umount2(b'/tmp', 2) == libc.sethostname(b'x', 1) == -1
""")
    assert outcome.passed, outcome.stderr


def test_calls_that_escape_the_limits_are_refused():
    numbers = {name: both[seccomp.MACHINES[os.uname().machine][0]] for name, both in seccomp.REFUSED.items()}
    outcome = run(f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for name, number in {numbers}.items():
    if libc.syscall(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != {errno.EPERM}: print(name)
""")
    assert outcome.passed
    assert outcome.stdout == ""


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_filter_decides_alike_on_every_machine(machine):
    column, architecture = seccomp.MACHINES[machine]

    def decide(number, first=0, architecture=architecture):
        """Step through the filter as the kernel does."""
        rules, at, value = seccomp.rules(machine), 0, 0
        data = {seccomp.NUMBER: number, seccomp.ARCHITECTURE: architecture, seccomp.FIRST: first}
        while True:
            code, yes, no, operand = rules[at]
            if code == seccomp.RETURN:
                return operand
            if code == seccomp.LOAD:
                value, at = data[operand], at + 1
                continue
            tests = {seccomp.EQUAL: value == operand, seccomp.ATLEAST: value >= operand, seccomp.ANY: value & operand}
            at += 1 + (yes if tests[code] else no)

    refused = seccomp.ERROR | errno.EPERM
    assert {decide(numbers[column]) for numbers in seccomp.REFUSED.values()} == {refused}
    assert decide(seccomp.CLONE[column], first=signal.SIGCHLD) == seccomp.ALLOW
    assert decide(seccomp.CLONE[column], first=1 << 28) == refused
    assert decide(seccomp.CLONE3[column]) == seccomp.ERROR | errno.ENOSYS
    assert [decide(seccomp.SOCKET[column], first=family) for family in (1, 2, 10)] == [seccomp.ALLOW] * 3
    assert decide(seccomp.SOCKET[column], first=40) == seccomp.ERROR | errno.EAFNOSUPPORT
    assert decide(seccomp.X32 + 1) == decide(1, architecture=0) == refused
    assert decide(1) == decide(500) == seccomp.ALLOW


def test_an_unknown_machine_is_refused_rather_than_left_unfiltered():
    with pytest.raises(OSError, match="knows x86_64 and aarch64, not vax"):
        seccomp.rules("vax")


# What stops a program


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(60)",
        "while True: pass",
        "import signal, time\nfor n in (1, 2, 13, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(60)",
        "import os, time\nos.closerange(0, 256)\ntime.sleep(60)",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()",
    ],
)
def test_a_program_without_end_is_stopped_in_time(program, run_either_way):
    begin = time.monotonic()
    outcome = run_either_way(program, Limits(seconds=0.3))
    assert (outcome.status, outcome.code) == ("timeout", None)
    assert 0.3 <= outcome.seconds <= time.monotonic() - begin < 3


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_printing_without_end_is_stopped(stream, run_either_way):
    program = f"import sys\nwhile True: print('x' * 99, file=sys.{stream})"
    outcome = run_either_way(program, Limits(output_bytes=5000))
    assert (outcome.status, outcome.code) == ("output", None)
    assert 1000 < len(outcome.stdout + outcome.stderr) <= 5000
    assert outcome.seconds < 3


@pytest.mark.parametrize("program", ["x = bytearray(1 << 40)", "x = []\nwhile True: x.append(bytearray(1 << 20))"])
def test_memory_without_end_is_refused(program, run_either_way):
    outcome = run_either_way(program, Limits(memory_mb=128))
    assert outcome.status == "memory"
    assert "MemoryError" in outcome.stderr


def test_the_smallest_limits_still_run_a_program():
    assert run("print(1)", Limits(memory_mb=64, processes=1, output_bytes=2, file_mb=1)).passed


def test_memory_of_all_processes_together_is_bounded():
    outcome = run(
        """
import os, sys
def fill():
    kept = []
    try:
        while True: kept.append(bytearray(1 << 20))
    except MemoryError:
        count = len(kept)
        del kept
        os.write(1, f"{count}\\n".encode())
    os._exit(0)
try:
    while os.fork(): pass
    fill()
except BlockingIOError:
    for _ in range(3): os.wait()
""",
        Limits(memory_mb=64, processes=4),
    )
    filled = [int(line) for line in outcome.stdout.split()]
    assert outcome.passed, outcome
    assert len(filled) == 3
    assert all(0 < size < 64 for size in filled)


@pytest.mark.parametrize(
    "start", ["os.fork() or time.sleep(9)", "threading.Thread(target=time.sleep, args=(0.2,)).start()"]
)
def test_a_program_has_as_many_processes_as_it_may(start):
    outcome = run(
        f"import os, threading, time\ntry:\n  for n in range(50): {start}\nexcept (OSError, RuntimeError): print(n)",
        Limits(processes=5),
    )
    assert outcome.stdout == "4\n"


def test_a_huge_file_is_stopped():
    outcome = run("with open('f', 'wb') as f:\n  while True: f.write(bytes(1 << 16))", Limits(file_mb=1))
    assert outcome.status == "failed"
    assert f"[Errno {errno.EFBIG}]" in outcome.stderr or f"[Errno {errno.ENOSPC}]" in outcome.stderr


def test_many_files_are_stopped():
    assert f"[Errno {errno.ENOSPC}]" in run("for i in range(9999): open(str(i), 'w').close()").stderr
    filling = "for i in range(9):\n  with open(str(i), 'wb') as f: f.write(bytes(900_000))"
    assert f"[Errno {errno.ENOSPC}]" in run(filling, Limits(file_mb=2)).stderr


# What a program leaves behind


def test_forking_without_end_ends_and_leaves_no_process(marker):
    program = NAMED.format(marker) + "while True:\n  try: os.fork()\n  except OSError: pass"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run, program, SHORT)
        assert wait_until(lambda: alive(marker) > 1 or running.done())
        assert not running.done()
        assert alive(marker) <= SHORT.processes
        assert running.result().status == "timeout"
    assert alive(marker) == 0


@pytest.mark.parametrize("end", ["", "time.sleep(60)", "os._exit(1)", "os.abort()"])
def test_a_daemon_is_gone_with_its_program(end, marker):
    program = (
        NAMED.format(marker)
        + f"""
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
    os.closerange(0, 3)
    os.write(write, b'x')
    os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', '{marker}'])
os.read(read, 1)
time.sleep(0.5)
{end}
"""
    )
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run, program, SHORT)
        assert wait_until(lambda: alive(marker) > 1 or running.done())
        assert not running.done()
        assert running.result().status == {"": "ok", "time.sleep(60)": "timeout"}.get(end, "failed")
    assert alive(marker) == 0


def test_a_program_dies_with_the_process_that_runs_it(marker):
    package = str(Path(child.__file__).parents[1])
    program = NAMED.format(marker) + "time.sleep(60)"
    # As the child does it, without torch, which would take seconds to import.
    starter = f"""
import sys
axon = sys.modules["axon"] = type(sys)("axon")
axon.__path__ = [{package!r}]
from axon.sandbox.child import launch
from axon.sandbox.limits import Limits
launch({program!r}, Limits(seconds=60), True)
"""
    with subprocess.Popen([sys.executable, "-c", starter]) as process:
        assert wait_until(lambda: alive(marker) == 1 or process.poll() is not None)
        process.kill()
    assert wait_until(lambda: alive(marker) == 0)


def test_an_interrupted_run_leaves_no_process(marker, monkeypatch):
    def interrupt(watch):
        if watch.report:
            assert wait_until(lambda: alive(marker) == 1)
            raise KeyboardInterrupt

    monkeypatch.setattr("axon.sandbox.watch.Watch.check", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(NAMED.format(marker) + "time.sleep(60)")
    assert alive(marker) == 0


# Many programs


def test_many_programs_keep_their_order():
    programs = [f"import time\ntime.sleep({0.2 * (n == 0)})\nprint({n})" for n in range(6)]
    assert [outcome.stdout for outcome in run_many(programs, workers=3)] == [f"{n}\n" for n in range(6)]
    assert run_many([]) == []


def test_many_programs_do_not_leak_open_files():
    run("pass")
    before = len(os.listdir("/proc/self/fd"))
    run_many(["pass", "1 / 0", "while True: print('x' * 99)"] * 2, Limits(output_bytes=500))
    assert len(os.listdir("/proc/self/fd")) == before


# Without isolation


@pytest.mark.usefixtures("without_isolation")
def test_without_isolation_nothing_runs_unless_permitted(tmp_path):
    mark = tmp_path / "ran"
    with pytest.raises(Unavailable) as refused:
        run(f"open({str(mark)!r}, 'w')")
    assert str(refused.value) == (
        "model-written code cannot be isolated here because it is a test; end the test, "
        "or pass --unsafe-code to run it without isolation"
    )
    assert not mark.exists()
    assert run(f"open({str(mark)!r}, 'w')", unsafe=True).passed
    assert mark.exists()


@pytest.mark.usefixtures("without_isolation")
def test_without_isolation_the_rules_of_passing_are_the_same():
    programs = ["print(1)", "assert False", "import sys; sys.exit(0)", "import os; os._exit(0)"]
    outcomes = run_many(programs, unsafe=True)
    assert [outcome.status for outcome in outcomes] == ["ok", "failed", "failed", "failed"]


@pytest.mark.usefixtures("without_isolation")
def test_without_isolation_the_folder_is_thrown_away_and_children_are_ended(marker):
    program = "import os, subprocess, sys\nopen('left', 'w')\nprint(os.getcwd())\n"
    program += f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', '{marker}'])"
    outcome = run(program, SHORT, unsafe=True)
    folder = Path(outcome.stdout.strip())
    assert folder != Path.cwd()
    assert not folder.exists()
    assert wait_until(lambda: alive(marker) == 0)


def test_permission_to_run_without_isolation_does_not_give_it_up(tmp_path):
    mark = tmp_path / "ran"
    assert not run(f"open({str(mark)!r}, 'w')", unsafe=True).passed
    assert not mark.exists()


def test_a_system_without_process_groups_is_refused_even_so(monkeypatch):
    monkeypatch.setattr("axon.sandbox.runner.isolation", lambda: Isolation(False))
    monkeypatch.setattr("axon.sandbox.runner.os", type("os", (), {"name": "nt"}))
    with pytest.raises(Unavailable, match="needs a POSIX system"):
        run("pass", unsafe=True)


@pytest.mark.parametrize(
    ("setting", "value", "remedy"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl kernel.apparmor_restrict_unprivileged_userns=0"),
        ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
        ("user/max_user_namespaces", "9999", "--security-opt seccomp=unconfined"),
    ],
)
def test_what_forbids_isolation_is_named_with_its_remedy(setting, value, remedy, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise StartError("the sandbox could not be set up: unshare: Operation not permitted")

    monkeypatch.setattr(probe, "launch", refused)
    (tmp_path / setting).parent.mkdir()
    (tmp_path / setting).write_text(f"{value}\n")
    found = probe.probe(tmp_path)
    assert not found.available
    assert found.reason == "unshare: Operation not permitted"
    assert remedy in found.sentence


def test_an_interpreter_that_does_not_work_inside_is_named(monkeypatch):
    monkeypatch.setattr(probe, "PROGRAM", "import nothing_of_that_name")
    sentence = probe.probe().sentence
    assert "(ModuleNotFoundError: No module named 'nothing_of_that_name')" in sentence
    assert "use a Python that every user may read" in sentence


def test_other_systems_and_old_kernels_are_named(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("axon.sandbox.probe.os.uname", lambda: os.uname_result(("Linux", "", "5.4.0-1", "", "x86_64")))
        assert "because this is Linux 5.4.0-1; use Linux 5.14 or newer" in probe.probe().sentence
    monkeypatch.setattr("axon.sandbox.probe.sys.platform", "darwin")
    assert "because darwin has no Linux namespaces; run it in a Linux container" in probe.probe().sentence


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("import sys; sys.exit(3)", "the child left with 3"),
        ("raise SystemExit('no interpreter')", "no interpreter"),
        ("import os, sys; os.write(int(sys.argv[1]), b'mount: no'); os._exit(1)", "mount: no"),
        ("import time; time.sleep(60)", "nothing happened for 0.3 seconds"),
    ],
)
def test_a_sandbox_that_cannot_be_set_up_is_no_failure_of_the_program(command, reason, monkeypatch):
    monkeypatch.setattr(child, "COMMAND", (sys.executable, "-S", "-c", command))
    monkeypatch.setattr(child, "STOP_SECONDS", 0.1)
    monkeypatch.setattr("axon.sandbox.watch.START_SECONDS", 0.3 if "sleep" in command else 30)
    with pytest.raises(StartError, match=f"^the sandbox could not be set up: {reason}$"):
        child.launch("pass" * 100_000, Limits(), True)


# Wrong input


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seconds": 0}, "seconds must be a number between 0.1 and 86400, got 0"),
        ({"seconds": float("inf")}, "seconds must be a number between 0.1 and 86400, got inf"),
        ({"memory_mb": 10}, "memory_mb must be a whole number of at least 64, got 10"),
        ({"processes": 0}, "processes must be a whole number of at least 1, got 0"),
        ({"output_bytes": -1}, "output_bytes must be a whole number of at least 1, got -1"),
        ({"file_mb": 0.5}, "file_mb must be a whole number of at least 1, got 0.5"),
    ],
)
def test_impossible_limits_are_refused(wrong, message):
    with pytest.raises(AxonError, match=message):
        Limits(**wrong)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: run(b"pass"), "a program must be a text, got b'pass'"),
        (lambda: run("pass", unsafe="yes"), "unsafe must be true or false"),
        (lambda: run_many(["pass"], workers=0), "workers must be a whole number"),
        (lambda: run_many("pass"), "programs must be a list of texts"),
    ],
)
def test_anything_but_programs_is_refused(call, message):
    with pytest.raises(AxonError, match=message):
        call()
