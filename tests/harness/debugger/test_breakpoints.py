import pytest
from harness.debugger.kinds import both_kinds

from trajlog.harness.debugger.breakpoints import Breakpoint, find_again, never_hit

CART = """class Cart:
    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)
        return len(self.items)


def fill(cart, count):
    for number in range(count):
        cart.put(number)
    return cart


fill(Cart(), 3)
"""


def a_breakpoint(**changes):
    found = {"number": 1, "file": "a.py", "line": 3, "condition": None, "text": "x = 1", "function": "f"}
    return Breakpoint(**(found | changes))


def test_the_nearest_line_of_the_same_text_comes_first():
    source = "x = 1\n\ny\n\n  x = 1  \nx = 1\n"
    assert find_again(source, a_breakpoint(line=4)) == [5, 6, 1]
    assert find_again(source, a_breakpoint(text="gone")) == []


def test_what_was_never_hit_says_how_often_its_function_was_entered():
    assert never_hit(a_breakpoint(), 0) == "breakpoint 1 at a.py:3 was never hit; its function f was entered 0 times"
    assert never_hit(a_breakpoint(function="<module>"), 1).endswith("its module was entered 1 time")
    assert never_hit(a_breakpoint(condition="x"), 2).startswith("breakpoint 1 at a.py:3 if x was never hit; ")


def test_a_condition_chooses_the_stop(debug):
    session = debug({"cart.py": CART}, "cart.py")
    added = session.add_breakpoint("cart.py", 6, "item == 2")
    assert added.text == "breakpoint 1 at cart.py:6 if item == 2: self.items.append(item)"
    session.continue_execution()
    assert session.run_expression("(item, self.items)").text == "(2, [0, 1])"


def test_a_condition_that_is_no_expression_is_refused(debug):
    session = debug({"cart.py": CART}, "cart.py")
    assert "the condition is not an expression" in session.add_breakpoint("cart.py", 6, "item ==").text


def test_a_condition_that_raises_stops_and_says_so(debug):
    session = debug({"cart.py": CART}, "cart.py")
    session.add_breakpoint("cart.py", 6, "itme == 2")
    assert "its condition raised NameError: name 'itme' is not defined" in session.continue_execution().text


@both_kinds
def test_an_endless_condition_can_be_interrupted(debug, short):
    session = debug({"cart.py": CART}, "cart.py", timeout_s=0.5, deadlines=short)
    session.add_breakpoint("cart.py", 6, "[0 for _ in iter(int, 1)]")
    assert session.continue_execution().text.startswith("still running")
    assert "its condition raised Interrupted" in session.interrupt().text


def test_lines_that_never_run_are_refused_with_neighbours(debug):
    session = debug({"cart.py": CART}, "cart.py")
    reply = session.add_breakpoint("cart.py", 8)
    assert reply.is_error
    assert "line 8 of cart.py never runs: a blank line" in reply.text
    assert session.list_breakpoints().text == "no breakpoints."


@pytest.mark.parametrize("file", ["cat.py", "../../../etc/hostname", "/etc/hostname", "<string>", ""])
def test_files_that_are_not_the_programs_are_refused(debug, file):
    session = debug({"cart.py": CART}, "cart.py")
    assert "is not a file of the workspace" in session.add_breakpoint(file, 1).text


@both_kinds
def test_a_breakpoint_through_a_linked_folder_is_met(debug):
    session = debug({"real/mod.py": "def f():\n    return 1\n", "a.py": "import mod\nmod.f()\n"}, "a.py")
    session.close()
    session._sandbox.run(["ln", "-s", "real/mod.py", "mod.py"])
    session.start("a.py")
    session.add_breakpoint("real/mod.py", 2)
    assert session.continue_execution().text.startswith("stopped at real/mod.py:2 in f, thread MainThread")


def test_breakpoints_are_listed_with_hits_and_removed_by_number(debug):
    session = debug({"cart.py": CART}, "cart.py")
    session.add_breakpoint("cart.py", 6)
    session.add_breakpoint("cart.py", 12)
    session.continue_execution()
    session.continue_execution()
    assert session.list_breakpoints().text.splitlines() == [
        "breakpoint 1 at cart.py:6: self.items.append(item) (hit 1 times)",
        "breakpoint 2 at cart.py:12: cart.put(number) (hit 1 times)",
    ]
    assert session.remove_breakpoint(2).text == "removed breakpoint 2 at cart.py:12: cart.put(number)"
    assert session.remove_breakpoint(2).is_error
    assert "cart.py:6" in session.continue_execution().text
    assert "cart.py:6" in session.continue_execution().text
    assert session.continue_execution().text == "the program ended with exit code 0"


