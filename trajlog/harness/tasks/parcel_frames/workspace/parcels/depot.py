"""Parcels in the depot, by code."""


class UnknownParcel(KeyError):
    """No parcel with that code is here."""


class Depot:
    def __init__(self):
        self._parcels = []

    def receive(self, manifest, name=None):
        """Take in the parcels (those for depot `name`); tells how many."""
        mine = [parcel for parcel in manifest.parcels if name in (None, parcel.depot)]
        self._parcels += mine
        return len(mine)

    def find(self, code):
        for parcel in self._parcels:
            if parcel.code == code:
                return parcel
        raise UnknownParcel(code)

    def hand_out(self, code):
        parcel = self.find(code)
        self._parcels.remove(parcel)
        return parcel.label()

    def heaviest(self):
        return max(self._parcels, key=lambda parcel: parcel.grams).label()

    def __len__(self):
        return len(self._parcels)
