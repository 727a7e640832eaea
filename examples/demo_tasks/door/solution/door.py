class Door:
    def __init__(self):
        self.is_open = False

    def __enter__(self):
        self.is_open = True
        return self

    def __exit__(self, kind, *rest):
        self.is_open = False
