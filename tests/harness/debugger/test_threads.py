import time

from harness.debugger.kinds import both_kinds

CART = """import threading


class Cart:
    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)


def fill(cart, count):
    for number in range(count):
        cart.put(number)


cart = Cart()
threads = [threading.Thread(target=fill, args=(cart, 100)) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print("filled", len(cart.items))
"""
DEADLOCK = """import threading

first, second = threading.Lock(), threading.Lock()
both = threading.Barrier(2)

def work(mine, other):
    with mine:
        both.wait()
        with other:
            pass

threads = [threading.Thread(target=work, args=pair) for pair in ((first, second), (second, first))]
for t in threads: t.start()
for t in threads: t.join()
"""
BANK = """import threading, time

class Bank:
    def __init__(self):
        self._lock = threading.RLock()
        self._changed = threading.Condition()
        self.open = threading.Event()

    def hold(self):
        self._lock.acquire()
        self._changed.acquire()
        for work in (self.within, self.plain, self.notified, self.opened):
            threading.Thread(target=work, name=work.__name__, daemon=True).start()
        time.sleep(60)

    def within(self):
        with self._lock:
            pass

    def plain(self):
        self._lock.acquire()

    def notified(self):
        with self._changed:
            pass

    def opened(self):
        self.open.wait()

Bank().hold()
"""
HELD = """import threading, time

lock = threading.Lock()
inside = threading.Event()

def hold():
    with lock:
        inside.set()
        a = 1

def main():
    holder = threading.Thread(target=hold, name="holder")
    holder.start()
    inside.wait()
    b = 2
    c = 3
    holder.join()

main()
"""


def until(check):
    """Wait for something that another thread of the program does by itself."""
    deadline = time.monotonic() + 10
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_eight_threads_with_a_hundred_hits_each_stop_one_at_a_time(debug, first_line):
    session = debug({"cart.py": CART}, "cart.py")
    session.add_breakpoint("cart.py", 9)
    stops = 0
    while "in Cart.put, thread Thread-" in first_line(reply := session.continue_execution()):
        stops += 1
        if stops % 100 == 0:
            assert session.run_expression("type(item)").text == "class int"
    assert stops == 800
    assert reply.text.endswith("filled 800")


@both_kinds
def test_a_deadlock_is_answered_with_who_waits_for_whom_and_the_session_goes_on(debug, first_line, still_running):
    session = debug({"lock.py": DEADLOCK}, "lock.py", timeout_s=1.0)
    reply = still_running(session, "held by Thread-1 (work)", "held by Thread-2 (work)", "lock.py:14 in <module>")
    assert first_line(reply).startswith("still running after 1 s (timeout)")
    names = "Thread-1 (work)", "Thread-2 (work)"
    for number, (name, other) in enumerate((names, names[::-1]), 2):
        assert (
            f"thread {number} {name} runs, at lock.py:9 in work (with other:), "
            f"waits for other (Lock), held by {other} since lock.py:7 in work, holds mine since line 7"
        ) in reply.text
    assert "MainThread runs, at lock.py:14 in <module> (for t in threads: t.join()), waits for thread" in reply.text
    assert "0x" not in reply.text
    assert first_line(session.interrupt()) == "stopped at lock.py:14 in <module>, thread MainThread (interrupt)"
    assert session.run_expression("first.locked()").text == "True"
    assert session.where("Thread-1 (work)").text.startswith("it runs, or waits in a call; its stack now:\n#0 lock.py:9")
    assert first_line(session.continue_execution()).startswith("still running")
    assert session.stop().text == "the debugger is stopped."


@both_kinds
def test_holders_of_reentrant_locks_conditions_and_acquire_calls_are_named(debug, still_running):
    session = debug({"bank.py": BANK}, "bank.py", timeout_s=1.0)
    reply = still_running(session, "waits in Event.wait", "time.sleep(60)").text
    assert "holds self._lock since line 10, holds self._changed since line 11" in reply
    assert "(with self._lock:), waits for self._lock (RLock), held by MainThread" in reply
    assert "(self._lock.acquire()), waits for self._lock (RLock), held by MainThread" in reply
    assert "(with self._changed:), waits for self._changed (RLock), held by MainThread" in reply
    assert "(self.open.wait()), waits in Event.wait" in reply


