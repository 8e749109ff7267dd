"""Requests that agents send by Python code, as they wrote it against an office's API: learned like those of `curl`."""

import json

import pytest

from consolidation.learning.commands.commands import kinds
from consolidation.learning.commands.request_code import curls
from consolidation.learning.effects.effects import effects, with_single_commands
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run

HEAD = "import os, requests\nu = os.environ['KONTOR_URL'].rstrip('/')\n"


def sent(code: str) -> list[str]:
    return [" ".join(words[2:]) for words in curls(HEAD + code)]


@pytest.mark.parametrize(
    ("code", "requests"),
    [
        ("print(requests.get(u + '/api/orders/17').json())", ["GET $/api/orders/17"]),
        ("o = f'{u}/api/orders/17'\nr = requests.post(o + '/hold')", ["POST $/api/orders/17/hold"]),
        (
            "for p in ['/api', '/api/orders/17']:\n    r = requests.get(u + p); print(p, r.status_code, r.text)",
            ["GET $/api", "GET $/api/orders/17"],
        ),
        (
            "r = requests.post(u + '/api/returns', json={'order': '17', 'sku': sku})\n"
            "if r.ok:\n    i = r.json().get('id')\n    g = requests.get(f'{u}/api/returns/{i}')",
            ['POST -d {"order": "17", "sku": "$sku"} $/api/returns', "GET $/api/returns/$"],
        ),
        (
            "def call(m, p, **kw):\n    r = requests.request(m, u + p, **kw); print(r.text); return r.json()\n"
            "o = call('GET', '/orders/17')\ncall('PATCH', '/orders/17', json={'to': 'Gent'})",
            ["GET $/orders/17", 'PATCH -d {"to": "Gent"} $/orders/17'],
        ),
        (
            "import httpx\nwith httpx.Client(base_url='https://a.example/v1') as c:\n    c.delete('/orders/17')",
            ["DELETE https://a.example/v1/orders/17"],
        ),
        (
            "import httpx\nc = httpx.Client(base_url='https://a.example/v1')\nc.put('/orders/17', params={'dry': 1})",
            ["PUT https://a.example/v1/orders/17?dry=1"],
        ),
        (
            "import json, urllib.request as r\n"
            "q = r.Request(u + '/mails', data=json.dumps({'to': 'c-1'}).encode(), method='POST')\nr.urlopen(q)",
            ['POST -d {"to": "c-1"} $/mails'],
        ),
        (
            "import asyncio, httpx\nasync def main():\n    async with httpx.AsyncClient(base_url=u) as c:\n"
            "        r = await c.post('/orders/17/hold', json={'why': why})\nasyncio.run(main())",
            ['POST -d {"why": "$why"} $/orders/17/hold'],
        ),
        (
            "import aiohttp\nasync with aiohttp.ClientSession('https://a.example') as s:\n"
            "    async with s.patch('/orders/17', json={'n': 2}) as r:\n        print(await r.text())",
            ['PATCH -d {"n": 2} https://a.example/orders/17'],
        ),
        (
            "send = lambda p, **kw: requests.post(u + p, json=kw or None)\nb: str = u\nsend('/orders/17', n=2)",
            ['POST -d {"n": 2} $/orders/17'],
        ),
        ("headers.get('/x'); print(requests.codes.ok)", []),
        ("requests.post(u + '/x'", []),
    ],
)
def test_code_is_the_curl_that_sends_the_same(code: str, requests: list[str]) -> None:
    assert sent(code) == requests


def test_a_line_with_code_counts_as_its_requests_and_code_without_any_as_python() -> None:
    line = f"ls; python3 - <<'E'\n{HEAD}requests.post(u + '/api/orders/17/hold')\nE"
    assert kinds(line) == ("ls", "POST /api/orders/{order}/hold")
    assert kinds("python -c \"import requests; requests.delete('https://a.example/api/orders/17')\"") == (
        "DELETE a.example/api/orders/{order}",
    )
    assert kinds("python3 - <<'E'\nprint(1)\nE") == ("python",)
    own = "python3 - <<'E'\nimport requests\nrequests.post('http://127.0.0.1:8000/orders')\nE"
    assert kinds(own) == ("python",), "its own server is what it tries out"


