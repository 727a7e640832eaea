from family.kinship import common, explain
from family.people import Tree
from family.walk import ancestors, lines_to, lines_up

WIDE = """
Root
A < Root
B < Root
C < A
D < B
E < C + D
F < E + Root
G
H < G + B
"""


def names(lines):
    return ["/".join(person.name for person in line) for line in lines]


def test_all_lines_to_an_ancestor():
    tree = Tree.parse(WIDE)
    assert names(lines_to(tree["F"], tree["Root"])) == ["F/Root", "F/E/C/A/Root", "F/E/D/B/Root"]


def test_table_of_ancestors():
    table = ancestors(Tree.parse(WIDE)["E"])
    assert {who: names(lines) for who, lines in table.items()} == {
        "E": ["E"],
        "C": ["E/C"],
        "A": ["E/C/A"],
        "Root": ["E/C/A/Root", "E/D/B/Root"],
        "D": ["E/D"],
        "B": ["E/D/B"],
    }


def test_explain_names_all_lines():
    tree = Tree.parse(WIDE)
    assert explain(tree, "E", "H") == 'E and H: aunt or uncle\n  B: D > E | H'
    assert explain(tree, "B", "F") == (
        "B and F: siblings\n"
        "  Root: B | A > C > E > F\n"
        "  Root: B | B > D > E > F\n"
        "  Root: B | F"
    )


def test_own_ancestor_and_unrelated():
    tree = Tree.parse(WIDE)
    assert [explain(tree, "E", "D"), explain(tree, "G", "A"), [who for who, _, _ in common(tree, "F", "E")]] == [
        'E and D: parent\n  D: E | -',
        "G and A are not related",
        ["E"],
    ]


def test_lines_can_be_kept_while_walking():
    walk = lines_up(Tree.parse(WIDE)["D"])
    kept = [next(walk), next(walk)]
    rest = list(walk)
    assert names(kept + rest) == ["D", "D/B", "D/B/Root"]
