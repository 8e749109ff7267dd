"""What operators copy: the figures that dashboard and alerts name exist, and the containers name what is there."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from memories import leases
from memos_site.api import prometheus
from memos_site.platform import measures
from memos_site.platform.environment import Environment

ROOT = Path(__file__).resolve().parents[2]
FIGURE = re.compile(r"\bmemos_[a-z_]+")
VARIABLE = re.compile(r"`([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b")
OF_BOTO3 = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3",
)  # fmt: skip
OF_OTHERS = (
    "POSTGRES_PASSWORD", *OF_BOTO3, "AWS_SECRET_ACCESS_KEY_FILE",
    "OTEL_SERVICE_NAME", "OTEL_TRACES_SAMPLER", "OTEL_EXPORTER_OTLP_HEADERS",
)  # fmt: skip
BEGINS_AS_ROOT = {"postgres": {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}}
LIMIT = re.compile(r"(\$\{[A-Z_]+:-)?\d+[mg]\}?")
IDLE = "idle_in_transaction_session_timeout"
PATHS, NAMES = re.compile(r'BASE_DIR((?: / "[^"]+")+)'), re.compile(r'"([^"]+)"')
OF_A_HISTOGRAM = re.compile(r"_(count|bucket|sum)$")


def known() -> set[str]:
    counted = {metric.name for metric in measures.registry.collect()}
    state = set(FIGURE.findall(Path(prometheus.__file__).read_text()))
    return counted | {f"{name}_total" for name in counted} | state


def read_at_run_time(rooms: set[str]) -> set[str]:
    """Paths below the root that the code of the rooms names."""
    files = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    named = [match for path in files for match in PATHS.findall(path.read_text())]
    return {"/".join(NAMES.findall(match)) for match in named} - {"var"}


def test_dashboard_and_alerts_name_figures_that_exist() -> None:
    dashboard = json.loads((ROOT / "docs/grafana.json").read_text())
    rules = yaml.safe_load((ROOT / "docs/alerts.yml").read_text())["groups"][0]["rules"]
    texts = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    texts += [rule["expr"] for rule in rules]
    named = {OF_A_HISTOGRAM.sub("", name) for text in texts for name in FIGURE.findall(text)}
    assert len(named) > 10
    assert named <= known()


def test_compose_sets_settings_that_exist() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    of_us = [service for service in services.values() if service.get("build") == "."]
    names = {name for service in of_us for name in service["environment"] if name not in OF_BOTO3}
    assert len(of_us) == 4
    assert {name.removesuffix("_FILE") for name in names} <= set(Environment.model_fields)


def compose() -> Any:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


@pytest.mark.parametrize("name", compose()["services"])
def test_a_container_has_no_more_rights_and_memory_than_it_needs_and_no_port_for_the_world(name: str) -> None:
    service = compose()["services"][name]
    assert service["cap_drop"] == ["ALL"]
    assert set(service.get("cap_add", [])) <= BEGINS_AS_ROOT.get(name, set())
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert LIMIT.fullmatch(service["mem_limit"])
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    assert "privileged" not in service and "network_mode" not in service


def test_no_secret_of_one_container_is_that_of_another() -> None:
    services = compose()["services"]
    of_minio, of_us = services["minio"], [one for one in services.values() if one.get("build") == "."]
    assert of_minio["secrets"] == ["minio_root"]
    assert all("minio_root" not in one["secrets"] for one in of_us)
    assert of_minio["environment"]["MINIO_ROOT_USER"] != services["bucket"]["environment"]["APPLICATION"]
    shared = [name for name, one in services.items() if "POSTGRES_PASSWORD" in str(one)]
    assert {name for name in shared if "build" not in services[name]} == {"pooler", "postgres"}
    for one in of_us:
        with_password = [setting for setting, value in one["environment"].items() if "POSTGRES_PASSWORD" in str(value)]
        assert with_password == ["DATABASE_URL"]


def test_every_secret_that_is_mounted_is_made_by_the_lines_that_operators_copy() -> None:
    [made] = re.findall(r"for name in ([a-z_ ]+); do openssl", (ROOT / "docs/deploy.md").read_text())
    [login] = re.findall(r"^\{ echo .*\} > packages_login$", (ROOT / "docs/deploy.md").read_text(), re.MULTILINE)
    assert {*made.split(), "packages_login"} == set(compose()["secrets"])
    mounted = {secret for service in compose()["services"].values() for secret in service.get("secrets", [])}
    assert mounted == set(compose()["secrets"])
    assert made in (ROOT / "compose.yaml").read_text() and login in (ROOT / "compose.yaml").read_text()


def test_the_first_lines_of_the_compose_file_say_https() -> None:
    assert "HTTPS" in "".join((ROOT / "compose.yaml").read_text().splitlines()[:2])


def test_the_image_holds_every_room_and_nothing_that_is_not_there() -> None:
    lines = [line.split() for line in (ROOT / "Dockerfile").read_text().splitlines()]
    copied = {
        word for words in lines if words[:1] == ["COPY"] and not words[1].startswith("--from") for word in words[1:-1]
    }
    rooms = {"memos_site", "memories", "skills", "consolidation", "templates", "static"}
    assert rooms | {"manage.py", "requirements.txt"} <= copied
    within = {path for path in read_at_run_time(rooms) for one in copied if Path(path).is_relative_to(one)}
    assert within == read_at_run_time(rooms)
    assert all((ROOT / name).exists() for name in copied)


def test_the_page_of_deployment_names_settings_that_exist() -> None:
    named = set(VARIABLE.findall((ROOT / "docs/deploy.md").read_text())) - set(OF_OTHERS)
    assert len(named) > 10
    assert named <= set(Environment.model_fields) | {f"{name}_FILE" for name in Environment.model_fields}


def test_a_transaction_of_a_frozen_process_ends_in_the_compose_file_as_the_page_says() -> None:
    [line] = [line for line in (ROOT / "docs/deploy.md").read_text().splitlines() if line.startswith(IDLE)]
    command = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["postgres"]["command"]
    assert line.replace(" ", "") in command
    assert int(line.removeprefix(IDLE).strip(" =s")) > leases.IDLE_SECONDS
