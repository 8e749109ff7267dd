"""Table of packs: skills and memories of a scope that somebody chose. What is in them is read for each download."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.trusted import Trusted, new_id
from memories.values.choices import Sensitivity


class PackQuerySet(Trusted["Pack"]):
    pass


class Pack(models.Model):
    """A choice that was made once. What was dismissed, corrected or erased since is in no later download of it.

    `sensitivity`: the highest of what was chosen, as it was then.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=64)
    scope = models.CharField(max_length=128, blank=True)
    description = models.TextField(max_length=1_000, blank=True)
    memories = ArrayField(models.UUIDField(), default=list)
    skills = ArrayField(models.CharField(max_length=64), default=list)
    sensitivity = models.SmallIntegerField(choices=Sensitivity)
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    objects = PackQuerySet.as_manager()

    class Meta:
        verbose_name = _("pack")
        verbose_name_plural = _("packs")
        indexes = [models.Index(fields=["-created_at", "-id"], name="packs_newest_first")]

    def __str__(self) -> str:
        return self.name

    @property
    def about(self) -> dict[str, Any]:
        """What its manifest says of it."""
        return {"name": self.name, "scope": self.scope, "description": self.description}
