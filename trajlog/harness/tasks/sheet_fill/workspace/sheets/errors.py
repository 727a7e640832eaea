"""What can go wrong in a cell."""


class SheetError(Exception):
    code = "#ERR"


class FormulaError(SheetError):
    code = "#NAME"


class ReferenceGone(SheetError):
    code = "#REF"


class Circular(SheetError):
    code = "#CIRC"


class WrongValue(SheetError):
    code = "#VALUE"
