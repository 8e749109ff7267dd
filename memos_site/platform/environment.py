"""The settings that an operator may set, by subject: type, default and the sentence that docs/settings.md shows.

The name of a field is the name of its variable in the environment, which env.py reads.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memos_site.platform.setting_types import (
    Address,
    Backend,
    Directory,
    Endpoint,
    Hosts,
    MailURL,
    Networks,
    PostgresURL,
    PostgresURLs,
    Prices,
    RedisURL,
    Sensitivity,
    Share,
    Token,
    Words,
    Zone,
)

BASE_DIR = Path(__file__).resolve().parents[2]
# their values are never shown; addresses may contain a password
SECRETS = (
    *("SECRET_KEY", "DATABASE_URL", "DATABASE_REPLICA_URLS", "CACHE_URL", "Q_BROKER_URL"),
    *("EMAIL_URL", "EMBEDDING_ENDPOINT", "EMBEDDING_API_KEY"),
    *("OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET", "OSS_ENDPOINT"),
    *("LLM_BASE_URL", "LLM_API_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT"),
)
FIRST = (  # what people turn first
    *("SECRET_KEY", "ALLOWED_HOSTS", "HTTPS", "DATABASE_URL", "MEMOS_DATA_DIR", "TIME_ZONE", "LLM_BASE_URL"),
    *("LLM_MODEL", "EMBEDDING_ENDPOINT", "SKILLS_REPO_BACKEND", "AUTO_APPLY", "SKILL_HOLDBACK"),
)
REMOVED = {  # settings of former versions: what holds instead
    "EMAIL_FROM": "the sender is a part of EMAIL_URL, `?from=Memos <memos@example.com>`",
    "LLM_MAX_TOKENS": "an answer may take half of LLM_CONTEXT_TOKENS",
    "LLM_PRICE_INPUT": "both prices stand in LLM_PRICES",
    "LLM_PRICE_OUTPUT": "both prices stand in LLM_PRICES",
    "MASK_SECRETS_AT_INTAKE": "credentials that agents send are always removed",
    "SECRET_KEY_FALLBACKS": "former values stand in SECRET_KEY, after the present one",
    "TRANSCRIPTS_PER_SKILL": "as many as learning reads keep their transcripts",
    "GUIDANCE_THRESHOLD": "guidance chooses its thresholds on the runs of the store",
    "SELECTION_CONFIDENCE_THRESHOLD": "it is 0.7 where a search names no selection_confidence_threshold",
    **dict.fromkeys(
        (
            *("ANN_FROM_PASSAGES", "APPLY_AFTER", "APPLY_AT", "CONFIRMATION_GAIN", "CONFIRM_AT", "DECAY_FLOOR"),
            *(
                "DECAY_IDLE_DAYS",
                "DECAY_POINTS",
                "DECAY_STEP_DAYS",
                "DEMOTE_BELOW",
                "DIRECT_CONFIDENCE",
                "EXPIRE_BELOW",
            ),
            *("EXTRACT_MIN_CHARACTERS", "EXTRACT_MIN_MESSAGES", "RUN_RETENTION_DAYS", "SEARCH_UNSCOPED"),
            "STORE_CONFIDENCE",
        ),
        "its number is fixed",
    ),
}


class Section(BaseModel):
    """Settings of one subject, which the docstring of the class names."""

    model_config = ConfigDict(frozen=True, validate_default=False)


class Site(Section):
    """The site: addresses, keys, language, logs"""

    SECRET_KEY: Words = Field(
        [],
        description="signs sessions; made and kept in the data directory when unset. Former values may follow it, "
        "comma-separated: what they signed or sealed is still known",
    )
    ALLOWED_HOSTS: Hosts = Field(
        ["localhost", "127.0.0.1", "[::1]"], description="host names that are answered, comma-separated"
    )
    SITE_URL: Address = Field(
        "http://localhost:8000",
        description="address under which people reach the site; links in mails and chats begin with it",
    )
    EMAIL_URL: MailURL = Field(
        "",
        description="smtp://user:password@host:port?from=address, which sends [mails](deploy.md#mail) (`smtps`: TLS; "
        "`smtp` on port 587: STARTTLS); they are written to the log when unset",
    )
    HTTPS: bool = Field(False, description="the site is reached over HTTPS only: secure cookies, HSTS, redirects")
    TRUSTED_PROXIES: Networks = Field(
        [],
        description="proxies (addresses or networks) whose `X-Forwarded-For` is trusted for the address of a client",
    )
    MEMOS_DATA_DIR: Directory = Field(BASE_DIR / "var", description="directory of everything that the program writes")
    TIME_ZONE: Zone = Field("UTC", description="the workspace's time zone")
    LANGUAGE_CODE: Literal["en", "zh-hans"] = Field(
        "en", description="language of pages, en or zh-hans, where neither the person nor the browser asks for another"
    )
    LOG_FORMAT: Literal["line", "json"] = Field(
        "line", description="`line` for people, `json` for machines (one object a line, with the request id)"
    )
    OTEL_EXPORTER_OTLP_ENDPOINT: Address = Field(
        "",
        description="collector of traces over HTTP, such as `http://otel:4318`; nothing is traced when unset",
    )
    RATE_LIMIT_PER_MINUTE: int = Field(
        0, ge=0, lt=2**31, description="API calls of one token in a minute, over all web processes; 0 = no limit"
    )
    WEBHOOK_ALLOW_PRIVATE: bool = Field(
        False, description="[webhooks](agents/webhooks.md) may be sent to addresses that are not public"
    )
    DEBUG: bool = Field(False, description="Django's debug pages; never on a machine that others reach")


class Databases(Section):
    """Databases, cache and queue"""

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
    CACHE_URL: RedisURL = Field(
        "", description="redis://host:port/number that counts calls for the rate limit; the database when unset"
    )
    Q_BROKER_URL: RedisURL = Field(
        "", description="redis://host:port/number of the queue of jobs; the database when unset"
    )


class Claims(Section):
    """What is believed, and what fades"""

    DEFAULT_SENSITIVITY: Sensitivity = Field("low", description="sensitivity of what agents report without one")
    AUTO_CONFIRM: bool = Field(True, description="candidates become confirmed by their confidence, without a person")
    AUTO_APPLY: bool = Field(True, description="confirmed claims become applied by their confidence, without a person")
    APPLY_AGENTS: int = Field(
        1, ge=1, description="distinct agents, or sessions, that must report a claim before it is applied"
    )
    UNREVIEWED_CLAIMS: Literal["mark", "hide", "plain"] = Field(
        "mark",
        description="how a claim that one agent alone made and nobody decided is shown to other agents: `mark`: marked "
        "as unreviewed; `hide`: not at all; `plain`: like any other",
    )
    DECAY_DEMOTES: bool = Field(
        True, description="a claim whose confidence decays below 60 becomes a candidate again and waits for a person"
    )


class Learning(Section):
    """Learning from runs, and guidance"""

    MIN_PATTERN_OCCURRENCES: int = Field(2, ge=1, description="successful episodes before a skill is proposed")
    SIGNATURE: Literal["effects", "all"] = Field(
        "effects", description="what makes runs one skill: the tools with an effect (`effects`), or `all` tools used"
    )
    COMMAND_TOOLS: Words = Field(
        ["bash", "shell", "exec", "run_command", "terminal", "execute"],
        description="tools whose command line says what they do, comma-separated",
    )
    HANDOVER_TOOLS: Words = Field(
        ["transfer_*"], description="patterns of tools that hand a request over, which is no effect, comma-separated"
    )
    IGNORED_TOOLS: Words = Field([], description="tools that do not shape a skill's signature, comma-separated")
    GUIDANCE_PRECISION: Share = Field(
        0.85, description="share of guidance's answers that must be right, by the store's own runs; else `unsure`"
    )
    COUNT_INFERRED_OUTCOMES: bool = Field(
        True,
        description="outcomes that are read from what a user said next, or judged by a language model that people "
        "agreed with, count in learning; either way they are shown as inferred",
    )
    SKILL_HOLDBACK: Literal["auto"] | Annotated[float, Field(ge=0, le=0.5, allow_inf_nan=False)] = Field(
        0,
        description="share of runs from which a learned skill is withheld, to measure its worth; `auto`: half of them, "
        "until it is known whether it helps",
    )
    TRANSCRIPT_RETENTION_DAYS: int = Field(
        0,
        ge=0,
        le=36_500,
        description="days after which a finished run [loses its transcript](scale.md#retention), once all is learned "
        "from it; evidence, outcome and counts stay; 0 = never",
    )


class Models(Section):
    """Language model and embedding endpoint"""

    LLM_BASE_URL: Address = Field(
        "", description="address whose `/chat/completions` speaks OpenAI's protocol; no language model when unset"
    )
    LLM_API_KEY: Token = Field("", description="API key of LLM_BASE_URL; never logged")
    LLM_MODEL: str = Field("", max_length=255, description="model at LLM_BASE_URL; required with it")
    SKILLS_LLM: str = Field(
        "", max_length=255, description="another model at LLM_BASE_URL, for skills; `LLM_MODEL` when unset"
    )
    LLM_CONCURRENCY: int = Field(
        5, ge=1, le=100, description="calls of the model at once, over all processes and hosts"
    )
    LLM_TIMEOUT: int = Field(
        120,
        ge=1,
        le=1_800,
        description="seconds that one call of the model may take; at most half of them may pass between two tokens",
    )
    LLM_CONTEXT_TOKENS: int = Field(
        16_384,
        ge=4_096,
        le=10_000_000,
        description="tokens of a question and its answer together; the answer with its reasoning takes at most half. "
        "Long texts are read in parts",
    )
    LLM_PRICES: Prices | None = Field(
        None,
        description="price of a million tokens that the model reads, and of a million that it writes, in any currency, "
        "such as `0.3, 1.2`; not known when unset",
    )
    LLM_DAILY_TOKENS: int = Field(
        0,
        ge=0,
        description="tokens that the model may use in a day of the workspace; then runs pause until the next day; "
        "0 = no limit",
    )
    COMPLETE_SKILL_MEMORY: bool = Field(
        True, description="skills from conversations in full mode, with programs, tools and documents; else simple"
    )
    EMBEDDING_ENDPOINT: Address = Field(
        "", description="address whose `/embeddings` speaks OpenAI's protocol; the built-in model when unset"
    )
    EMBEDDING_API_KEY: Token = Field("", description="API key of EMBEDDING_ENDPOINT; never logged")
    EMBEDDING_MODEL: str = Field(
        "",
        description="model at EMBEDDING_ENDPOINT; after a change the former one serves until the new one has embedded "
        "all texts",
    )
    EMBEDDING_DIMENSIONS: int = Field(
        0,
        ge=0,
        le=16_000,
        description="dimensions that the endpoint is asked for and must deliver; 0 = those of the model",
    )
    EXTERNAL_MAX_SENSITIVITY: Sensitivity = Field(
        "medium", description="highest sensitivity of texts that are sent to an endpoint"
    )


class Packages(Section):
    """Packages of skills"""

    SKILLS_REPO_BACKEND: Backend = Field("LOCAL", description="where packages of skills lie: `LOCAL`, `S3` or `OSS`")
    SKILLS_LOCAL_DIR: Directory | None = Field(
        None, description="for `LOCAL`: the directory of packages; `skills` in the data directory when unset"
    )
    SKILLS_S3_BUCKET: str = Field("", description="for `S3`: the bucket")
    SKILLS_S3_PREFIX: str = Field("", description="for `S3`: the folder in the bucket")
    SKILLS_OSS_DIR: str = Field("", description="for `OSS`: the folder in the bucket")
    OSS_REGION: Token = Field("", description="for `OSS`: the region, such as `cn-hangzhou`, which signatures contain")
    OSS_ENDPOINT: Endpoint = Field(
        "", description="for `OSS`: the address; `https://oss-REGION.aliyuncs.com` when unset"
    )
    OSS_BUCKET_NAME: Token = Field("", description="for `OSS`: the bucket")
    OSS_ACCESS_KEY_ID: Token = Field("", description="for `OSS`: the id of the access key")
    OSS_ACCESS_KEY_SECRET: Token = Field("", description="for `OSS`: the secret of the access key; never logged")


class Environment(Packages, Models, Learning, Claims, Databases, Site):
    """All settings."""

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return ((name, "***" if name in SECRETS and value else value) for name, value in super().__repr_args__())
