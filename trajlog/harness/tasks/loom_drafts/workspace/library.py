"""Blocks that every weaver knows."""

from draft import Draft

BLOCKS = {
    "plain": "x.x. .x.x",
    "twill": "xx.. .xx. ..xx x..x",
    "basket": "xx.. xx.. ..xx ..xx",
}


class Library:
    def __init__(self, blocks=BLOCKS):
        self._drafts = {name: Draft.of(text) for name, text in blocks.items()}

    def names(self):
        return sorted(self._drafts)

    def block(self, name):
        """A draft of the block for the caller to change."""
        return self._drafts[name].part(1, len(self._drafts[name].picks))

    def compose(self, recipe):
        """Join blocks as in `twill*2 plain twill~`; `~` stands for mirrored."""
        made = None
        for word in recipe.split():
            name, _, times = word.partition("*")
            draft = self._drafts[name.rstrip("~")]
            if name.endswith("~"):
                draft = draft.mirror()
            if times:
                draft = draft.repeat(int(times))
            made = made.join(draft) if made else draft.part(1, len(draft.picks))
        return made
