"""Admin pages of django-q's jobs and schedules, and of the mails that one of them sends."""

import ast
from typing import Any

from django import forms
from django.contrib import admin
from django.core.validators import RegexValidator
from django_q.admin import FailAdmin, QueueAdmin, ScheduleAdmin, TaskAdmin
from django_q.models import Failure, OrmQ, Schedule, Success

from memories.admin.trusted import Administrators, ReadOnly, Uncounted
from memories.models import Mail

for model in (Schedule, Success, Failure, OrmQ):
    admin.site.unregister(model)


class _JobAdmin(Administrators, Uncounted):  # type: ignore[misc]  # an untyped base
    """Administrators only: a schedule may name any function, and a traceback may quote any row."""


class ScheduleForm(forms.ModelForm):  # type: ignore[type-arg]
    """Refuses what the scheduler cannot read: all that are due are prepared at once, one error stops them all."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("schedule_type") == Schedule.CRON and not cleaned.get("cron"):
            self.add_error("schedule_type", RegexValidator.message)
        if args := cleaned.get("args"):
            try:
                ast.literal_eval(args)
            except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
                self.add_error("args", RegexValidator.message)
        return cleaned


@admin.register(Schedule)
class Schedules(ScheduleAdmin, _JobAdmin):  # type: ignore[misc]  # an untyped base
    form = ScheduleForm


@admin.register(Success)
class Successes(TaskAdmin, _JobAdmin):  # type: ignore[misc]  # an untyped base
    ordering = ("-stopped",)


@admin.register(Failure)
class Failures(FailAdmin, _JobAdmin):  # type: ignore[misc]  # an untyped base
    ordering = ("-stopped",)


@admin.register(OrmQ)
class Queue(QueueAdmin, _JobAdmin):  # type: ignore[misc]  # an untyped base
    pass


@admin.register(Mail)
class Mails(ReadOnly, _JobAdmin):  # type: ignore[misc]  # as of the other admins
    """Which mails people were sent, and why one was not. Their texts are not kept."""

    list_display = ("user", "kind", "about", "status", "attempts", "error", "next_at", "sent_at")
    list_filter = ("status", "kind")
    ordering = ("-created_at", "-id")
