"""The command `memos` of the wheel: the server (`manage.py`, with data in the user's data directory), and its clients.

In the wheel the top level of the repository lies in `memos/house`, so that no room collides with another package.
"""

import os
import runpy
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOUSE = HERE / "house" if (HERE / "house").exists() else HERE.parents[1]
SCRIPTS = HOUSE / "static" / "agents"
OF_AGENTS = {"connect", "disconnect", "doctor"}
OF_CLIENTS = {"context", "search", "store", "outcome", "skills"}
USAGE = """memos COMMAND

  serve        the server, with its database and jobs: http://127.0.0.1:8000
  connect      a coding agent of this computer: memos connect claude --url http://127.0.0.1:8000
  disconnect   it again
  doctor       what arrives from the agents of this computer, and what does not

  context      what is known that fits a task: memos context "Write to Acme about the invoice"
  search       search everything that was learned and that happened
  store        a statement under a key: memos store acme-terms "Acme pays on net-30 terms"
  outcome      say how an episode ended: memos outcome --thread ticket-812 success
  skills sync  a folder of published skills: memos skills sync ~/.claude/skills

  help         every other command: import, export, backup, agents, jobs
"""


def data_directory() -> Path:
    """Where this system keeps the data of a user's programs."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "memos"
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "memos"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "memos"


def main() -> None:
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return
    if words[0] in OF_AGENTS:
        runpy.run_path(str(SCRIPTS / "memos_connect.py"), run_name="__main__")
        return
    if words[0] in OF_CLIENTS:
        sys.exit(import_module(".commands", __package__).run(words, scripts=SCRIPTS))
    os.environ.setdefault("MEMOS_DATA_DIR", str(data_directory()))
    sys.path.insert(0, str(HOUSE))
    sys.argv[0] = str(HOUSE / "manage.py")  # processes that start themselves anew start this
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
