"""A wrong value in the environment is a sentence that names it; its default stands in until the checks refuse."""

from pathlib import Path

import pytest

from memos_site import checks
from memos_site.platform import env
from memos_site.platform.environment import REMOVED, SECRETS, Environment


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALLOWED_HOSTS", "localhost,https://memos.example.com"),
        ("ALLOWED_HOSTS", "memos.example.com:8000"),
        ("RATE_LIMIT_PER_MINUTE", "3000000000"),
        ("TIME_ZONE", "Mars"),
        ("TIME_ZONE", "../etc/passwd"),
        ("LANGUAGE_CODE", "tlh"),
        ("DEBUG", "perhaps"),
        ("MIN_PATTERN_OCCURRENCES", "zero"),
        ("MIN_PATTERN_OCCURRENCES", "0"),
        ("DEFAULT_SENSITIVITY", "private"),
        ("DATABASE_URL", "nonsense"),
        ("CACHE_URL", "redis://host:6379/one"),
        ("LOG_FORMAT", "xml"),
        ("EMAIL_URL", "mail.example.com"),
        ("EMAIL_URL", "smtp://"),
        ("EMAIL_URL", "smtp://host:x"),
        ("EMAIL_URL", "smtp://host:25/?tls=1"),
        ("EMAIL_URL", "smtp://host?from=Memos"),
        ("EMAIL_URL", "smtp://host?from=a@b.c%0ABcc:%20d@e.f"),
        ("LLM_PRICES", "2.0"),
        ("LLM_PRICES", "2.0, -1"),
        ("EMBEDDING_DIMENSIONS", "-1"),
        ("EMBEDDING_API_KEY", "two words"),
        ("EXTERNAL_MAX_SENSITIVITY", "secret"),
        ("GUIDANCE_PRECISION", "85"),
        ("SKILL_HOLDBACK", "maybe"),
        ("SKILL_HOLDBACK", "1.5"),
        ("SKILLS_REPO_BACKEND", "ftp"),
        ("OSS_ENDPOINT", "https://oss-cn-hangzhou.aliyuncs.com/bucket"),
        ("OSS_ACCESS_KEY_SECRET", "two words"),
        ("LLM_TIMEOUT", "1801"),
        ("LLM_DAILY_TOKENS", "-1"),
        ("MEMOS_DATA_DIR", "~nobody-of-this-name/memos"),
    ],
)
def test_a_wrong_value_is_named_and_its_default_stands_in(name: str, value: str) -> None:
    read, problems = env.read({name: value})
    assert [problem.split(":")[0] for problem in problems] == [name]
    assert getattr(read, name) == Environment.model_fields[name].default


def test_a_value_of_no_allowed_type_is_one_sentence_that_names_them_all() -> None:
    (problem,) = env.read({"SKILL_HOLDBACK": "0.9"})[1]
    assert problem == (
        "SKILL_HOLDBACK: Input should be 'auto', or: Input should be less than or equal to 0.5 (got '0.9')"
    )
    (zone,) = env.read({"TIME_ZONE": "Mars/X"})[1]
    assert zone == "TIME_ZONE: must be a time zone such as UTC or Europe/Berlin (got 'Mars/X')"


def test_a_password_in_a_wrong_value_is_not_repeated() -> None:
    assert "hunter2" not in "".join(env.read({"DATABASE_URL": "mysql://me:hunter2@host/db"})[1])
    assert "hunter2" not in "".join(env.read({"EMAIL_URL": "http://me:hunter2@host"})[1])


@pytest.mark.parametrize(
    "address", ["localhost:80/v1", "ftp://host/v1", "https:///v1/x", "http://me:hunter2@host:x/v1"]
)
def test_an_address_that_is_none_is_not_repeated(address: str) -> None:
    problems = env.read({"EMBEDDING_ENDPOINT": address, "EMBEDDING_MODEL": "m"})[1]
    assert len(problems) == 1 and problems[0].startswith("EMBEDDING_ENDPOINT: ") and address not in problems[0]


def test_an_endpoint_needs_a_model() -> None:
    assert env.read({"EMBEDDING_ENDPOINT": "http://host/v1"})[1] == [
        "EMBEDDING_MODEL: is required with EMBEDDING_ENDPOINT"
    ]


