"""What the worker does, as django-q offers it, and who knocked at the door, as axes saw it."""

from typing import Any

from axes.admin import AccessAttemptAdmin, AccessFailureLogAdmin, AccessLogAdmin
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django.http import HttpRequest
from django_q.admin import FailAdmin, QueueAdmin, ScheduleAdmin, TaskAdmin
from django_q.models import Failure, OrmQ, Schedule, Success

from memories.admin.trusted import Administrators, Uncounted

for model in (Schedule, Success, Failure, OrmQ, AccessAttempt, AccessLog, AccessFailureLog):
    admin.site.unregister(model)


class _Job(Administrators, Uncounted):  # type: ignore[misc]  # an untyped base
    """A schedule may name any function, and a traceback may quote any row."""


@admin.register(Schedule)
class Schedules(ScheduleAdmin, _Job):  # type: ignore[misc]  # an untyped base
    pass


@admin.register(Success)
class Successes(TaskAdmin, _Job):  # type: ignore[misc]  # an untyped base
    ordering = ("-stopped",)


@admin.register(Failure)
class Failures(FailAdmin, _Job):  # type: ignore[misc]  # an untyped base
    ordering = ("-stopped",)


@admin.register(OrmQ)
class Queue(QueueAdmin, _Job):  # type: ignore[misc]  # an untyped base
    pass


class _Seen(Uncounted):
    """A deleted attempt lets its person try again; nothing else about it can be changed."""

    date_hierarchy = None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(AccessAttempt)
class Attempts(_Seen, AccessAttemptAdmin):  # type: ignore[misc]  # an untyped base
    list_filter = ["attempt_time"]


@admin.register(AccessLog)
class SignIns(_Seen, AccessLogAdmin):  # type: ignore[misc]  # an untyped base
    list_filter = ["attempt_time"]


@admin.register(AccessFailureLog)
class FailedSignIns(_Seen, AccessFailureLogAdmin):  # type: ignore[misc]  # an untyped base
    list_filter = ["attempt_time", "locked_out"]
