from money import column, formatters_made, money


def test_styles_in_turn():
    styles = [{"decimals": 0}, {}, {"separator": " "}, {"symbol": "E", "in_front": True}, {"decimals": 3}]
    assert [money(98765.4321, "EUR", **style) for style in styles * 2] == [
        '98,765 EUR', '98,765.43 EUR', '98 765.43 EUR', 'E98,765.43', '98,765.432 EUR', '98,765 EUR',
        '98,765.43 EUR', '98 765.43 EUR', 'E98,765.43', '98,765.432 EUR',
    ]


def test_number_of_formatters():
    money(1, "JPY")
    before = formatters_made()
    texts = []
    for _ in range(3):
        texts += [money(7000, "JPY", separator=","), money(7000, "JPY", decimals=0), money(7000, "JPY", decimals=1)]
    assert (texts[:3], formatters_made() - before) == (['7,000 JPY', '7,000 JPY', '7,000.0 JPY'], 1)


def test_columns_of_two_styles():
    assert column([1, -20000], "USD", separator=".") + column([1, -20000], "USD", symbol="US$") == [
        '      $1.00', '-$20.000.00', '      US$1.00', '-US$20,000.00',
    ]
