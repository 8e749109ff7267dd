"""Zips from outside: real ones, built byte by byte where zipfile would not."""

import io
import random
import stat
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills.manifest import Fields, Step
from skills.packaging import PackageRefused, pack, pack_files, unpack, unpack_files

SKILL = "---\nname: plan-trip\ndescription: Plans a trip\n---\n"
GOOD = {"plan-trip/SKILL.md": SKILL.encode()}


def make_zip(files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] = lambda info: None) -> bytes:
    """A deflated zip; `change` alters every entry but SKILL.md before it is written."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if not name.endswith("SKILL.md"):
                change(info)
            archive.writestr(info, content)
    return buffer.getvalue()


def problems(content: bytes) -> list[str]:
    with pytest.raises(PackageRefused) as refused:
        unpack(content)
    return refused.value.problems


def peak_of(content: bytes) -> tuple[int, list[str]]:
    """(bytes that refusing took, problems)."""
    tracemalloc.start()
    try:
        found = problems(content)
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


def link(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFLNK | 0o777) << 16


def pipe(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFIFO | 0o644) << 16


def bzip2(info: zipfile.ZipInfo) -> None:
    info.compress_type = zipfile.ZIP_BZIP2


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("../x.md", '../x.md: "." or ".." in the path'),
        ("plan-trip/scripts/../../x.py", 'plan-trip/scripts/../../x.py: "." or ".." in the path'),
        ("plan-trip/./x.md", 'plan-trip/./x.md: "." or ".." in the path'),
        ("a\nb.md", "a<U+000A>b.md: a backslash, an empty part or an unprintable character in the name"),
        ("/etc/x.md", "/etc/x.md: an absolute path"),
        ("C:/x.md", "C:/x.md: an absolute path"),
        ("plan-trip\\x.md", "plan-trip\\x.md: a backslash, an empty part or an unprintable character in the name"),
        ("plan-trip/inner.zip", "plan-trip/inner.zip: an archive inside the archive"),
        (
            "plan-trip/my docs/x.md",
            "my docs/x.md: folders have names of A-Z a-z 0-9 . _ -, at most 8 deep",
        ),
        (
            "plan-trip/a/b/c/d/e/f/g/h/x.md",
            "a/b/c/d/e/f/g/h/x.md: folders have names of A-Z a-z 0-9 . _ -, at most 8 deep",
        ),
    ],
)
def test_a_file_in_a_bad_place_is_refused_by_name(name: str, problem: str) -> None:
    assert problems(make_zip({**GOOD, name: b"x"})) == [problem]


@pytest.mark.parametrize(
    ("change", "problem"),
    [(link, "a link"), (pipe, "not a plain file"), (bzip2, "the compression method is not supported")],
)
def test_only_plain_files_are_taken(change: Callable[[zipfile.ZipInfo], None], problem: str) -> None:
    assert problems(make_zip({**GOOD, "plan-trip/scripts/x.sh": b"/etc/passwd"}, change)) == [
        f"plan-trip/scripts/x.sh: {problem}"
    ]


def test_an_encrypted_entry_is_refused() -> None:
    content = bytearray(make_zip({**GOOD, "plan-trip/scripts/x.sh": b"x"}))
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    assert problems(bytes(content)) == ["plan-trip/scripts/x.sh: encrypted"]


def test_three_hundred_entries_are_too_many() -> None:
    files = GOOD | {f"plan-trip/assets/{number}.txt": b"" for number in range(299)}
    assert problems(make_zip(files)) == ["300 entries, the limit is 200"]


def test_a_bomb_is_not_unpacked() -> None:
    content = make_zip({**GOOD, "plan-trip/assets/zeros.txt": b"0" * 10_000_000})
    assert problems(content) == ["plan-trip/assets/zeros.txt: expands more than 100 times"]


def test_a_bomb_that_lies_about_its_size_is_damaged() -> None:
    content = bytearray(make_zip({**GOOD, "plan-trip/assets/zeros.txt": b"0" * 10_000_000}))
    at = content.rindex(b"PK\x01\x02") + 24
    content[at : at + 4] = (100).to_bytes(4, "little")
    peak, found = peak_of(bytes(content))
    assert found == ["plan-trip/assets/zeros.txt: damaged"]
    assert peak < 1_000_000


def test_many_files_that_are_too_much_together_are_refused() -> None:
    rows = b"".join(b"%d rows in a table\n" % number for number in range(250_000))
    files = {f"plan-trip/assets/{number}.txt": rows for number in range(4)}
    peak, found = peak_of(make_zip(GOOD | files))
    assert found == ["more than 20 MiB when expanded"]
    assert peak < 1_000_000


def test_a_large_upload_is_not_even_opened() -> None:
    assert problems(b"x" * (5 * 1024 * 1024 + 1)) == ["the file is larger than 5 MiB"]


@pytest.mark.parametrize("twin", ["plan-trip/scripts/a.py", "plan-trip/Scripts/A.py"])
def test_a_name_that_is_there_twice_is_refused(twin: str) -> None:
    buffer = io.BytesIO(make_zip({**GOOD, "plan-trip/scripts/a.py": b"1"}))
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr(twin, b"2")
    assert problems(buffer.getvalue())[0] == "plan-trip/scripts/a.py: there 2 times"


def test_two_spellings_of_one_letter_are_one_name() -> None:
    files = {f"plan-trip/assets/{name}.txt": b"" for name in ("caf\u00e9", "cafe\u0301")}
    assert problems(make_zip(GOOD | files))[0] == "plan-trip/assets/caf\u00e9.txt: there 2 times"


def test_an_archive_in_disguise_is_refused() -> None:
    assert problems(make_zip({**GOOD, "plan-trip/assets/a.txt": make_zip({})})) == [
        "plan-trip/assets/a.txt: an archive inside the archive"
    ]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"plan-trip/README.md": b"x"}, "no SKILL.md at the top or in the first folder"),
        ({"a/b/SKILL.md": SKILL.encode()}, "no SKILL.md at the top or in the first folder"),
        ({"a/SKILL.md": SKILL.encode(), "b/SKILL.md": SKILL.encode()}, "2 folders with a SKILL.md, one is a skill"),
        ({}, "the zip is empty"),
        ({"SKILL.md": b"\xff\xfe\x00"}, "SKILL.md: not a text in UTF-8"),
        ({"SKILL.md": b"".join(b"%d\n" % number for number in range(50_000))}, "SKILL.md is larger than 256 KiB"),
        ({"a/SKILL.md": b""}, "description: must not be empty"),
        ({"SKILL.md": b"Only a text"}, "name: must not be empty"),
        ({"SKILL.md": SKILL.encode(), "scripts/a.exe": b"x"}, "scripts/a.exe: files end in"),
        ({"SKILL.md": SKILL.encode(), "scripts/a.py": b"\x89PNG\x00"}, "scripts/a.py: not a text in UTF-8; other"),
        (
            {"SKILL.md": SKILL.encode(), "scripts/a b.py": b"1", "scripts/a_b.py": b"2"},
            "there is another scripts/a_b.py",
        ),
    ],
)
def test_what_is_no_skill_is_refused(files: dict[str, bytes], problem: str) -> None:
    assert problem in "\n".join(problems(make_zip(files)))


def test_every_problem_is_named_in_one_answer() -> None:
    found = problems(make_zip({"../x.md": b"", "/y.md": b"", "a.zip": b"", **{f"{n}.txt": b"" for n in range(300)}}))
    assert found == [
        "303 entries, the limit is 200",
        '../x.md: "." or ".." in the path',
        "/y.md: an absolute path",
        "a.zip: an archive inside the archive",
        "no SKILL.md at the top or in the first folder",
    ]


@pytest.mark.parametrize(
    "root",
    [{}, {"trip/SKILL.md": SKILL.encode(), "other/SKILL.md": SKILL.encode()}],
    ids=["no SKILL.md", "two of them"],
)
def test_without_one_skill_md_the_problems_of_the_files_are_named_too(root: dict[str, bytes]) -> None:
    files = {"trip/scripts/a.exe": b"x", "trip/scripts/b.py": b"\x89PNG\x00", "trip/assets/logo.png": b"\x89PNG\x00"}
    found = problems(make_zip({**root, **files}))
    assert "SKILL.md" in found[0]
    assert [line.partition(":")[0] for line in found[1:]] == ["scripts/a.exe", "trip/scripts/b.py"]


def test_a_bad_skill_md_and_bad_files_are_named_together() -> None:
    found = problems(make_zip({"SKILL.md": b"---\nname: a\ndescription: ''\n---\n", "scripts/a.exe": b"x"}))
    assert [line.partition(":")[0] for line in found] == ["scripts/a.exe", "description"]


def test_endless_problems_are_counted() -> None:
    found = problems(make_zip(GOOD | {f"../{number}.md": b"" for number in range(120)}))
    assert (len(found), found[-1]) == (51, "and 70 more")


@settings(deadline=None)
@given(st.binary(max_size=300) | st.tuples(st.integers(0, 400), st.binary(min_size=1, max_size=4)))
def test_no_bytes_do_more_than_be_refused(change: bytes | tuple[int, bytes]) -> None:
    content = bytearray(pack(Fields(name="a", description="b", scripts={"a.py": "1"}), 1).content)
    if isinstance(change, bytes):
        content = bytearray(change)
    else:
        content[change[0] : change[0] + len(change[1])] = change[1]
    try:
        unpack(bytes(content))
    except PackageRefused as refused:
        assert refused.problems


def test_a_skill_at_the_top_of_a_zip_is_read_without_a_warning() -> None:
    unpacked = unpack(make_zip({"SKILL.md": SKILL.encode(), "scripts/a.py": b"print()\r\n"}))
    assert unpacked.fields == Fields(name="plan-trip", description="Plans a trip", scripts={"a.py": "print()\r\n"})
    assert unpacked.warnings == []


def test_a_file_that_must_be_renamed_takes_its_links_along() -> None:
    skill = SKILL + "Read [forms](FORMS.md) and run `run it.sh`. run it.sh is long.\n"
    files = {"SKILL.md": skill, "FORMS.md": "F", "run it.sh": "ls", "con.py": "1"}
    unpacked = unpack(make_zip({name: text.encode() for name, text in files.items()}))
    assert unpacked.files == {
        "FORMS.md": b"F",
        "SKILL.md": skill.replace("`run it.sh`", "`run_it.sh`").encode(),
        "run_it.sh": b"ls",
        "_con.py": b"1",
    }
    assert unpacked.warnings == ["run it.sh: is now run_it.sh", "con.py: is now _con.py"]


def test_clutter_and_neighbours_are_left_out_aloud() -> None:
    content = make_zip(
        {**GOOD, "__MACOSX/plan-trip/._SKILL.md": b"\x00", "plan-trip/.DS_Store": b"\x00", "README.md": b""}
    )
    assert unpack(content).warnings == [
        "__MACOSX/plan-trip/._SKILL.md: left out",
        "plan-trip/.DS_Store: left out",
        "README.md: outside the skill's folder, left out",
    ]


def test_a_recipe_that_is_none_is_a_file() -> None:
    soup = b'{"soup": "hot"}'
    unpacked = unpack(make_zip({"SKILL.md": SKILL.encode(), "recipe.json": soup}))
    assert (unpacked.fields.recipe, unpacked.files["recipe.json"]) == ([], soup)


def test_a_document_may_be_called_like_the_recipe() -> None:
    fields = Fields(name="a", description="b", others={"recipe.json": "{}"}, recipe=[Step(step="Ask")])
    assert unpack(pack(fields, 1).content).fields == fields


def test_what_expands_to_more_than_a_package_may_weigh_is_packed_compressed_and_comes_in_again() -> None:
    text = "".join(f"{number}\n" for number in range(1_000_000)).encode()
    files = {**GOOD, "plan-trip/assets/numbers.txt": text, "plan-trip/assets/zeros.txt": bytes(10_000)}
    unpacked = unpack(make_zip({name: data for name, data in files.items() if b"\0" not in data}))
    package = pack_files("plan-trip", unpacked.files | {"assets/zeros.bin": bytes(100_000)})
    assert len(package.content) < 5 * 1024 * 1024 < len(text)
    assert unpack(package.content).files["assets/numbers.txt"] == text


def test_a_folder_that_cannot_be_packed_small_enough_is_refused() -> None:
    files = {"SKILL.md": SKILL.encode(), "assets/noise.bin": random.Random(1).randbytes(6_000_000)}
    with pytest.raises(PackageRefused) as refused:
        pack_files("plan-trip", unpack_files(files).files)
    assert refused.value.problems == ["the package is larger than 5 MiB"]


@pytest.mark.parametrize("other", ["plan-trip/reference/A.md", "plan-trip/Reference/a.md"])
def test_files_whose_names_differ_only_in_letter_case_are_refused(other: str) -> None:
    [problem] = problems(make_zip({**GOOD, other: b"x", "plan-trip/reference/a.md": b"y"}))
    assert problem.endswith(("there 2 times", "there is another reference/a.md"))


def test_the_published_example_with_its_scripts_listed_uploads_with_scripts_and_lists_them_once() -> None:
    listed = "## Scripts\n\n- `./scripts/plan.py`\n\n## Additional Information\n\nSee also:\n"
    listed += "- [hotels](./reference/hotels.md)\n"
    files = {"SKILL.md": f"{SKILL}\n## Procedure\n\n1. Ask\n\n{listed}".encode()}
    files |= {"scripts/plan.py": b"# Plan a trip\nprint(1)\n", "reference/hotels.md": b"# Hotels\n"}
    for before in ("", "./", "plan-trip/", "./plan-trip/"):  # `zip -r x.zip ./*`, shutil.make_archive
        skill = unpack(make_zip({f"{before}{name}": content for name, content in files.items()}))
        assert skill.fields.scripts == {"plan.py": "# Plan a trip\nprint(1)\n"}
        assert (skill.fields.others, skill.fields.procedure) == ({"hotels.md": "# Hotels\n"}, "1. Ask")
    assert [*unpack_files({f"./{name}": content for name, content in files.items()}).files] == sorted(files)
    assert problems(make_zip({**GOOD, "./plan-trip/../x.md": b"x"}))
    assert problems(make_zip({**GOOD, "./plan-trip/SKILL.md": b"x"})) == ["plan-trip/SKILL.md: there 2 times"]