@pytest.mark.parametrize(
    "base",
    [
        "os.environ.get('SHOP_URL', 'http://localhost:8000')",
        "os.getenv('SHOP_URL', default).rstrip('/')",
        "os.environ.get('SHOP_URL') or 'http://localhost:8000'",
    ],
)
def test_a_server_is_on_this_machine_where_code_falls_back_on_it(base: str) -> None:
    code = f"import os, requests\ndefault = 'http://localhost:8000'\nB = {base}\nrequests.post(B + '/api/orders')"
    assert kinds(f"python3 - <<'E'\n{code}\nE") == ("python",)
    assert kinds(f"python3 - <<'E'\n{code.replace('http://localhost:8000', 'https://a.example')}\nE") != ("python",)


def test_each_here_document_of_a_line_is_given_to_the_command_that_reads_it() -> None:
    note, hold = "cat > note.txt <<'E'\nHold it, please\nE", f"{HEAD}requests.post(u + '/api/orders/17/hold')"
    first = f"{note}\npython3 - <<'E'\n{hold}\nE"
    assert kinds(first) == ("cat >", "POST /api/orders/{order}/hold")
    other = f"python3 - <<'E' | tee a.txt\n{hold.replace('hold', 'free')}\nE"
    assert kinds(f"{first}\n{other}") == (*kinds(first), "POST /api/orders/{order}/free", "tee")
    assert kinds(f"{note}\npython3 note.txt") == ("cat >", "python")


def test_a_request_whose_printed_status_refuses_it_has_failed_whatever_its_document_says() -> None:
    code = "for p in ['/api/a', '/api/b']:\n r = requests.post(u + p); print(p, r.status_code, r.text)"
    line = shell(code, '/api/a 200 {"id": 1}', '/api/b 409 {"id": 2}')
    calls = with_single_commands(run(0, "Please do both.", line), RULES).steps
    assert [(call.name, call.failed) for call in calls] == [("POST /api/a", False), ("POST /api/b", True)]


def test_a_script_that_its_line_writes_is_read_and_one_from_before_is_not() -> None:
    code = f"{HEAD}requests.post(u + '/api/orders/17/hold')"
    assert kinds(f"cat > /tmp/x.py <<'E'\n{code}\nE\npython3 /tmp/x.py") == ("cat >", "POST /api/orders/{order}/hold")
    assert kinds("python3 /tmp/x.py") == ("python",)


def test_code_that_would_send_without_an_end_is_read_in_no_long_time() -> None:
    names = "".join(f"for a{n} in [1, 2, 3, 4, 5, 6, 7, 8]:\n{' ' * (n + 1)}" for n in range(12))
    joined = "".join(f"{{a{n}}}" for n in range(12))
    assert len(sent(f"{names}requests.get(f'{{u}}/{joined}')")) == 8
    calls = "\n".join(" f(1)" for _ in range(300))
    assert sent(f"def f(x):\n{calls}\n{calls.replace(' ', '')}\nrequests.get(u + '/x')") == []


def shell(code: str, *printed: str) -> Script:
    return "bash", {"command": f"python3 - <<'E'\n{HEAD}{code}\nE"}, "\n".join(printed)


