"""What is a secret in a text, and what only looks like one."""

import base64
import json
import os
import re
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.scanning import credentials, named_secrets
from memories.scanning.credentials import MASK
from memories.values.text import as_text

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"  # the checkout
DATA = Path(os.environ.get("MEMOS_RECORDED_RUNS", BESIDE))  # a folder of conversations, one a line
CARD = "4111 1111 1111 1111"
SECRETS = [
    "AKIAIOSFODNN7EXAMPLE",
    "AKIA IOSF ODNN 7EXA MPLE",
    "A K I A I O S F O D N N 7 E X A M P L E",
    "ghp_" + "a1B2" * 9,
    "glpat-" + "x1Yz" * 5,
    "xoxb-1234567890-abcdef",
    "AIza" + "Sy0-_" * 7,
    "sk_live_" + "4eC39HqLyjWDarjt",
    "sk-proj-" + "abcDEF123456" * 3,
    "memos_0a1b2c3d_" + "aZ09_" * 8 + "xyz",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "postgres://app:hunter2@db.example/app",
    "password = hunter2!",
    "DB_PASSWORD=hunter2!",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "Authorization: Bearer abcdef0123456789",
    "密码是 hunter2!",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    CARD,
    "4111-1111-1111-1111",
    "4111111111111111",
    "3782 822463 10005",  # American Express
    "5555555555554444",
    "2223003122003222",
    "6011111111111117",
    "3530111333300000",
    "30569309025904",
    "It is 4111111111111111.",
    "卡号4111.1111.1111.1111",
    *("npm_" + "a1B2" * 9, "hf_" + "a1B2" * 9, "SG." + "a1B2" * 6 + "." + "c3D4" * 10, "gldt-" + "a1B2" * 5),
    *("xapp-1-A0B1C2D3-1234567890-" + "0af3" * 16, "AccountKey=" + "a1B2" * 10 + "==", "dop_v1_" + "0af3" * 16),
    *("GOCSPX-" + "a1B2" * 7, "hvs." + "a1B2" * 20, "123456789:AA" + "a1B2x" * 6 + "abc", "SK" + "0af3" * 8),
    *("export X_TOKEN=a1B2-c3D4", "DB_PASSWORD=letmein", "mysql -u root -phunter2Kz shop", "tool --password hunter2Kz"),
    *("curl -u admin:hunter2Kz https://x", "redis://:hunter2Kz@cache:6379/0", "Authorization: Basic YWRtaW46aHVudGVy"),
    *("Cookie: sid=a1b2c3d4e5f6a7b8", "machine h login me password hunter2Kz", "<password>hunter2Kz</password>"),
    *("the password for staging is hunter2-Kz", "ALTER USER x WITH PASSWORD 'hunter2Kz'", "password%3Dhunter2Kz"),
    *("管理员的密码是“hunter2Kz”", "口令：hunter2Kz", "登录密码 hunter2Kz", "密码改成了 hunter2Kz", "验证码是 493021"),
    *("password=RlgLKOmxgJTeKd", "pwd: qWmKbXtoRpLs", "passwd = YhTgQkzLpWq"),  # drawn without a digit
    *("token: Zp0zVZomHFwUbbYrEqmSM9wCZ7Uw9xfo", "token=" + "0af3" * 8, '{"token": "Kq7TzPw2MvB9xd"}'),
    *("passwd: qwmkbxTorplskj", "passwd=tqzvhkxwmrbdp"),  # letters alone
    *("| user | password |\n|---|---|\n| anna | hunter2Kz |", "user,password\nanna,hunter2Kz\nbob,4Kz-hunter"),
    '{"a": "b, c, d, e", "content": "user,password\\nanna,hunter2Kz"}',
    "Not Found: /by-key/user,password\nanna,hunter2Kz",
    '{"content": "user,password,role\\nanna,hunter2Kz,admin", "source": "a", "key": "b"}',
    "#  user | api_key\n# ------+--------\n#  anna | " + "0af3" * 8,
    "| job | token |\n|---|---|\n| build | " + "0af3" * 8 + " |",
    "00000000: 7061 7373 776f 7264 3d68 756e 7465 7232  password=hunter2\n00000010: 4b7a 2100 4b7a 2100",
    *("ghp_" + "a1B2" * 5 + "\n" + "a1B2" * 4, "sk-proj-" + "abcDEF123456" * 2 + "\n  abcDEF123456"),
    "# key ghp_" + "a1B2" * 4 + "\n# " + "a1B2" * 5 + " end",
    *("pass\u200bword: hunter2Kz", "password: hun\u200bter2Kz", "contraseña: hunter2Kz"),
    *(r"contrase\u00f1a: hunter2Kz", "contrase%C3%B1a=hunter2Kz"),
    *("Das Passwort lautet Sommer2026!", "La contraseña es Verano2026!", "hf_" + "aBcDeFgHiJkLmNoPq" * 2),
    r"unlock it\nPIN: 482913",
    *("echo 'hunter2Kz' | sudo -S apt-get update", "printf %s hunter2Kz | docker login -u ann --password-stdin"),
    *("echo hunter2Kz | passwd --stdin ann", "sudo -S ls <<< 'hunter2Kz'", "openssl aes-256-cbc -k hunter2Kz -in a"),
    *(
        "smbclient //nas/share -U ann%hunter2Kz",
        r"net use Z: \nas\share hunter2Kz /user:ann",
        "bcp t out f -P hunter2Kz",
    ),
    *(
        "mysql -u root -p hunter2Kz",
        "log in with hunter2Kz as the password",
        "Das Passwort für den Server ist Sommer!26",
    ),
    *("PIN is 4930", "the door code is 4930", "CVV 493", "密码：Ｈｕｎｔｅｒ２Ｋｚ"),
    *('curl -u "$USER:hunter2" https://x', "SSHPASS=hunter2Kz sshpass -e ssh h", "az login -u app -p hunter2Kz -t x"),
    *("sqlplus system/hunter2Kz@XE", "jdbc:oracle:thin:scott/hunter2Kz@//ora:1521/XE", "zip -P hunter2Kz a.zip b"),
    *("client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlF", "snmpwalk -v2c -c hunter2Kz 10.0.0.1"),
    *("https://" + "0af3" * 10 + "@github.com/o/r.git", '{"auth": "b3duZXI6Z2hwX3NlY3JldHRva2Vu"}'),
    *('psk="correct horse battery"', "log in with admin/hunter2Kz on staging"),
    *(
        'ssh-keygen -N "hunter2Kz" -f id',
        "ConvertTo-SecureString 'hunter2Kz' -AsPlainText",
        "net user bob hunter2Kz! /add",
    ),
    *("mc alias set s3 https://s3.x app hunter2Kz", 'ldapsearch -D "cn=a" -w hunter2Kz', "cqlsh -u c -p hunter2Kz h"),
    *("Der API-Schlüssel lautet hunter2Kz", "Das Kennwort wurde auf Hunter#2Kz geändert", "Ihre PIN lautet 4821"),
    *('password: "monkey-bars"', 'SECRET_KEY = "_hunter2Kz"'),
    *("the password was changed to Hunter#2Kz", "Secret 是 hunter2Kz", "邮箱授权码是 qwertyuiopasdfgh"),
]
HARMLESS = [
    "MEMOS_TOKEN=YOUR_TOKEN python3 ~/.memos/memos_connect.py connect claude",
    "the password is wrong!",
    "Is the password empty?",
    'passwd = params.get("pass")',
    'password = self.data["password1"]',
    "password: ${DB_PASSWORD}",
    "the token is valid",
    *("Das Passwort ist falsch", "la contraseña es obligatoria", "Passwort ist Pflicht, mindestens 12 Zeichen"),
    *("password = getUserById", "password: idFromConfig", "password=passwordHashEncoder", "password is HTTPBasicAuth"),
    *("password: authenticationScheme", "| password | set |\n|---|---|\n| last change | 2026-01-02 |"),
    *("id,password,page\nsee the notes, page 3,12", "ghp_ is what keys begin with\nand 1 more"),
    *("token: next-page", "the token is BookingPage", "token: page_2_of_the_list_of_orders", "next_token: gold-plated"),
    "ASIA PACIFIC REGION SALES",
    "task-sk-lists-and-more-of-a-long-name",
    "https://example.com:8000/a@b",
    "total 0.4111111111111111",
    "4111111111111111.5 seconds",
    "14111111111111111",  # a longer number
    "4111111111111112",  # the check digit is another
    "1234567812345670",  # no issuer begins so
    "order_4111111111111111",
    "W4111111111111111",
    "411111111111111",  # Visa has no 15 digits
    "3782822463100051",  # nor American Express 16
    "+49 30 1234567 89 10 11",
    "2026-03-01 12:00:00 2026-03-02",
    "avg_chars_per_token = total_chars / total_tokens",
    *(
        "mysql -u root -p shop",
        "echo y | sudo apt-get install nginx",
        'echo "$PW" | sudo -S ls',
        "cat a | sudo -S tee b",
    ),
    *('openssl enc -d -k "$KEY" -in a', "net use Z: /delete", "use tabs as the password manager suggests"),
    *(
        'smbclient -U "ann%$PW" //nas/a',
        "Das Passwort für den Server steht im Tresor",
        "docker login --password-stdin < t",
    ),
    "sudo: admin ; PWD=/home/admin ; USER=root",
    "IBAN DE89 3704 0044 0532 0130 00",
    "存托凭证代号为9151",
    "the error code is E1234 and the pin layout of the chip",
    *("DB_PASSWORD=${DB_PASSWORD:?missing}", "postgres://user:password@localhost/db", "http://me:xxx@host/"),
    *("unzip -p archive.zip file1.txt", "auth: Http2BasicProvider", '"auth": "none"', "http://user-1@host:8080/a"),
    *(
        'add_argument("--password", help="of the user")',
        '@option("--token", "token_value")',
        "--api-key API_KEY  the key",
    ),
    *("secret: projects/my-project/secrets/db/versions/3", "arn:aws:secretsmanager:eu:123:secret:prod/db-AbCdEf"),
    *("--set auth.existingSecret=my-release2", "snmpwalk -c public 10.0.0.1", "PASS: test_login2 (0.3s)"),
    *('SESSION_KEY = "_auth_user_id"', 'TOKEN = "x-oss-security-token"', "user_pass = '%s:%s'"),
    *(
        'IDENTIFIED BY "%(password)s"',
        "password: \"' + word + '\"",
        "return password1, password2\n@sensitive_post(a, b)",
    ),
    *("请将密码设置为环境变量 DB_PASSWORD", "密钥长度 2048 位", "log in with SSO/OAuth2"),
]


