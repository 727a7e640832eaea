import asyncio

import pytest
from cowrite import Change, ChangeError, Cursors, Document, Recorder, SpellingHelper, WordCount


def run(main):
    async def bounded():
        return await asyncio.wait_for(main(), 1.5)

    return asyncio.run(bounded())


def test_changes_of_two():
    async def main():
        document = Document("the cat")
        recorder = Recorder()
        document.subscribe("recorder", recorder)
        await document.submit("ann", Change(4, 0, "old "))
        await document.submit("bob", Change(7, 0, " sat"), seen=0)
        await document.undo("ann")
        return recorder.lines, document.blame()

    assert run(main) == (
        ['1 ann: the old cat', '2 bob: the old cat sat', '3 undo 1: the cat sat'],
        [(None, 'the cat'), ('bob', ' sat')],
    )


def test_cursors():
    async def main():
        document, cursors = Document("abcdef"), Cursors()
        document.subscribe("cursors", cursors)
        for name, position in (("ann", 2), ("bob", 2), ("cy", 5)):
            cursors.put(name, position)
        await document.submit("ann", Change(2, 2, "XYZ"))
        return cursors.at

    assert run(main) == {"ann": 5, "bob": 2, "cy": 6}


def test_spelling():
    async def main():
        document = Document()
        helper = SpellingHelper(document, {"teh": "the"})
        document.subscribe("spelling", helper)
        await document.submit("ann", Change(0, 0, "teh"))
        await document.submit("ann", Change(3, 0, " cat"))
        return document.text, helper.corrected, document.number

    assert run(main) == ("the cat", [(3, "teh", "the")], 3)


def test_bad_changes():
    async def main():
        document = Document("abc")
        with pytest.raises(ChangeError, match="2 to 5 of 3"):
            await document.submit("ann", Change(2, 3))
        with pytest.raises(ChangeError, match="nothing of ann"):
            await document.undo("ann")
        return document.number

    assert run(main) == 0


def test_word_count():
    async def main():
        document = Document("one two")
        count = WordCount(document)
        document.subscribe("count", count)
        await document.submit("ann", Change(7, 0, " three four"))
        return count.count

    assert run(main) == 4
