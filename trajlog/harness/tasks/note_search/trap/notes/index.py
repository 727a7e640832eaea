"""The inverted index and its answers."""

from collections import Counter
from dataclasses import dataclass, field

from notes.text import query_key, snippet, words


@dataclass
class Note:
    number: int
    text: str
    day: int = 0


@dataclass
class Hit:
    number: int
    score: float
    day: int
    pieces: list = field(default_factory=list)


class Index:
    def __init__(self):
        self._notes = {}
        self._where = {}
        self._answers = {}
        self.runs = 0

    def put(self, number, text, day=0):
        self.remove(number)
        self._notes[number] = Note(number, text, day)
        for word, count in Counter(words(text)).items():
            self._where.setdefault(word, {})[number] = count
        self._answers.clear()

    def remove(self, number):
        note = self._notes.pop(number, None)
        if note is None:
            return False
        for word in set(words(note.text)):
            places = self._where[word]
            del places[number]
            if not places:
                del self._where[word]
        self._answers.clear()
        return True

    def search(self, query):
        """Hits with all words, the best first."""
        key = query_key(query)
        if key not in self._answers:
            self.runs += 1
            self._answers[key] = self._search(key)
        return list(self._answers[key])

    def _search(self, wanted):
        if not wanted:
            return []
        places = [self._where.get(word, {}) for word in wanted]
        common = set(places[0]).intersection(*places[1:])
        hits = []
        for number in common:
            note = self._notes[number]
            score = sum(counts[number] / len(counts) for counts in places)
            hits.append(Hit(number, round(score, 3), note.day, [snippet(note.text, wanted)]))
        return sorted(hits, key=lambda hit: (-hit.score, hit.number))

    def __len__(self):
        return len(self._notes)