def test_the_backend_of_packages_is_known_in_any_case_and_says_what_it_needs() -> None:
    assert env.read({"SKILLS_REPO_BACKEND": "local"}) == (Environment(), [])
    assert env.read({"SKILLS_REPO_BACKEND": "S3"})[1] == ["SKILLS_S3_BUCKET: is required with SKILLS_REPO_BACKEND=S3"]
    given = {"SKILLS_REPO_BACKEND": "Oss", "OSS_REGION": "cn-hangzhou", "OSS_ACCESS_KEY_ID": "id"}
    needed = ("OSS_BUCKET_NAME", "OSS_ACCESS_KEY_SECRET")
    assert env.read(given)[1] == [f"{name}: is required with SKILLS_REPO_BACKEND=OSS" for name in needed]


def test_no_secret_is_in_the_representation_of_the_settings() -> None:
    read = env.read({name: "hunter2" for name in SECRETS if "URL" not in name and "ENDPOINT" not in name})[0]
    assert read.OSS_ACCESS_KEY_SECRET == "hunter2"
    assert "hunter2" not in f"{read!r} {read}"


def test_a_language_model_needs_a_name_and_its_address_is_not_repeated() -> None:
    assert env.read({"LLM_BASE_URL": "http://host/v1"})[1] == ["LLM_MODEL: is required with LLM_BASE_URL"]
    problems = env.read({"LLM_BASE_URL": "http://me:hunter2@host:x/v1", "LLM_MODEL": "m", "LLM_API_KEY": "hun ter2"})[1]
    assert len(problems) == 2 and "hun" not in "".join(problems)


def test_a_secret_may_come_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from a file\n")
    assert env.read({"SECRET_KEY_FILE": str(tmp_path / "key")})[0].SECRET_KEY == ["from a file"]
    assert env.read({"SECRET_KEY_FILE": str(tmp_path / "none")})[1] == [
        "SECRET_KEY_FILE: cannot be read: No such file or directory"
    ]


@pytest.mark.parametrize(("written", "reason"), [(b"\n", "is empty"), (b"\xff\xfe", "is no text")])
def test_a_secrets_file_that_holds_none_is_named(tmp_path: Path, written: bytes, reason: str) -> None:
    file = tmp_path / "key"
    file.write_bytes(written)
    for name in ("SECRET_KEY", "LLM_API_KEY"):
        assert env.read({f"{name}_FILE": str(file)})[1] == [f"{name}_FILE: {file} {reason}"]


def test_a_directory_may_begin_with_the_home_directory_where_no_shell_reads_the_value() -> None:
    read = env.read({"MEMOS_DATA_DIR": "~/memos", "SKILLS_LOCAL_DIR": "~/packages"})[0]
    places = [read.MEMOS_DATA_DIR, read.SKILLS_LOCAL_DIR]
    assert places == [Path.home() / "memos", Path.home() / "packages"]


def test_a_data_directory_that_cannot_be_written_to_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems: list[str] = []
    monkeypatch.setattr(env, "PROBLEMS", problems)  # the module's list is what the checks read: keep this run's clean
    file = tmp_path / "file"
    file.write_text("")
    assert len(env.secret_key(file)) > 40
    assert [problem.startswith(f"MEMOS_DATA_DIR: {file} cannot be written to: ") for problem in problems] == [True]


def test_the_key_is_made_once_and_is_nobody_elses(tmp_path: Path) -> None:
    assert env.secret_key(tmp_path) == env.secret_key(tmp_path)
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


def test_a_key_that_a_loss_of_power_emptied_is_a_problem_and_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems: list[str] = []
    monkeypatch.setattr(env, "PROBLEMS", problems)
    (tmp_path / "secret_key").touch()
    assert len(env.secret_key(tmp_path)) > 40
    assert [problem.startswith(f"MEMOS_DATA_DIR: {tmp_path}/secret_key is empty: ") for problem in problems] == [True]


def test_a_setting_of_a_former_version_is_told_of_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert REMOVED.keys().isdisjoint(Environment.model_fields)
    monkeypatch.setenv("EMAIL_FROM", "memos@example.com")
    monkeypatch.setenv("SECRET_KEY_FALLBACKS_FILE", "/run/secrets/former")
    monkeypatch.setenv("CONFIRM_AT", "60")
    told = [(warning.id, warning.msg.partition(" ")[0]) for warning in checks.settings_are_still_read()]
    assert told == [("memos_site.W002", name) for name in ("EMAIL_FROM", "SECRET_KEY_FALLBACKS", "CONFIRM_AT")]


def test_what_follows_the_secret_key_are_its_former_values() -> None:
    assert env.read({"SECRET_KEY": "new, old,older"})[0].SECRET_KEY == ["new", "old", "older"]
