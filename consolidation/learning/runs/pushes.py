"""What one `git push` pushes."""

from typing import NamedTuple


class Push(NamedTuple):
    """`refs`: as `name`, or `source:name` where they differ; none where the line does not tell. `names`: as they are
    called at the remote. `forced`: the option. `quiet`: it prints nothing where it goes well. `new_tags`: those of the
    names that its output says are new tags."""

    remote: str
    refs: tuple[str, ...]
    forced: str = ""
    quiet: bool = False
    new_tags: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name_at_remote(ref) for ref in self.refs)


def name_at_remote(ref: str) -> str:
    """Return the name of a ref at the remote: stable of `main:stable`."""
    return ref.rpartition(":")[2]