def refunded(n: int) -> Run:
    order, sku, rma = f"79{120 + 7 * n}", ["CH-02", "TB-160", "SH-120", "BD-90"][n], f"RMA-51{40 + 7 * n}"
    row = {"id": order, "customer": f"c-{205 + 107 * n}", "items": [{"sku": sku, "unit_price": 94.5 + n}]}
    body = {"order": order, "sku": sku, "reason": "damaged"}
    refund = {"order": order, "return": rma, "amount": 94.5 + n, "account": "4730"}
    look = (
        "for p in ['/api/orders/{0}', '/api/accounts']:\n    r = requests.get(u + p); print(p, r.status_code, r.text)"
    )
    post = "r = requests.post(u + '/api/{0}', json={1}); print(r.status_code, {2})"
    return run(
        n,
        f"Customer reports a damaged {sku} from order {order}, please pay the money back.",
        shell(
            look.format(order),
            f"/api/orders/{order} 200 {json.dumps(row)}",
            '/api/accounts 200 [{"account": "4730", "name": "Returns, damaged"}]',
        ),
        shell(post.format("refunds", refund, "r.text"), '409 {"error": "a refund needs the number of a return"}'),
        shell(post.format("returns", body, "r.json()"), f"201 {body | {'id': rma}}"),
        shell(post.format("refunds", refund, "r.text"), f"201 {json.dumps(refund | {'id': f'RF-9{n:02}'})}"),
        thread=f"case {n}",
    )


def test_a_skill_comes_of_requests_by_code_with_where_their_fields_come_from() -> None:
    fields = learned([refunded(n) for n in range(4)]).fields
    assert effects(refunded(0), RULES) == {"POST /api/returns", "POST /api/refunds"}
    assert fields.title == "Create a return and a refund"
    steps = fields.procedure.splitlines()
    assert (
        '`POST /api/refunds {"order": {order}, "return": {return}, "amount": {amount}, "account": "4730"}`' in steps[2]
    )
    assert "`amount` from `GET /api/orders/{order}` → `items[].unit_price`" in steps[2]
    assert "`return` from `POST /api/returns` → `id`" in steps[2]


def test_what_code_prints_of_each_request_is_its_result_and_its_status() -> None:
    calls = [call for call in with_single_commands(refunded(0), RULES).steps if call.via]
    assert [(call.name, call.failed) for call in calls] == [
        ("GET /api/orders/{order}", False),
        ("GET /api/accounts", False),
        ("POST /api/refunds", True),
        ("POST /api/returns", False),
        ("POST /api/refunds", False),
    ]
    assert calls[1].parsed_result == [{"account": "4730", "name": "Returns, damaged"}]
    assert calls[3].parsed_result["id"] == "RMA-5140"


def test_code_that_is_nested_too_deep_sends_nothing() -> None:
    assert curls("import requests\nx = " + "-" * 15_000 + "1") == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__jupyter__execute_code", {"code": "{code}", "timeout": 30}),
        ("mcp__jupyter__insert_execute_code_cell", {"cell_index": -1, "cell_source": "{code}"}),
        ("python_interpreter", {"code": "{code}", "language": "python"}),
    ],
)
def test_a_tool_for_code_is_a_command_line_that_gives_it_to_python(tool: str, arguments: dict[str, object]) -> None:
    def calling(code: str) -> Run:
        given = {name: code if value == "{code}" else value for name, value in arguments.items()}
        return run(0, "Please hold order 17.", (tool, given, "200"))

    hold = calling(f"{HEAD}requests.post(u + '/api/orders/17/hold')")
    assert effects(hold, RULES) == {"POST /api/orders/{order}/hold"}
    sheet = "import openpyxl\nwb = openpyxl.load_workbook('a.xlsx')\nwb['Log'].append([1])\nwb.save('a.xlsx')"
    assert effects(calling(sheet), RULES) == {"write sheet Log of a.xlsx"}
    assert [call.name for call in calling("print(1)").steps] == ["bash"]


def test_code_of_another_language_and_another_tool_with_code_are_what_they_were() -> None:
    other = run(0, "x", ("execute_code", {"code": "1", "language": "r"}, ""), ("get_discount", {"code": "SPRING"}, ""))
    assert [call.name for call in other.steps] == ["execute_code", "get_discount"]
