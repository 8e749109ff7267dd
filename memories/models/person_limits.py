"""Limits of people: the scopes that a person may see and write into, given by an administrator."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models


class PersonLimits(models.Model):
    """The scopes of a person who may not see all of them. Without a row, or with an empty list: every scope."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="limits")
    scopes = ArrayField(models.CharField(max_length=128), default=list, blank=True)

    class Meta:
        verbose_name_plural = "limits of people"

    def __str__(self) -> str:
        return ", ".join(self.scopes) or "every scope"
