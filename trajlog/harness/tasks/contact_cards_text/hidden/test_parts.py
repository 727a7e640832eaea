from cards import Contact, read_cards, write_cards


def again(**fields):
    return read_cards(write_cards([Contact(**fields)]))[0]


def test_parts_that_end_with_a_backslash():
    loaded = again(family="Disk\\", given="C:\\", address=("\\", "a\\;b", "\\\\", ";"))
    assert (loaded.family, loaded.given) == ("Disk\\", "C:\\")
    assert loaded.address == ("\\", "a\\;b", "\\\\", ";")


def test_categories_with_backslashes():
    assert again(family="X", categories=["a\\", "b,c\\,", "n\nm"]).categories == ["a\\", "b,c\\,", "n\nm"]


def test_cards_of_other_programs():
    text = "\n".join(["BEGIN:VCARD", "n;CHARSET=x:O'Neil\\, Jr.;Pat", "ADR;TYPE=home:Row\\N2\\;3;a,b", "X-FOO:1",
                      "CATEGORIES:p\\;q,r;s", "END:VCARD"])
    (card,) = read_cards(text)
    assert [card.family, card.given, card.address, card.categories] == [
        "O'Neil, Jr.", "Pat", ("Row\n2;3", "a,b", "", ""), ["p;q", "r;s"]
    ]


def test_escape_across_a_fold():
    street = "s" * 65 + ";" * 12 + "end"
    loaded = again(family="F", address=(street, "c\\", "", "z"))
    assert (loaded.address[0][64:], loaded.address[1:]) == ("s;;;;;;;;;;;;end", ("c\\", "", "z"))


def test_written_text_stays():
    text = write_cards([Contact("a;b", "c\\", ("x,y", "", "", "z"))])
    assert text == "BEGIN:VCARD\r\nN:a\\;b;c\\\\\r\nADR:x\\,y;;;z\r\nEND:VCARD\r\n"
