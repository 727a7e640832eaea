from kitchen.lines import parse_line, shopping_list


def read(line):
    item = parse_line(line)
    return str(item.amount), item.unit, item.name


def test_dots_and_commas():
    lines = ("2 tbsp. oil", "20 g, sifted, of sugar", "1 T. salt", "3 cups, packed, of kale", "5cl. rum")
    assert [read(line) for line in lines] == [
        ("2", "tbsp", "oil"), ("20", "g", "sifted, of sugar"), ("1", "t", "salt"), ("3", "cups", "packed, of kale"),
        ("5", "cl", "rum"),
    ]


def test_other_words():
    lines = ("4 tomatoes", "1 lemon", "12 cupcakes", "2 cloves", "1 gramophone", "7 kgs", "3 L-shaped noodles")
    assert [read(line)[1:] for line in lines] == [
        (None, "tomatoes"), (None, "lemon"), (None, "cupcakes"), (None, "cloves"), (None, "gramophone"), (None, "kgs"),
        (None, "L-shaped noodles"),
    ]


def test_longer_spellings():
    lines = ("2 grams yeast", "1 gram saffron", "1 litre stock", "3 tsp baking soda")
    assert [read(line)[1:] for line in lines] == [
        ("grams", "yeast"), ("gram", "saffron"), ("litre", "stock"), ("tsp", "baking soda")
    ]


def test_sums():
    lines = ["1 large onion", "2 large onion", "1 cup cream", "2 tbsp. cream", "3 cl, whipped, cream", "10ml cream"]
    assert shopping_list(lines) == {
        "large onion": [("3", "")], "cream": [("280", "ml")], "whipped, cream": [("30", "ml")]
    }
