from subs.cues import Cue
from subs.srt import dumps, loads


def round_trip(*texts):
    cues = [Cue(1000 * number, 1000 * number + 800, text) for number, text in enumerate(texts, 1)]
    loaded = loads(dumps(cues))
    assert [(cue.start, cue.end) for cue in loaded] == [(cue.start, cue.end) for cue in cues]
    return [cue.text for cue in loaded]


def test_numbers_after_an_empty_line():
    assert round_trip("When was it?\n\n1984\nor so", "Which door?\n\n7", "Mine\n\n12\n\n13\n") == [
        'When was it?\n\n1984\nor so', 'Which door?\n\n7', 'Mine\n\n12\n\n13\n',
    ]


def test_empty_texts_and_blank_lines():
    assert round_trip("", "La la\n\n\nla", "", "\nlate", "early\n\n", "\n\n") == [
        '', 'La la\n\n\nla', '', '\nlate', 'early\n\n', '\n\n',
    ]


def test_last_blank_line_missing():
    text = "1\n00:00:01,000 --> 00:00:02,000\nOne\n\ntwo\n\n2\n00:00:03,000 --> 00:00:04,000\n3"
    assert [cue.lines for cue in loads(text)] == [["One", "", "two"], ["3"]]
    assert [cue.lines for cue in loads(text.replace("\n", "\r\n") + "\r\n")] == [["One", "", "two"], ["3"]]


def test_arrows_in_texts():
    assert round_trip("Go --> there\n\nnow", "5\nleft --> right", "a\n\nb --> c") == [
        'Go --> there\n\nnow', '5\nleft --> right', 'a\n\nb --> c',
    ]
