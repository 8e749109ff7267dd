"""The settings that come from the environment: typed, with their defaults and a sentence about each.

A secret may also come as `NAME_FILE`, the path of a file that holds it. A wrong value never raises here: it is recorded
in `PROBLEMS`, the default is used instead, and a system check (memos_site.checks) prevents every start.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memos_site.platform.setting_types import (
    Address,
    Backend,
    Endpoint,
    Networks,
    Percent,
    PostgresURL,
    PostgresURLs,
    RedisURL,
    Sensitivity,
    Shares,
    Token,
    Weight,
    Words,
    Zone,
    upper,
)

BASE_DIR = Path(__file__).resolve().parents[2]
# their values are never shown; addresses may contain a password
SECRETS = (
    *("SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATABASE_URL", "DATABASE_REPLICA_URLS", "CACHE_URL", "Q_BROKER_URL"),
    *("EMBEDDING_ENDPOINT", "EMBEDDING_API_KEY"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3"),
    *("OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET", "OSS_ENDPOINT"),
    *("LLM_BASE_URL", "LLM_API_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT"),
)
REQUIRED = {  # settings of a backend of packages
    "S3": ("SKILLS_S3_BUCKET",),
    "OSS": ("OSS_REGION", "OSS_BUCKET_NAME", "OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET"),
}


class Environment(BaseModel):
    """The settings that an operator may set. The field's name is the variable's name."""

    model_config = ConfigDict(frozen=True, validate_default=False)

    SECRET_KEY: str = Field("", description="signs sessions; made and kept in the data directory when unset")
    SECRET_KEY_FALLBACKS: Words = Field(
        [], description="former values of SECRET_KEY, comma-separated: what they signed or sealed is still known"
    )
    DEBUG: bool = Field(False, description="Django's debug pages; never on a machine that others reach")
    ALLOWED_HOSTS: Words = Field(
        ["localhost", "127.0.0.1", "[::1]"], description="host names that are answered, comma-separated"
    )
    HTTPS: bool = Field(False, description="the site is reached over HTTPS only: secure cookies, HSTS, redirects")
    TRUSTED_PROXIES: Networks = Field(
        [], description="addresses or networks whose X-Forwarded-For is believed, comma-separated"
    )
    DATABASE_URL: PostgresURL = Field(
        "", description="postgres://user:password@host:port/name; embedded PostgreSQL when unset"
    )
    DATABASE_POOLER: Literal["", "transaction"] = Field(
        "", description="`transaction`: DATABASE_URL is a pooler such as PgBouncer that pools transactions"
    )
    DATABASE_REPLICA_URLS: PostgresURLs = Field(
        [], description="streaming replicas of DATABASE_URL, comma-separated: agents' reads go to them"
    )
    REPLICA_MAX_LAG: float = Field(5.0, gt=0, le=300, description="seconds behind which a replica is not read")
    MEMOS_DATA_DIR: Path = Field(BASE_DIR / "var", description="everything the program writes lies here")
    LOG_FORMAT: Literal["line", "json"] = Field("line", description="of the log: lines for people or JSON objects")
    OTEL_EXPORTER_OTLP_ENDPOINT: Address = Field(
        "", description="collector of OpenTelemetry that takes traces over HTTP; nothing is traced when unset"
    )
    TIME_ZONE: Zone = Field("UTC", description="the workspace's time zone")
    LANGUAGE_CODE: Literal["en", "zh-hans"] = Field(
        "en", description="en or zh-hans: of pages, where neither the person nor the browser asks for another"
    )
    DEFAULT_SENSITIVITY: Sensitivity = Field("low", description="of what comes in without one")
    MIN_PATTERN_OCCURRENCES: int = Field(2, ge=1, description="successful episodes before a skill is proposed")
    STORE_CONFIDENCE: Percent = Field(20, description="of a claim that an agent stores")
    DIRECT_CONFIDENCE: Percent = Field(50, description="of a claim whose source is `User`, or that was said directly")
    CONFIRMATION_GAIN: Percent = Field(15, description="what each confirmation adds to confidence")
    CONFIRM_AT: Percent = Field(60, description="confidence at which a candidate is confirmed")
    APPLY_AT: Percent = Field(80, description="confidence at which a confirmed claim is applied")
    APPLY_AFTER: int = Field(3, ge=0, description="confirmations before a claim is applied")
    APPLY_AGENTS: int = Field(
        1, ge=1, description="distinct agents, or sessions, that say a claim before it is applied"
    )
    AUTO_CONFIRM: bool = Field(True, description="candidates become confirmed by their confidence, without a person")
    AUTO_APPLY: bool = Field(True, description="confirmed claims become applied by their confidence, without a person")
    DECAY_IDLE_DAYS: int = Field(
        30, ge=1, le=10_000, description="days that a claim may lie idle before it loses confidence"
    )
    DECAY_STEP_DAYS: int = Field(7, ge=1, le=10_000, description="days from one loss of confidence to the next")
    DECAY_POINTS: Percent = Field(5, description="of confidence that an idle claim loses each time")
    DECAY_FLOOR: Percent = Field(0, description="confidence that idleness takes no claim below")
    DECAY_DEMOTES: bool = Field(True, description="a claim that fades below `DEMOTE_BELOW` waits for a person again")
    DEMOTE_BELOW: Percent = Field(60, description="confidence below which a fading claim is a candidate again")
    EXPIRE_BELOW: Percent = Field(10, description="confidence below which a fading claim is removed")
    RATE_LIMIT_PER_MINUTE: int = Field(
        0, ge=0, description="API calls of one token, over all web processes; 0 = no limit"
    )
    CACHE_URL: RedisURL = Field(
        "", description="redis://host:port/number that counts calls for the rate limit; the database when unset"
    )
    Q_BROKER_URL: RedisURL = Field(
        "", description="redis://host:port/number of the queue of jobs; the database when unset"
    )
    EMBEDDING_ENDPOINT: Address = Field(
        "", description="address whose /embeddings speaks OpenAI's protocol; the built-in model when unset"
    )
    EMBEDDING_MODEL: str = Field(
        "", description="of the endpoint; another one is taken in use by itself, without a stop"
    )
    EMBEDDING_DIMENSIONS: int = Field(
        0, ge=0, le=16_000, description="asked of the endpoint and held to; 0 = those of the model"
    )
    EMBEDDING_API_KEY: Token = Field("", description="of the endpoint")
    EXTERNAL_MAX_SENSITIVITY: Sensitivity = Field("medium", description="what is above it is sent to no endpoint")
    WEBHOOK_ALLOW_PRIVATE: bool = Field(False, description="webhooks may be sent to addresses that are not public")
    LLM_BASE_URL: Address = Field(
        "", description="address whose /chat/completions speaks OpenAI's protocol; no language model when unset"
    )
    LLM_API_KEY: Token = Field("", description="of that address")
    LLM_MODEL: str = Field("", max_length=255, description="of that address; required with it")
    SKILLS_LLM: str = Field("", max_length=255, description="another model of that address, for skills")
    LLM_CONCURRENCY: int = Field(5, ge=1, le=100, description="calls of the model at once, per process")
    LLM_TIMEOUT: int = Field(60, ge=1, le=150, description="seconds that one call of the model may take in all")
    LLM_DAILY_TOKENS: int = Field(
        0, ge=0, description="tokens that the model may use in a day of the workspace; then runs pause; 0 = no limit"
    )
    EXTRACT_MIN_MESSAGES: int = Field(
        4, ge=0, description="messages and tool calls below which a conversation is too small for the model to read"
    )
    EXTRACT_MIN_CHARACTERS: int = Field(400, ge=0, description="the same for the characters of its texts")
    COMPLETE_SKILL_MEMORY: bool = Field(
        True, description="skills from conversations in full mode, with programs, tools and documents; else simple"
    )
    SEARCH_WORDS: Weight = Field(0.7, description="weight of the words that a passage shares with the question")
    SEARCH_MEANING: Weight = Field(0.3, description="weight of how near a passage is to the question in meaning")
    SEARCH_NEIGHBOURS: Shares = Field(
        [0.8, 0.5, 0.3], description="what a word counts that was said one, two, ... passages away, comma-separated"
    )
    SEARCH_ACTOR: Weight = Field(0.3, description="added where the question names the speaker or source")
    SEARCH_PIECES: Weight = Field(
        0.4, description="weight of how near each word piece of the question is to one of a passage; 0 = not compared"
    )
    SEARCH_UNSCOPED: Weight = Field(
        0.5,
        description="least share of its score that a passage of no scope or of `global` keeps where others were asked",
    )
    SEARCH_RELEVANCE: Weight = Field(0.8, description="weight of the best passage in a memory's score")
    SEARCH_SALIENCE: Weight = Field(0.15, description="weight of salience in a memory's score")
    SEARCH_CONFIDENCE: Weight = Field(0.05, description="weight of confidence in a memory's score")
    SEARCH_POOL: int = Field(50, ge=10, le=500, description="passages by words, and by meaning, that are ranked")
    SELECTION_CONFIDENCE_THRESHOLD: Weight = Field(
        0.7, le=1, description="below it the selection among competences and plans says needs_more"
    )
    GUIDANCE_THRESHOLD: Weight = Field(0.55, le=1, description="confidence below which guidance answers `unsure`")
    SKILL_HOLDBACK: Weight = Field(
        0,
        le=0.5,
        description="share of runs from which a learned skill is withheld, to measure its worth",
    )
    RUN_RETENTION_DAYS: int = Field(
        90, ge=0, le=36_500, description="days that finished runs of background work are shown; 0 = for good"
    )
    ANN_FROM_PASSAGES: int = Field(
        300_000,
        ge=0,
        description="above it a graph, from a sixth of it lists, find what is near in meaning where all is searched",
    )
    IGNORED_TOOLS: Words = Field([], description="tools that do not shape a skill's signature, comma-separated")
    HANDOVER_TOOLS: Words = Field(
        ["transfer_*"], description="patterns of tools that hand a request over, which is no effect, comma-separated"
    )
    COMMAND_TOOLS: Words = Field(
        ["bash", "shell", "exec", "run_command", "terminal", "execute"],
        description="tools whose command line says what they do, comma-separated",
    )
    SKILLS_REPO_BACKEND: Backend = Field("LOCAL", description="where packages of skills lie: LOCAL, S3 or OSS")
    SKILLS_LOCAL_DIR: Path | None = Field(
        None, description="of LOCAL: the directory of packages; `skills` in the data directory when unset"
    )
    SKILLS_LOCAL_TMP_DIR: Path | None = Field(
        None, description="where large uploads wait while they arrive; `staging` in the data directory when unset"
    )
    SKILLS_S3_BUCKET: str = Field("", description="of S3: the bucket")
    SKILLS_S3_PREFIX: str = Field("", description="of S3: the folder in the bucket")
    AWS_ACCESS_KEY_ID: Token = Field("", description="of S3; without it what AWS gives the machine (a role, a profile)")
    AWS_SECRET_ACCESS_KEY: Token = Field("", description="of S3")
    AWS_SESSION_TOKEN: Token = Field("", description="of S3, with temporary keys")
    AWS_DEFAULT_REGION: Token = Field("", description="of S3")
    AWS_ENDPOINT_URL_S3: Endpoint = Field("", description="of S3: address of another store that speaks its protocol")
    SKILLS_OSS_DIR: str = Field("", description="of OSS: the folder in the bucket")
    OSS_REGION: Token = Field("", description="of OSS, such as cn-hangzhou; signatures contain it")
    OSS_ENDPOINT: Endpoint = Field("", description="of OSS; https://oss-REGION.aliyuncs.com when unset")
    OSS_BUCKET_NAME: Token = Field("", description="of OSS: the bucket")
    OSS_ACCESS_KEY_ID: Token = Field("", description="of OSS")
    OSS_ACCESS_KEY_SECRET: Token = Field("", description="of OSS")
    SIGNATURE: Literal["effects", "all"] = Field(
        "effects", description="what makes runs one skill: the tools with an effect (`effects`), or `all` tools used"
    )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return ((name, "***" if name in SECRETS and value else value) for name, value in super().__repr_args__())


def _raw(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    values = {name: environ[name] for name in Environment.model_fields if environ.get(name, "") != ""}
    problems = []
    for name in SECRETS:
        path = environ.get(f"{name}_FILE")
        if path and name not in values:
            try:
                values[name] = Path(path).read_text(encoding="utf-8").strip()
            except OSError as error:
                problems.append(f"{name}_FILE: cannot be read: {error.strerror}")
    return values, problems


def read(environ: Mapping[str, str]) -> tuple[Environment, list[str]]:
    """The values of the environment, and a sentence for each wrong one, which is replaced by its default."""
    values, problems = _raw(environ)
    if "EMBEDDING_ENDPOINT" in values and "EMBEDDING_MODEL" not in values:
        problems.append("EMBEDDING_MODEL: is required with EMBEDDING_ENDPOINT")
    backend = upper(values.get("SKILLS_REPO_BACKEND", ""))
    missing = (name for name in REQUIRED.get(backend, ()) if name not in values)
    problems += [f"{name}: is required with SKILLS_REPO_BACKEND={backend}" for name in missing]
    for name in ("DATABASE_POOLER", "DATABASE_REPLICA_URLS"):
        if name in values and "DATABASE_URL" not in values:
            problems.append(f"DATABASE_URL: is required with {name}")
    if "LLM_BASE_URL" in values and "LLM_MODEL" not in values:
        problems.append("LLM_MODEL: is required with LLM_BASE_URL")
    try:
        return Environment.model_validate(values), problems
    except ValidationError as error:
        for detail in error.errors():
            name = str(detail["loc"][0])
            problems.append(f"{name}: {detail['msg']}" + ("" if name in SECRETS else f" (got {values[name]!r})"))
            values.pop(name, None)
        return Environment.model_validate(values), problems


def private_directory(data_dir: Path) -> Path:
    """Create the data directory with mode 0700, or set that mode where an older version created it with another.

    A directory that also holds foreign files (/tmp, say) stays as it is. Never raises.
    """
    with contextlib.suppress(OSError):  # reported by `secret_key`, or by the first write
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = data_dir.stat()
        marks = (data_dir / "secret_key", data_dir / "postgres" / "PG_VERSION")
        ours = any(mark.exists() for mark in marks) or not any(data_dir.iterdir())
        if ours and status.st_uid == os.geteuid() and status.st_mode & 0o077 and not status.st_mode & stat.S_ISVTX:
            data_dir.chmod(0o700)
    return data_dir


def secret_key(data_dir: Path) -> str:
    """The key in `data_dir/secret_key` (0600), created on first use; concurrent processes get the same one.

    Where nothing can be written it is a temporary key, and PROBLEMS says why, which prevents every start.
    """
    try:
        return _stored_key(data_dir)
    except OSError as error:
        PROBLEMS.append(f"MEMOS_DATA_DIR: {data_dir} cannot be written to: {error.strerror}")
        return secrets.token_urlsafe(50)


def _stored_key(data_dir: Path) -> str:
    path = data_dir / "secret_key"
    if not path.exists():
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(
            "w", encoding="ascii", dir=data_dir, prefix=".secret_key-"
        ) as draft:  # created with mode 0600
            draft.write(secrets.token_urlsafe(50))
            draft.flush()
            with contextlib.suppress(FileExistsError):  # a link is atomic: nobody reads half a key
                path.hardlink_to(draft.name)
    return path.read_text(encoding="ascii")


ENV, PROBLEMS = read(os.environ)
