"""`export_skills` under the name that goes with `import_skill`."""

from skills.management.commands.export_skills import Command

__all__ = ["Command"]
