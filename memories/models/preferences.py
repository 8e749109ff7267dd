from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db import models


class PreferencesSet(models.QuerySet["Preferences"]):
    def language_of(self, user: AbstractBaseUser | AnonymousUser) -> str:
        """The language that a person chose; '' for none, or for nobody."""
        return self.filter(user_id=user.pk).values_list("language", flat=True).first() or "" if user.pk else ""

    def choose_language(self, user: User, language: str) -> None:
        self.update_or_create(user=user, defaults={"language": language})

    def time_zone_of(self, user: User) -> str:
        """The time zone that a person chose; '' for none."""
        return self.filter(user_id=user.pk).values_list("time_zone", flat=True).first() or ""

    def choose_time_zone(self, user: User, zone: str) -> None:
        self.update_or_create(user=user, defaults={"time_zone": zone})


class Preferences(models.Model):
    """What a person chose for their pages, so that another browser knows it too."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True)
    language = models.CharField(max_length=16, blank=True)  # one of settings.LANGUAGES; '' = as the browser asks
    time_zone = models.CharField(max_length=64, blank=True, db_default="")  # '' = the workspace's

    objects = PreferencesSet.as_manager()

    class Meta:
        verbose_name_plural = "preferences"

    def __str__(self) -> str:
        return f"preferences of {self.user}"
