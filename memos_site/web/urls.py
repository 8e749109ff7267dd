"""URLs of the pages about people, and of the search over everything. Other pages of the site: `memos_site/urls.py`."""

from django.urls import path

from memos_site.web import people, profile, search, time_zone

urlpatterns = [
    path("people/", people.everybody, name="people"),
    path("people/<int:person_id>/", people.person, name="person"),
    path("people/join/<uidb64>/<token>/", people.ChoosePassword.as_view(), name="join"),
    path("profile/", profile.profile, name="profile"),
    path("mails/stop/<str:token>/", profile.stop_mails, name="stop-mails"),
    path("time-zone/", time_zone.choose, name="time-zone"),
    path("search/", search.search, name="search"),
]
