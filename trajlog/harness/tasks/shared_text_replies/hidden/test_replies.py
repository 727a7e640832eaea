import asyncio

from cowrite import Change, Cursors, Document, Recorder, SpellingHelper, WordCount


def run(main):
    async def bounded():
        return await asyncio.wait_for(main(), 1.5)

    return asyncio.run(bounded())


def test_order_for_all():
    async def main():
        document = Document()
        first, last, cursors = Recorder(), Recorder(), Cursors()
        document.subscribe("first", first)
        document.subscribe("spelling", SpellingHelper(document, {"teh": "the", "adn": "and"}))
        document.subscribe("last", last)
        document.subscribe("cursors", cursors)
        cursors.put("ann", 0)
        await document.submit("ann", Change(0, 0, "teh cat adn "))
        await document.submit("ann", Change(12, 0, "dog."))
        return first.lines, last.lines == first.lines, cursors.at, document.dropped

    assert run(main) == (
        ['1 ann: teh cat adn ', '2 spelling: the cat adn ', '3 ann: the cat adn dog.',
         '4 spelling: the cat and dog.'],
        True, {'ann': 16}, [],
    )


def test_too_many_words():
    async def main():
        document = Document("a b")
        count, recorder = WordCount(document, most=4), Recorder()
        document.subscribe("count", count)
        document.subscribe("recorder", recorder)
        await document.submit("ann", Change(3, 0, " c"))
        await document.submit("bob", Change(0, 0, "x y z "))
        return recorder.lines, count.count, document.text

    assert run(main) == (["1 ann: a b c", "2 bob: x y z a b c", "3 undo 2: a b c"], 3, "a b c")


def test_all_are_served_before_the_next():
    async def main():
        document, seen = Document(), []

        def echo(name, times):
            async def subscriber(revision):
                seen.append(f"{name}{revision.number}")
                await asyncio.sleep(0)
                if revision.number <= times:
                    made = await document.submit(name, Change(0, 0, name))
                    seen.append(f"{name}->{made.number}")
            return subscriber

        for name, times in (("a", 2), ("b", 1), ("c", 0)):
            document.subscribe(name, echo(name, times))
        await document.submit("x", Change(0, 0, "x"))
        return seen, document.text

    assert run(main) == (
        ['a1', 'a->2', 'b1', 'b->3', 'c1', 'a2', 'a->4', 'b2', 'c2', 'a3', 'b3', 'c3', 'a4', 'b4',
         'c4'],
        'abax',
    )


def test_from_outside_at_the_same_time():
    async def main():
        document, got = Document(), Recorder()
        document.subscribe("spelling", SpellingHelper(document, {"teh": "the"}))
        document.subscribe("got", got)
        lengths = []

        async def write(name, text):
            made = await document.submit(name, Change(0, 0, text), seen=0)
            lengths.append((name, made.number, sum(line.startswith(f"{made.number} ") for line in got.lines)))

        await asyncio.gather(write("ann", "sun "), write("bob", "up "), write("cy", "teh "))
        numbers = [int(line.split()[0]) for line in got.lines]
        return numbers, sorted(lengths), document.text

    assert run(main) == ([1, 2, 3, 4], [("ann", 1, 1), ("bob", 2, 1), ("cy", 3, 1)], "sun up the ")


def test_a_subscriber_that_fails():
    async def main():
        document, got = Document(), Recorder()

        async def fails(revision):
            await document.submit("fails", Change(0, 0, "!"))
            raise RuntimeError("no more")

        document.subscribe("fails", fails)
        document.subscribe("got", got)
        await document.submit("ann", Change(0, 0, "a"))
        await document.submit("ann", Change(0, 0, "b"))
        return got.lines, document.dropped

    assert run(main) == (["1 ann: a", "2 fails: !a", "3 ann: b!a"], [("fails", "no more")])
