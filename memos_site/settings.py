"""Django's settings. Every value that an operator may change comes through memos_site.platform.env."""

from datetime import timedelta
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.templatetags.static import static

from memos_site.platform.env import ENV, private_directory, secret_key
from memos_site.platform.environment import BASE_DIR
from memos_site.platform.logs import logging_settings
from memos_site.platform.service_settings import mail_settings, package_storage

DEBUG = ENV.DEBUG
DATA_DIR = private_directory(ENV.MEMOS_DATA_DIR.absolute())
SECRET_KEY, *SECRET_KEY_FALLBACKS = ENV.SECRET_KEY or [secret_key(DATA_DIR)]
ALLOWED_HOSTS = ENV.ALLOWED_HOSTS
SITE_URL = ENV.SITE_URL.rstrip("/")
globals().update(mail_settings(ENV.EMAIL_URL))

INSTALLED_APPS = [
    "memos_site.apps.MemosConfig",
    "consolidation.apps.ConsolidationConfig",
    "skills.apps.SkillsConfig",
    "memories.apps.MemoriesConfig",
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "memos_site.apps.OperatorsConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.forms",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "django_q",
    "axes",
    "csp",
]

MIDDLEWARE = [
    "memos_site.platform.measures.RequestMeasures",
    "django.middleware.security.SecurityMiddleware",
    "memos_site.middleware.RequestId",
    "memos_site.platform.tracing.Traced",
    "memos_site.middleware.KnownLength",
    "memos_site.middleware.Programs",
    "memos_site.middleware.NoNul",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "memos_site.middleware.Language",
    "memos_site.middleware.TimeZone",
    "memos_site.middleware.WrongMethod",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "memos_site.middleware.NotForThem",
    "axes.middleware.AxesMiddleware",
    "memos_site.middleware.MaskedAnswers",
]

ROOT_URLCONF = "memos_site.urls"
WSGI_APPLICATION = "memos_site.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

EMBEDDED = not ENV.DATABASE_URL
DATABASES: dict[str, Any] = {
    "default": {
        "ENGINE": "memos_site.platform.postgres",
        "NAME": "memos",
        "USER": "memos",
        "HOST": str(DATA_DIR),
        "PORT": "5432",  # of the socket's name; said, because PGPORT would change it
    }
    if EMBEDDED
    else dict(dj_database_url.parse(ENV.DATABASE_URL), ENGINE="memos_site.platform.postgres.remote")
}
DATABASES["default"] |= {
    "CONN_MAX_AGE": 60,  # no psycopg pool: with forking workers it corrupts connections
    "CONN_HEALTH_CHECKS": True,
    "DISABLE_SERVER_SIDE_CURSORS": bool(ENV.DATABASE_POOLER),  # they outlive a transaction
    "OPTIONS": {"connect_timeout": 10} | DATABASES["default"].get("OPTIONS", {}),
}
DATABASE_REPLICAS: list[dict[str, Any]] = [dict(dj_database_url.parse(url)) for url in ENV.DATABASE_REPLICA_URLS]
REPLICA_MAX_LAG = ENV.REPLICA_MAX_LAG
CACHE_URL = ENV.CACHE_URL
if CACHE_URL:
    backend = "django.core.cache.backends.redis.RedisCache"
    waits = {"socket_timeout": 1, "socket_connect_timeout": 1}  # seconds; then the database is asked
    CACHES: dict[str, Any] = {
        "default": {"BACKEND": backend, "LOCATION": CACHE_URL, "KEY_PREFIX": "memos", "OPTIONS": waits}
    }

# A job begins no question to the model after a minute. One may take three, or two answers of the longest time after a
# minute of attempts that failed at once, and as much as three more in waiting for calls that others make.
JOB_SECONDS = 240 + max(180, 60 + ENV.LLM_TIMEOUT) + ENV.LLM_TIMEOUT
Q_CLUSTER: dict[str, Any] = {
    "name": "memos",
    "label": "Jobs",
    "orm": "default",
    "poll": 0.5,  # seconds between two questions for work
    "workers": 2,  # `--workers` says otherwise
    "timeout": JOB_SECONDS,
    "retry": 3 * JOB_SECONDS,  # far above: nothing in hand comes twice
    "max_attempts": 3,
    "ack_failures": True,  # a failed job's rows are still pending, and the next nudge finds them
    "save_limit": -1,  # above 0 every success locks all successes; ours are kept by `supervision/exchange.py`
    "catch_up": False,
}

if ENV.Q_BROKER_URL:  # `orm` stays: schedules and results are rows all the same
    broker = "memos_site.platform.supervision.redis_broker.NudgeBroker"
    Q_CLUSTER |= {"broker_class": broker, "redis": ENV.Q_BROKER_URL}

LOGGING = logging_settings(ENV.LOG_FORMAT, masked_by="memories.scanning.credentials.masked_line")

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "memos_site.platform.template_loader.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "memories.people.PermissionBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
TRUSTED_PROXIES = ENV.TRUSTED_PROXIES
AXES_FAILURE_LIMIT, AXES_COOLOFF_TIME = 3, timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # together: nobody is locked out by a colleague's mistakes
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # the end that the page names stays the end
AXES_CLIENT_IP_CALLABLE = "memos_site.web.account.address_of"
AXES_LOCKOUT_CALLABLE = "memos_site.web.account.locked_out"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "inbox"
LOGOUT_REDIRECT_URL = "login"