def test_the_same_place_twice_is_one_breakpoint(debug):
    session = debug({"cart.py": CART}, "cart.py")
    session.add_breakpoint("cart.py", 6)
    again = session.add_breakpoint("cart.py", 6).text
    assert again == "there already: breakpoint 1 at cart.py:6: self.items.append(item)"


def test_a_breakpoint_added_at_a_stop_counts_in_functions_that_run_already(debug):
    session = debug({"cart.py": CART}, "cart.py")
    session.add_breakpoint("cart.py", 7)
    session.continue_execution()
    session.remove_breakpoint(1)
    session.add_breakpoint("cart.py", 13)
    assert session.continue_execution().text.startswith("stopped at cart.py:13 in fill, thread MainThread")


def test_breakpoints_never_hit_are_named_at_the_end(debug):
    session = debug({"cart.py": CART + "\n\ndef unused():\n    return 1\n"}, "cart.py")
    session.add_breakpoint("cart.py", 20)
    session.add_breakpoint("cart.py", 7, "item == 9")
    assert session.continue_execution().text == (
        "the program ended with exit code 0\n"
        "breakpoint 1 at cart.py:20 was never hit; its function unused was entered 0 times\n"
        "breakpoint 2 at cart.py:7 if item == 9 was never hit; its function Cart.put was entered 3 times"
    )


@both_kinds
def test_an_edit_is_told_once_and_the_old_text_is_shown(debug):
    session = debug({"cart.py": CART}, "cart.py")
    session.add_breakpoint("cart.py", 6)
    session.continue_execution()
    edited = CART.replace("self.items.append(item)", "self.items.insert(0, item)  # newest first")
    session._sandbox.workspace.write("cart.py", edited.encode())
    note = "note: cart.py was edited; this program runs the old code, start_debugger runs the new"
    assert session.examine_locals().text.splitlines()[-1] == note
    assert "note" not in session.examine_locals().text
    assert "-> 6\t        self.items.append(item)" in session.continue_execution().text
    late = session.add_breakpoint("cart.py", 7).text
    assert "cart.py was edited after it was loaded; this one counts from the next start_debugger" in late


@both_kinds
def test_after_an_edit_breakpoints_are_set_again_by_text_with_their_conditions(debug):
    session = debug({"cart.py": CART}, "cart.py")
    session.add_breakpoint("cart.py", 6, "item == 1")
    session.add_breakpoint("cart.py", 12)
    session.add_breakpoint("cart.py", 3)
    edited = '"""A cart."""\n\n' + CART.replace("        cart.put(number)\n", "        cart.put(number + 1)\n")
    edited = edited.replace("def fill", "def other(self, item):\n    self.items.append(item)\n\n\ndef fill")
    session._sandbox.workspace.write("cart.py", edited.encode())
    again = session.start("cart.py").text
    assert again.splitlines()[1:] == [
        "set again: breakpoint 1 at cart.py:8 if item == 1: self.items.append(item) (was line 6)",
        "dropped, its line is gone: breakpoint 2 at cart.py:12: cart.put(number)",
        "set again: breakpoint 3 at cart.py:5: self.items = [] (was line 3)",
    ]
    assert session.continue_execution().text.startswith("stopped at cart.py:5 in Cart.__init__")
    assert session.continue_execution().text.startswith("stopped at cart.py:8 in Cart.put")
    assert session.examine_locals().text == "self = Cart(items=[])\nitem = 1"


@both_kinds
def test_breakpoints_outlive_the_program(debug):
    session = debug({"cart.py": CART}, "cart.py")
    session.add_breakpoint("cart.py", 6)
    session.stop()
    assert session.list_breakpoints().text == "breakpoint 1 at cart.py:6: self.items.append(item)"
    assert "set again: breakpoint 1 at cart.py:6: self.items.append(item)" in session.start("cart.py").text
    assert session.remove_breakpoint(1).text.startswith("removed")


def test_lines_are_those_that_python_counts(debug):
    session = debug({"a.py": "x = 1\r\n\x0cy = '\u2028'\r\nz = 3\r\n"}, "a.py")
    assert session.add_breakpoint("a.py", 3).text == "breakpoint 1 at a.py:3: z = 3"
    assert "-> 3\tz = 3" in session.continue_execution().text


def test_one_place_in_several_spellings_is_one_breakpoint(debug):
    session = debug({"pkg/a.py": "x = 1\n"}, "pkg/a.py")
    root = session._sandbox.workspace.root
    assert session.add_breakpoint("./pkg//a.py", 1).text == "breakpoint 1 at pkg/a.py:1: x = 1"
    for spelling in ("pkg/a.py", "pkg/./a.py", f"{root}/pkg/a.py"):
        assert session.add_breakpoint(spelling, 1).text == "there already: breakpoint 1 at pkg/a.py:1: x = 1"
