from trajlog.harness.debugger.dump import split_dump

DUMP = """before
Thread 0x00007f (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/w/pkg/a.py", line 3 in f
  File "/w/main.py", line 9 in <module>

Current thread 0x00007e (most recent call first):
  File "/elsewhere/b.py", line 1 in g
after
"""


def test_stacks_are_taken_out_of_the_output():
    assert split_dump(DUMP, "/w") == (["a thread is at pkg/a.py:3 in f < main.py:9 in <module>"], "before\nafter\n")


def test_output_that_is_no_dump_is_left_alone():
    text = '  File "/w/a.py", line 3, in f\nThread 7\n\nend'
    assert split_dump(text, "/w") == ([], text)
