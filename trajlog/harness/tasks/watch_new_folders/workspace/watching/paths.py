"""Paths of the fake file system: absolute, with slashes, without a slash at the end."""


def parent(path):
    return path.rpartition("/")[0] or "/"


def name(path):
    return path.rpartition("/")[2]


def join(folder, *names):
    return "/".join([folder.rstrip("/"), *names])


def inside(path, folder):
    return path.startswith(folder.rstrip("/") + "/")