TIME_ZONE = ENV.TIME_ZONE
LANGUAGE_CODE = ENV.LANGUAGE_CODE
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
FORMAT_MODULE_PATH = "memos_site.platform.formats"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # no collectstatic step: one command starts everything
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": DATA_DIR / "files"}},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "skills": package_storage(DATA_DIR),
}
FILE_UPLOAD_TEMP_DIR = private_directory(DATA_DIR / "staging").absolute()

DEFAULT_SENSITIVITY = ENV.DEFAULT_SENSITIVITY
MIN_PATTERN_OCCURRENCES = ENV.MIN_PATTERN_OCCURRENCES
LADDER = {"apply_agents": ENV.APPLY_AGENTS, "confirms": ENV.AUTO_CONFIRM, "applies": ENV.AUTO_APPLY}
UNREVIEWED_CLAIMS = ENV.UNREVIEWED_CLAIMS
DECAY: dict[str, Any] = {"demotes": ENV.DECAY_DEMOTES}
SEARCH_WEIGHTS: dict[str, Any] = {  # measured together (docs/measurements.md): to turn one alone has made search worse
    "words": 0.7,
    "meaning": 0.3,
    "neighbours": (0.8, 0.5, 0.3),
    "actor": 0.3,
    "pieces": 0.4,
    "shared": 0.5,
    "relevance": 0.8,
    "salience": 0.15,
    "confidence": 0.05,
}
SEARCH_POOL = 50  # passages by words, and by meaning, that are ranked: 100 found no more and took longer
ANN_FROM_PASSAGES = 300_000  # below it exact distances, or lists from a sixth of it, are fast enough (docs/scale.md)
SELECTION_CONFIDENCE_THRESHOLD, SKILL_HOLDBACK = 0.7, ENV.SKILL_HOLDBACK
GUIDANCE_PRECISION = ENV.GUIDANCE_PRECISION
TRANSCRIPT_RETENTION_DAYS = ENV.TRANSCRIPT_RETENTION_DAYS
COUNT_INFERRED_OUTCOMES = ENV.COUNT_INFERRED_OUTCOMES
RATE_LIMIT_PER_MINUTE = ENV.RATE_LIMIT_PER_MINUTE
OTEL_EXPORTER_OTLP_ENDPOINT = ENV.OTEL_EXPORTER_OTLP_ENDPOINT
IGNORED_TOOLS, HANDOVER_TOOLS = frozenset(ENV.IGNORED_TOOLS), tuple(ENV.HANDOVER_TOOLS)
COMMAND_TOOLS, SIGNATURE = frozenset(ENV.COMMAND_TOOLS), ENV.SIGNATURE
EMBEDDING_ENDPOINT, EMBEDDING_API_KEY = ENV.EMBEDDING_ENDPOINT, ENV.EMBEDDING_API_KEY
EMBEDDING_MODEL, EMBEDDING_DIMENSIONS = ENV.EMBEDDING_MODEL, ENV.EMBEDDING_DIMENSIONS
EXTERNAL_MAX_SENSITIVITY, WEBHOOK_ALLOW_PRIVATE = ENV.EXTERNAL_MAX_SENSITIVITY, ENV.WEBHOOK_ALLOW_PRIVATE
LLM_BASE_URL, LLM_API_KEY = ENV.LLM_BASE_URL, ENV.LLM_API_KEY
LLM_MODEL, SKILLS_LLM = ENV.LLM_MODEL, ENV.SKILLS_LLM
EXTRACT_MIN_MESSAGES, EXTRACT_MIN_CHARACTERS = 4, 400  # of a conversation; a shorter one has taught nothing
COMPLETE_SKILL_MEMORY = ENV.COMPLETE_SKILL_MEMORY
LLM_CONCURRENCY, LLM_DAILY_TOKENS, LLM_PRICES = ENV.LLM_CONCURRENCY, ENV.LLM_DAILY_TOKENS, ENV.LLM_PRICES
LLM_TIMEOUT, LLM_CONTEXT_TOKENS = ENV.LLM_TIMEOUT, ENV.LLM_CONTEXT_TOKENS

DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = 21 * 1024 * 1024  # files too: a failed one leaves none
DATA_UPLOAD_MAX_NUMBER_FILES = 1_000  # above the entries of a package, so that too many of them are counted and named
X_FRAME_OPTIONS = "DENY"
SECURE_REDIRECT_EXEMPT = [r"^health/"]  # asked from inside, without HTTPS
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENV.HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if ENV.HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = ENV.HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENV.HTTPS else None
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}

UNFOLD = {
    "SITE_TITLE": "Memos",
    "SITE_HEADER": "Memos",
    "SITE_SYMBOL": "shield_person",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda _request: static("img/favicon.svg")}],
    "STYLES": [lambda _request: static("css/admin.css")],
    "SHOW_BACK_BUTTON": True,
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memories.api.authentication.Token", "memories.api.authentication.Session"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["memories.api.json_bodies.StrictJSON"],
    "DEFAULT_RENDERER_CLASSES": ["memories.api.json_bodies.JSON"],
    "DEFAULT_SCHEMA_CLASS": "memories.api.openapi.OperationSchema",
    "EXCEPTION_HANDLER": "memories.api.problems.handler",
    "URL_FORMAT_OVERRIDE": None,  # `format` is a parameter like others
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Memos",
    "DESCRIPTION": "The memory and the skills of a team's AI agents, under human review.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [f"memos_site.api.openapi.{hook}" for hook in ("require_bodies", "describe_groups")],
}