@pytest.mark.parametrize("text", SECRETS)
def test_it_is_found_alone_in_a_sentence_and_in_json(text: str) -> None:
    said = f"Take this: {text}\nand go on"
    for shown in (text, said, as_text({"note": [said]}), _twice(said)):
        assert credentials.is_in(shown), shown


def _twice(said: str) -> str:
    return as_text({"body": as_text({"note": said})})


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert not credentials.is_in(text)
    assert credentials.masked(text) == text


@pytest.mark.parametrize("text", SECRETS)
def test_masked_nothing_of_it_is_left(text: str) -> None:
    shown = credentials.masked(f"Take this: {text}\nand go on")
    assert MASK in shown and shown.startswith("Take this: ") and shown.endswith("\nand go on")
    assert not credentials.is_in(shown)
    long = re.findall(r"[\w/+]{14,}", text.removeprefix("AWS_SECRET_ACCESS_KEY"))
    assert not [part for part in long if part in shown]


def test_a_named_value_is_found_in_json_under_its_name() -> None:
    value = {"user": "anna", "password": "hunter2!", "card": 4111111111111111}
    shown = credentials.masked(json.dumps(value, indent=2))
    assert "hunter2" not in shown and "4111" not in shown
    assert '"user": "anna"' in shown and '"password": "' in shown


