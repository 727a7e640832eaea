"""What a drone is and can do."""

HOME = (0, 0)


class Drone:
    def __init__(self, name, speed=10, battery=100, drain=1):
        self.name = name
        self.speed = speed
        self.battery = battery
        self.drain = drain
        self.place = HOME
        self.height = 0
        self.photos = []

    @property
    def is_flying(self):
        return self.height > 0

    def use(self, amount=1):
        self.battery = max(0, self.battery - amount * self.drain)

    def photograph(self, subject):
        self.photos.append((subject, self.place))
