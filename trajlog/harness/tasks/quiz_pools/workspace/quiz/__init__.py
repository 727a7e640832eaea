from quiz.pools import Pool, PoolEmpty
from quiz.sheet import Sheet, fill_in_turn
from quiz.template import TemplateError, read_template

__all__ = ["Pool", "PoolEmpty", "Sheet", "TemplateError", "fill_in_turn", "read_template"]
