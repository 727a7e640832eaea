from threading import Lock


class Runner:
    def __init__(self):
        self.lock = Lock()

    def run(self, job):
        with self.lock:
            return job()
