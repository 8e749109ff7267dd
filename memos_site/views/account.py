"""Signing in and out."""

from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django_htmx.http import HttpResponseClientRefresh


@method_decorator(login_not_required, name="dispatch")
class SignIn(views.LoginView):
    template_name = "account/login.html"
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        """A fragment that was asked for after the session ended: the whole page comes anew and asks to sign in."""
        if request.headers.get("HX-Request") == "true":
            return HttpResponseClientRefresh()
        return super().dispatch(request, *args, **kwargs)


def locked_out(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """Too many wrong passwords: axes asks for this answer."""
    return render(request, "account/locked.html", status=429)