def test_two_locks_of_one_with_are_told_apart(debug, still_running):
    source = (
        "import threading, time\na, b = threading.Lock(), threading.Lock()\nb.acquire()\n"
        "def f():\n    with a, b:\n        pass\n"
        "threading.Thread(target=f, name='T', daemon=True).start()\ntime.sleep(60)\n"
    )
    session = debug({"a.py": source}, "a.py", timeout_s=0.7)
    reply = still_running(session, "waits for").text
    assert "waits for b (Lock), held by MainThread since a.py:3 in <module>, holds a since line 5" in reply


def test_locks_are_left_as_they_are(debug):
    source = (
        "import copyreg, pickle, threading, _thread\n"
        "assert type(threading.Lock()) is _thread.LockType\nassert type(threading.RLock()) is _thread.RLock\n"
        "assert 'lock' in type(threading.Lock()).__name__.lower()\n"
        "try:\n    pickle.dumps(threading.Lock())\nexcept TypeError as error:\n    print(error)\n"
        "print(threading.active_count(), len(threading.enumerate()))\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 8)
    session.continue_execution()
    assert session.continue_execution().text.endswith("output:\ncannot pickle '_thread.lock' object\n1 1")


@both_kinds
def test_threads_at_their_own_stops_are_listed_looked_into_and_stepped(debug, first_line):
    session = debug({"a.py": HELD}, "a.py")
    session.add_breakpoint("a.py", 9)
    session.add_breakpoint("a.py", 15)
    session.continue_execution()
    until(lambda: " runs" not in session.list_threads().text)
    listed = session.list_threads().text
    assert listed.count("is stopped") == listed.count("waits at its own stop") == 1  # whichever came first is published
    assert "(breakpoint 2), at a.py:15 in main (b = 2) < a.py:19 in <module>" in listed
    assert "(breakpoint 1), at a.py:9 in hold (a = 1), holds lock since line 7" in listed
    assert session.examine_locals("MainThread").text == "holder = Thread 'holder'"
    assert session.examine_locals("1").text == "holder = Thread 'holder'"
    assert session.run_expression("lock.locked()", "MainThread").text == "True"
    step = session.step("over", "MainThread")
    assert first_line(step) == "stopped at a.py:16 in main, thread MainThread (step)"
    assert step.text.endswith("1 more thread(s) at their own stops; list_threads shows them")
    assert session.examine_locals("holder").text == "no variables"
    reply = session.continue_execution()
    if "thread holder (breakpoint 1)" in first_line(reply):  # its stop had not been published
        reply = session.continue_execution()
    assert reply.text == "the program ended with exit code 0"


def test_a_thread_that_is_not_there_or_not_at_a_stop_is_refused(debug):
    session = debug({"a.py": HELD}, "a.py")
    session.add_breakpoint("a.py", 9)
    session.continue_execution()
    assert session.step("over", "nobody").text == "there is no thread 'nobody'; list_threads shows them."
    assert "thread MainThread is not at a stop" in session.run_expression("1", "MainThread").text
    assert "a.py" in session.where("MainThread").text


@both_kinds
def test_a_step_that_waits_for_a_thread_at_its_own_stop_says_who_holds_the_lock(debug, first_line):
    source = HELD.replace("    b = 2\n", "    b = 2\n    lock.acquire()\n")
    session = debug({"a.py": source}, "a.py", timeout_s=1.0)
    session.add_breakpoint("a.py", 9)
    session.add_breakpoint("a.py", 16)
    session.continue_execution()
    until(lambda: " runs" not in session.list_threads().text)
    reply = session.step("over", "MainThread")
    assert first_line(reply).startswith("still running after 1 s")
    assert "waits for lock (Lock), held by holder since a.py:7 in hold" in reply.text
    assert "holder waits at its own stop" in reply.text


def test_a_closures_variable_changed_by_another_thread_during_a_stop_keeps_its_value(debug):
    source = (
        "import threading\n\ndef main():\n    count = 0\n    go = threading.Event()\n    done = threading.Event()\n"
        "    def other():\n        nonlocal count\n        go.wait()\n        count = 41\n        done.set()\n"
        "    threading.Thread(target=other).start()\n    x = 1\n    y = 2\n    print(count + 1)\n\nmain()\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 14)
    session.continue_execution()
    assert session.run_expression("go.set() or done.wait(5)").text == "True"
    assert session.continue_execution().text.endswith("output:\n42")


@both_kinds
def test_another_thread_is_interrupted_at_its_next_line(debug, first_line):
    source = (
        "import threading\n\ndef spin():\n    n = 0\n    while True:\n        n += 1\n\n"
        "t = threading.Thread(target=spin, name='spinner')\nt.start()\nt.join()\n"
    )
    session = debug({"a.py": source}, "a.py", timeout_s=0.5)
    assert first_line(session.continue_execution()).startswith("still running")
    stop = first_line(session.interrupt("spinner"))
    assert stop.startswith("stopped at a.py:")
    assert stop.endswith("in spin, thread spinner (interrupt)")
    assert int(session.run_expression("n").text) > 0


@both_kinds
def test_an_uncaught_exception_in_a_thread_stops_there(debug, first_line):
    source = (
        "import threading\n\ndef f(x):\n    return 1 / x\n\n"
        "t = threading.Thread(target=f, args=(0,), name='T')\nt.start()\nt.join()\nprint('on')\n"
    )
    session = debug({"a.py": source}, "a.py")
    stop = session.continue_execution()
    assert first_line(stop) == "stopped at a.py:4 in f, thread T (uncaught exception)"
    assert session.examine_locals().text == "x = 0"
    assert "T is stopped (uncaught exception), at a.py:4 in f (return 1 / x)" in session.list_threads().text
    end = session.continue_execution().text
    assert end.startswith("the program ended with exit code 0")
    assert end.endswith("on")


def test_the_program_ends_only_when_its_threads_at_stops_have_been_looked_at(debug, first_line):
    source = (
        "import threading\nready = threading.Event()\ndef f():\n    ready.set()\n    x = 1\n"
        "threading.Thread(target=f, daemon=True, name='D').start()\nready.wait()\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 4)
    assert "thread D (breakpoint 1)" in first_line(session.continue_execution())
    assert first_line(session.step("over")) == "stopped at a.py:5 in f, thread D (step)"
    assert session.examine_locals().text == "no variables"
    assert session.continue_execution().text == "the program ended with exit code 0"


def test_an_executors_idle_workers_do_not_keep_the_program_from_ending(debug):
    source = (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
        "print(pool.submit(pow, 2, 3).result())\n"
    )
    assert debug({"a.py": source}, "a.py").continue_execution().text.endswith("exit code 0\noutput:\n8")


@both_kinds
def test_idle_tasks_are_listed_where_they_wait(debug, first_line, still_running):
    source = (
        "import asyncio\n\nasync def never():\n    await asyncio.Event().wait()\n\n"
        "async def main():\n    await asyncio.gather(never(), never())\n\nasyncio.run(main())\n"
    )
    session = debug({"a.py": source}, "a.py", timeout_s=0.7)
    lines = still_running(session, "is at a.py:4 in never").text.splitlines()
    assert lines[1] == "thread 1 MainThread runs, at a.py:9 in <module> (asyncio.run(main()))"
    assert sum("is at a.py:4 in never (await asyncio.Event().wait())" in line for line in lines) == 2
    assert first_line(session.interrupt()) == "stopped at a.py:9 in <module>, thread MainThread (interrupt)"
