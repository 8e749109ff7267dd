"""Views of the inbox that people keep: a name for filters and an order."""

from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, models, transaction
from django.db.models.functions import Lower, Now

from memories.models.trusted import new_id
from memories.values.exceptions import Conflict

MAX_VIEWS = 8  # of one person
MAX_NAME = 40


class SavedViewSet(models.QuerySet["SavedView"]):
    def of(self, user: User) -> "SavedViewSet":
        return self.filter(user_id=user.pk).order_by("created_at", "id")

    def keep(self, user: User, name: str, query: str) -> "SavedView":
        """Keep a view under a name. Conflict: the person has one of that name, or MAX_VIEWS."""
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two forms at once count each other
            if self.of(user).count() >= MAX_VIEWS:
                raise Conflict("there are eight saved views already: delete one first")
            return self._named(SavedView(user=user, name=name, query=query), name)

    def rename(self, user: User, view_id: UUID, name: str) -> bool:
        """Give a view another name; False where the person has no such view. Conflict as in `keep`."""
        view = self.of(user).filter(pk=view_id).first()
        return bool(view and self._named(view, name))

    def _named(self, view: "SavedView", name: str) -> "SavedView":
        view.name = name
        try:
            with transaction.atomic():
                view.save()
        except IntegrityError:
            raise Conflict("there is a saved view of that name already: choose another name") from None
        return view


class SavedView(models.Model):
    """Filters and order of the inbox, as the query of its address, that a person gave a name."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=MAX_NAME)
    query = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    objects = SavedViewSet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint("user", Lower("name"), name="person_has_one_view_of_a_name")]

    def __str__(self) -> str:
        return self.name