def test_a_key_that_is_cut_off_is_masked_to_the_end() -> None:
    assert credentials.masked("-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQ") == MASK


@pytest.mark.parametrize(
    "piece", ["4 ", "password=", "eyJ", "AKIA ", "A K I A ", "://a:", "-----BEGIN ", "密码是", "sk-"]
)
def test_hostile_texts_cost_seconds_at_most(piece: str) -> None:
    begun = time.process_time()
    credentials.masked(piece * (200_000 // len(piece)))
    assert time.process_time() - begun < 5


@pytest.mark.skipif(not DATA.exists(), reason="the recorded runs are not here")
def test_recorded_runs_of_shops_and_airlines_hold_no_card(capsys: pytest.CaptureFixture[str]) -> None:
    flagged, numbers, runs = 0, 0, 0
    for path in [
        path for path in DATA.rglob("*.jsonl") if path.stem in ("retail-runs", "telecom-runs", "airline-runs")
    ]:
        for line in path.read_text().splitlines():
            runs, flagged = runs + 1, flagged + credentials.is_in(line)
            numbers += any(credentials._luhn(digits) for digits in re.findall(r"\d{13,19}", line))
    with capsys.disabled():
        print(f"\nsecrets in {flagged} of {runs} recorded runs; digits that pass the check alone in {numbers}")
    assert flagged == 0 < numbers


def alternatives(pattern: str) -> list[str]:
    parts, depth = [""], 0
    for char in pattern:
        depth += {"(": 1, ")": -1}.get(char, 0)
        parts = [*parts, ""] if char == "|" and not depth else [*parts[:-1], parts[-1] + char]
    return parts


ALONE = re.sub(r"\(\?(?:<!|!|=)[^)]*\)", "", named_secrets._NAMES)  # whatever stands around them
NAMES = [*alternatives(ALONE), r"[a-z0-9]{1,20}[_-](?:token|pass|pw|pat)"]


@pytest.mark.parametrize("pattern", NAMES)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_every_name_of_a_secret_is_near_a_word_that_is_looked_for(pattern: str, data: st.DataObject) -> None:
    """Only what is near one of these words is read at all."""
    name = data.draw(st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True))
    for text in (f"{name}: ", f"{name} = ", f"{name.upper()}="):
        parts = list(credentials.Near(text).parts(named_secrets.STEMS, before=24, after=24))
        for found in named_secrets.NAME.finditer(text):
            assert any(start <= found.start() and found.end() <= end for start, end in parts), found[0]


IN_BASE64 = base64.b64encode(b"aws_secret_access_key=nnDeOCHg8T4xvK0n0o64 password=hunter2Kz for the job").decode()
IN_HEX = b"api_key=p4DDkta7YC4Jve of the job".hex()


@pytest.mark.parametrize(
    "encoded",
    [
        IN_BASE64,
        "\n".join(textwrap.wrap(IN_BASE64, 24)),
        IN_HEX,
        IN_HEX.upper(),
        "\n".join(textwrap.wrap(IN_HEX, 32)),
    ],
    ids=["base64", "base64 over lines", "hexadecimal", "in capitals", "hexadecimal over lines"],
)
def test_a_text_in_base64_or_hexadecimal_that_names_a_secret_is_masked_as_a_whole(encoded: str) -> None:
    assert credentials.masked(f"dump:\n{encoded}\n-- and no more") == f"dump:\n{MASK}\n-- and no more"
    assert credentials.masked(json.dumps(f"dump:\n{encoded}")) == f'"dump:\\n{MASK}"'


@pytest.mark.parametrize("text", ["cGFzc3dvcmQ= is a word", "https://x.example/cGFzc3dvcmQ/a", "7365637265740a"])
def test_the_encoded_name_of_a_secret_alone_is_none(text: str) -> None:
    assert not credentials.is_in(text)


def test_a_line_of_a_log_hides_no_name_behind_escapes() -> None:
    assert "hunter2Kz" not in credentials.masked_line(r"Not Found: /by-key/pass\xadword=hunter2Kz")
