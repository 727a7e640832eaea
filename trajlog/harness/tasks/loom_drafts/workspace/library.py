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


def yarn(draft, ends, width_cm=50, take_up=10):
    """Metres of warp and weft per metre of cloth, and the share of each in percent.

    Yarn does not lie straight: `take_up` percent more are needed.
    """
    per_cm = ends / width_cm
    picks_per_metre = round(per_cm * 100)
    warp = ends * (100 + take_up) / 100
    weft = picks_per_metre * width_cm / 100 * (100 + take_up) / 100
    lifted = sum(map(sum, draft.picks)) / (len(draft.picks) * draft.shafts)
    return {"warp": round(warp, 1), "weft": round(weft, 1), "warp_face": round(100 * lifted)}


def table(library):
    """A line per block for the wall of the workshop."""
    lines = []
    for name in library.names():
        draft = library.block(name)
        lines.append(f"{name:<8} {draft.shafts} shafts {len(draft.picks)} picks {draft.text().replace(chr(10), ' ')}")
    return lines
