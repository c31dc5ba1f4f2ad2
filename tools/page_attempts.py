"""What `page_attack.py` tries, by adversary; each attempt with the answers that it may get."""

from __future__ import annotations

import io
import json
import re
import stat
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.page_attack import Answer, Target

REFUSED, MISSING, NO_METHOD = (403,), (404,), (405,)
# A file that is taken leads on to its page; one that cannot be read gets its sentence there.
TAKEN = (303, 400)
MARKUP = "<img src=x onerror=alert(1)>"
NAMES = (
    MARKUP + ".csv",
    "../../x.csv",
    "..\\..\\x.csv",
    "/etc/passwd.csv",
    "C:\\windows\\x.csv",
    "x.csv/../../../y",
    "x.csv%0d%0aX-Injected: 1",
    "a\x00b.csv",
    "gpj.\u202evsc.csv",
    "\u2066\u200f\ufeff.csv",
    "-rf.csv",
    "$(touch pwned).csv",
    "`id`;ls|x&.csv",
    "'\"--><svg onload=alert(1)>.csv",
    "{{7*7}}{% raw %}.csv",
    "..",
    ".",
    "a" * 5000 + ".csv",
    "x." + "c" * 5000,
    "\U0001f600.csv",
    "con.csv",
)
COLUMNS = (
    MARKUP,
    "<script>alert(1)</script>",
    "' autofocus onfocus=alert(1) x='",
    "</textarea></select></style><svg/onload=alert(1)>",
    "{{7*7}}",
    "javascript:alert(1)",
    "../../x",
    "\u202eevil",
)
# Raw text of these in a page would be markup.
NEVER = (
    "<img src=x",
    "<script>alert",
    "<svg/onload",
    "<svg onload",
    "' autofocus onfocus=",
)
OF_A_SYSTEM = ("root:x:", "import uvicorn", "[tool.")


def everything(target: Target, folder: Path | None, *, fast: bool) -> None:
    """All groups, then whether the page still stands and has kept to its place."""
    tokens(target)
    hosts(target)
    origins(target)
    paths(target)
    methods(target)
    numbers(target)
    sizes(target)
    names(target)
    types(target)
    bombs(target)
    hostile(target, fast=fast)
    if folder is not None:
        places(target, folder)
    target.judge(
        "after", "the page still answers its user", (200,), asked(target, "GET", "/")
    )


def asked(
    target: Target, method: str, path: str, body: bytes = b"", kind: str = ""
) -> Answer:
    """A request as the browser of the user sends it."""
    headers = [target.cookie]
    if method != "GET":
        headers.append(("Origin", target.origin))
    if kind:
        headers.append(("Content-Type", kind))
    return target.ask(method, path, headers, body)


FORM = "application/x-www-form-urlencoded"


def tokens(target: Target) -> None:
    """Somebody without the token, with a part of it, or with it in another place."""
    token = target.token
    wrong = {
        "no token": "",
        "an empty token": "?token=",
        "a wrong token": "?token=" + "A" * len(token),
        "its first letter": "?token=" + token[:1],
        "all but its last letter": "?token=" + token[:-1],
        "the token and one more": "?token=" + token + "A",
        "the token twice": "?token=" + token + token,
        "the token in other letters": "?token=" + token.swapcase(),
        "the token and a NUL": "?token=" + token + "%00",
        "a space before it": "?token=%20" + token,
        "no UTF-8": "?token=%ff%fe",
        "ten thousand letters": "?token=" + "A" * 10_000,
        "an empty one first": "?token=x&Token=" + token,
    }
    for name, query in wrong.items():
        for path in ("/", "/p/x/data", "/static/app.js", "/stream/events"):
            if path == "/" or name == "no token":
                answer = target.ask("GET", path + query)
                target.judge("token", f"{name}: {path}", REFUSED, answer, ("<html",))
    cookies = {
        "a prefix in the cookie": f"tacit_{target.port}={token[:-1]}",
        "a longer one in the cookie": f"tacit_{target.port}={token}A",
        "a cookie of another port": f"tacit_1={token}",
        "a wrong cookie before a right one of another name": f"tacit_{target.port}=x; t={token}",
    }
    for name, cookie in cookies.items():
        target.judge(
            "token", name, REFUSED, target.ask("GET", "/", [("Cookie", cookie)])
        )
    bearer = [("Authorization", f"Bearer {token}")]
    target.judge("token", "in another header", REFUSED, target.ask("GET", "/", bearer))
    target.judge(
        "token",
        "a form with it in the address",
        REFUSED,
        target.ask("POST", f"/demo?token={token}"),
    )
    target.judge(
        "token",
        "HEAD with it in the address",
        REFUSED,
        target.ask("HEAD", f"/?token={token}"),
    )
    right = target.ask("GET", f"/?token={token}")
    target.judge("token", "the token itself", (303,), right)
    cookie = right.headers.get("set-cookie", "").lower()
    safe = "httponly" in cookie and "samesite=strict" in cookie
    away = target.ask("GET", f"//evil.example/?token={token}")
    outside = "location" in away.headers and away.headers["location"].startswith("//")
    target.judge(
        "token",
        "a redirect to another machine",
        (303,),
        away,
        ["location"] if outside else [],
    )
    target.judge(
        "token",
        "its cookie is strict and hidden from script",
        (303,),
        right,
        [] if safe else ["set-cookie"],
    )
    split = target.ask("GET", f"/?token={token}&a=%0d%0aX-Injected:%201")
    target.judge("token", "a line end in the query", (303,), split, ["x-injected"])


def hosts(target: Target) -> None:
    """A foreign name that points to this machine (DNS rebinding)."""
    port = target.port
    for host in (
        "evil.example",
        f"evil.example:{port}",
        f"127.0.0.1.evil.example:{port}",
        f"localhost.evil.example:{port}",
        f"evil.example@127.0.0.1:{port}",
        f"127.0.0.1:{port}@evil.example",
        f"127.0.0.1:{port}#evil.example",
        "127.1",
        "2130706433",
        "0.0.0.0",
        "[::1",
        "[::ffff:127.0.0.1]",
        "xn--localhost",
        f"127.0.0.1,evil.example:{port}",
        "127.0.0.1:999999",
        " ",
    ):
        answer = target.ask("GET", "/", [target.cookie], host=host)
        target.judge("host", host, (400, 403), answer, ("<html",))
    answer = target.ask("GET", "/", [target.cookie], host=None)
    target.judge("host", "no host at all", (400, 403), answer, ("<html",))
    two = [target.cookie, ("Host", "evil.example")]
    target.judge(
        "host", "two hosts", (400, 403), target.ask("GET", "/", two), ("<html",)
    )
    forwarded = [target.cookie, ("X-Forwarded-Host", "127.0.0.1")]
    answer = target.ask("GET", "/", forwarded, host="evil.example")
    target.judge("host", "a foreign one with X-Forwarded-Host", REFUSED, answer)


def origins(target: Target) -> None:
    """A form or a script of another page, in the browser of the user."""
    ours = target.origin
    for origin in (
        "http://evil.example",
        "null",
        "",
        "file://",
        f"http://{target.host}:1",
        f"http://{target.host}",
        f"{ours}.evil.example",
        f"{ours}@evil.example",
        f"ftp://{target.host}:{target.port}",
        f"{ours}/",
        "http://[",
    ):
        for kind in (FORM, "text/plain", "multipart/form-data; boundary=x"):
            headers = [target.cookie, ("Origin", origin), ("Content-Type", kind)]
            answer = target.ask("POST", "/demo", headers, b"records=100")
            target.judge("origin", f"{origin}, {kind[:20]}", REFUSED, answer)
    for site in ("cross-site", "same-site"):
        headers = [target.cookie, ("Sec-Fetch-Site", site)]
        answer = target.ask("POST", "/demo", headers, b"records=100")
        target.judge("origin", f"none, but Sec-Fetch-Site: {site}", REFUSED, answer)
    socket_headers = [
        target.cookie,
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Origin", "http://evil.example"),
    ]
    answer = target.ask("GET", "/stream/events-of-sockets", socket_headers)
    target.judge("origin", "a web socket", (0, 400, 403, 404), answer)


def paths(target: Target) -> None:
    """Files of the machine, by names that lead out of the page."""
    for path in (
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/server.py",
        "/static/..%5cserver.py",
        "/static/%2fetc%2fpasswd",
        "/static//etc/passwd",
        "/static/app.js%00.css",
        "/static/",
        "/static",
        "/../../etc/passwd",
        "/etc/passwd",
        "/.env",
        "/openapi.json",
        "/docs",
        "/p/../../etc/passwd",
        "/p/x/download/..%2f..%2fetc%2fpasswd",
        "/p/x/data",
        "/p/" + "a" * 5000 + "/data",
        "/p/%00/data",
        "/p/x/download/masked?format=../../x",
    ):
        target.judge("path", path, MISSING, asked(target, "GET", path), OF_A_SYSTEM)


def methods(target: Target) -> None:
    """Other verbs than the page uses."""
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "X"):
        target.judge("method", f"{method} /", NO_METHOD, asked(target, method, "/"))
    for path in ("/load", "/demo", "/p/x/close", "/p/x/choose", "/p/x/undo"):
        target.judge("method", f"GET {path}", (404, 405), asked(target, "GET", path))
    override = [target.cookie, ("X-HTTP-Method-Override", "POST")]
    target.judge(
        "method",
        "GET /demo that says POST",
        NO_METHOD,
        target.ask("GET", "/demo", override),
    )
    target.judge(
        "method", "a request that is none", (0, 400), target.ask("GET /", "HTTP/9.9 x")
    )


def demo(target: Target) -> str:
    """The address of the demo data."""
    answer = asked(target, "POST", "/demo", b"records=200", FORM)
    place = answer.headers.get("location", "/").rpartition("/")[0]
    return read_to_the_end(target, place)[0]


def read_to_the_end(target: Target, place: str) -> tuple[str, Answer]:
    """Ask for the data page until the file has been read."""
    answer = asked(target, "GET", f"{place}/data")
    for _ in range(600):
        if 'data-reloads="1"' not in answer.text:
            break
        time.sleep(0.2)
        answer = asked(target, "GET", f"{place}/data")
    return place, answer


def numbers(target: Target) -> None:
    """Values that no form of the page would send: never an error of ours."""
    place = demo(target)
    digits = "9" * 6000
    forms = {
        "/demo": [f"records={digits}", "records=%C2%B2", "records=-1", "records=1e9"],
        f"{place}/choose": ["run=%C2%B2", f"run={digits}", "run=-1", "run=", "x"],
        f"{place}/forget": ["run=%C2%B2", f"run={digits}", "run=../1"],
        f"{place}/protect": [
            "do=remove:%C2%B2",
            f"do=up:{digits}",
            "bound=inf",
            "bound=nan",
            "s0.method=microaggregation&s0.p.k=" + digits,
            "s0.method=noise&s0.seed=" + digits,
            "s0.method=noise&s0.seed=%C2%B2",
            "s0.method=recoding&s0.p.intervals=" + "[" * 100_000,
            "s0.method=__class__",
            "s0.method=noise&s0.p.__class__=1",
        ],
        f"{place}/sweep": [
            "knob=%C2%B2.k&values=1",
            "knob=0.__class__&values=1x",
            "values=nan",
        ],
        f"{place}/undo": ["here=//evil.example", "here=../../x"],
        f"{place}/roles": ["role.0=admin", "kind.0=__class__", "role.99999=quasi"],
        f"{place}/accept": ["as_is=nothing", "as_is=" + MARKUP],
        "/stream": [
            "count=%C2%B2&pace=%C2%B2",
            f"count={digits}",
            "filter=../../x",
            "source=project:../x",
        ],
    }
    for path, bodies in forms.items():
        for body in bodies:
            answer = asked(target, "POST", path, body.encode(), FORM)
            name = f"{path.rpartition('/')[2]} {body}"
            target.judge("value", name, (303, 400), answer, ["evil.example"])
    page = asked(target, "GET", f"{place}/protect")
    # Nothing is above what is no number: every release would pass.
    never = ['name="bound" type="number" min="0" max="100" step="any" value="nan"']
    target.judge("value", "the accepted risk is still a number", (200,), page, never)
    asked(target, "POST", f"{place}/close")


def upload(target: Target, name: str, content: bytes, *, field: str = "file") -> Answer:
    """A file as a browser sends it, under any name."""
    quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = f'--b\r\nContent-Disposition: form-data; name="{field}"; filename="{quoted}"\r\n'
    head += "Content-Type: text/csv\r\n\r\n"
    body = head.encode() + content + b"\r\n--b--\r\n"
    return asked(target, "POST", "/load", body, "multipart/form-data; boundary=b")


def sizes(target: Target) -> None:
    """Too much, announced or not."""
    big = b"a,b\n" + b"1,2\n" * 1_500_000
    target.judge(
        "size", "a file above the limit", (413,), upload(target, "big.csv", big)
    )
    headers = [
        target.cookie,
        ("Origin", target.origin),
        ("Content-Type", "multipart/form-data; boundary=b"),
    ]
    part = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    )
    chunks = b"".join(
        b"%x\r\n%s\r\n" % (len(one), one) for one in (part, *[b"1\n" * 50_000] * 60)
    )
    chunked = [*headers, ("Transfer-Encoding", "chunked")]
    answer = target.ask("POST", "/load", chunked, chunks + b"0\r\n\r\n", length=False)
    target.judge("size", "the same in portions, without a length", (413,), answer)
    for length in ("99999999999999", "-1", "1e3", "\u00b2", "9" * 30):
        claimed = [*headers, ("Content-Length", length)]
        answer = target.ask("POST", "/load", claimed, b"", length=False)
        target.judge("size", f"a length of {length}", (400, 413), answer)
    both = [*headers, ("Transfer-Encoding", "chunked"), ("Content-Length", "5")]
    answer = target.ask("POST", "/load", both, b"0\r\n\r\n", length=False)
    target.judge("size", "two lengths (smuggling)", (400, 0), answer)
    form = b"records=" + b"1" * 11_000_000
    target.judge(
        "size", "a form of 11 MB", (413,), asked(target, "POST", "/demo", form, FORM)
    )
    line = [target.cookie, ("X-Long", "a" * 200_000)]
    target.judge(
        "size", "a header of 200 kB", (0, 400, 431), target.ask("GET", "/", line)
    )


def names(target: Target) -> None:
    """Names of files that are paths, markup, commands, or nothing."""
    content = b"a,b\n" + b"1,2\n3,4\n5,7\n" * 20
    for name in NAMES:
        answer = upload(target, name, content)
        never = ["x-injected", str(Path.home())]
        target.judge("name", name, TAKEN, answer, never)
        if answer.status == 303:
            place = answer.headers["location"].rpartition("/")[0]
            _, page = read_to_the_end(target, place)
            # One whose ending no reader knows is refused with its name.
            target.judge("name", f"{name} (page)", (200, 422), page, [*NEVER, "/tmp/"])
            asked(target, "POST", f"{place}/close")


def types(target: Target) -> None:
    """What is not what its name says."""
    wrong = {
        "empty.csv": b"",
        "zip.csv": b"PK\x03\x04" + bytes(200),
        "program.csv": b"\x7fELF" + bytes(300),
        "page.csv": b"<html><script>alert(1)</script></html>",
        "text.parquet": b"a,b\n1,2\n",
        "text.feather": b"a,b\n1,2\n",
        "text.xlsx": b"a,b\n1,2\n",
        "text.sav": b"a,b\n1,2\n",
        "text.dta": b"a,b\n1,2\n",
        "text.sas7bdat": b"a,b\n1,2\n",
        "entities.xlsx": workbook(
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
        ),
        "page.html": b"<script>alert(1)</script>",
        "code.py": b"print(1)",
        "pickle.pkl": b"\x80\x04N.",
    }
    for name, content in wrong.items():
        answer = upload(target, name, content)
        place = answer.headers.get("location", "/x").rpartition("/")[0]
        _, page = read_to_the_end(target, place)
        target.judge(
            "type", name, (200, 422), page, [*NEVER, *OF_A_SYSTEM, "Traceback"]
        )
        asked(target, "POST", f"{place}/close")
    odd = {
        "no file in the form": upload(target, "a.csv", b"a\n1\n", field="other"),
        "a form that ends early": asked(
            target, "POST", "/load", b"--b\r\n", "multipart/form-data; boundary=b"
        ),
        "a form without a boundary": asked(
            target, "POST", "/load", b"x", "multipart/form-data"
        ),
        "JSON": asked(target, "POST", "/load", b'{"file": 1}', "application/json"),
    }
    for name, answer in odd.items():
        target.judge("type", name, (400,), answer)


def workbook(sheet: bytes) -> bytes:
    """An archive that is laid out as a workbook."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return made.getvalue()


def bombs(target: Target) -> None:
    """Small files that unpack to much."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"a": pa.nulls(4_000_000, pa.int64()).fill_null(0)})
    parquet, arrow = io.BytesIO(), io.BytesIO()
    pq.write_table(table, parquet)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    # Feather says nothing of its size: more than a page of this limit may take in memory.
    with pa.ipc.new_file(arrow, table.schema, options=options) as writer:
        for _ in range(40):
            writer.write_table(table)
    packed = {
        "parquet": parquet.getvalue(),
        "xlsx": workbook(bytes(40_000_000)),
        "feather": arrow.getvalue(),
    }
    for ending, content in packed.items():
        answer = upload(target, f"bomb.{ending}", content)
        place = answer.headers.get("location", "/x").rpartition("/")[0]
        _, page = read_to_the_end(target, place)
        name = (
            f"{len(content) / 1000:.0f} kB that unpack to more than the limit, {ending}"
        )
        target.judge("bomb", name, (422,), page, ["Traceback", "/tmp/"])


def hostile_file(records: int = 60) -> bytes:
    """Names of columns and categories that would be markup, paths or templates."""
    head = ",".join('"' + name.replace('"', '""') + '"' for name in COLUMNS)
    rows = []
    for row in range(records):
        numbers = [str(row * 7 % 31), str(row * 3 % 17), str(row % 5)]
        cells = [f"{COLUMNS[(row + place) % 4]}" for place in range(len(COLUMNS) - 3)]
        rows.append(",".join('"' + one + '"' for one in [*numbers, *cells]))
    return "\n".join([head, *rows]).encode()


def hostile(target: Target, *, fast: bool) -> None:
    """A file whose names and values are markup, through every page and download."""
    answer = upload(target, NAMES[0], hostile_file())
    place = answer.headers.get("location", "/x").rpartition("/")[0]
    read_to_the_end(target, place)
    for page in (
        "data",
        "roles",
        "protect",
        "compare",
        "release",
        "look",
        "compare/live",
    ):
        answer = asked(target, "GET", f"{place}/{page}")
        target.judge("markup", f"in {page}", (200,), answer, [*NEVER, "Traceback"])
    if fast:
        return
    plan = b"s0.method=microaggregation&s0.p.k=3&do=run"
    asked(target, "POST", f"{place}/protect", plan, FORM)
    for _ in range(300):
        if (
            f'action="{place}/cancel"'
            not in asked(target, "GET", f"{place}/compare").text
        ):
            break
        if (
            'id="progress" class="card hidden"'
            in asked(target, "GET", f"{place}/compare").text
        ):
            break
        time.sleep(0.2)
    asked(target, "POST", f"{place}/choose", b"run=1", FORM)
    for page in ("compare", "release"):
        answer = asked(target, "GET", f"{place}/{page}")
        target.judge("markup", f"in {page}, after a run", (200,), answer, NEVER)
    for what in ("masked", "report", "external", "plan", "manifest"):
        answer = asked(target, "GET", f"{place}/download/{what}")
        inline = "attachment" not in answer.headers.get("content-disposition", "")
        # The masked file is held back until somebody lets its columns go.
        ok = (200, 409) if what == "masked" else (200,)
        never = ["content-disposition"] if inline and answer.status == 200 else []
        if what in ("report", "external"):
            never += NEVER
        target.judge("markup", f"download of {what}: never inline", ok, answer, never)


def places(target: Target, folder: Path) -> None:
    """What lies where: names that we made up, for this user alone, in one folder."""
    answer = asked(target, "GET", "/")
    outside = [
        str(one) for one in folder.iterdir() if not one.name.startswith("tacit-app-")
    ]
    target.judge(
        "files",
        "nothing beside the private folder",
        (200,),
        answer,
        [json.dumps(outside)][: len(outside)],
    )
    inside = [
        one
        for place in folder.glob("tacit-app-*")
        for one in [place, *place.rglob("*")]
    ]
    open_ones = [one for one in inside if stat.S_IMODE(one.stat().st_mode) & 0o077]
    target.judge(
        "files",
        f"{len(inside)} files, all private",
        (200,),
        answer,
        ["<html"][: len(open_ones)],
    )
    made_up = re.compile(r"tacit-app-\w+|lock|open\.html|[0-9a-f]{20,24}(\.\w+)*")
    given = [one.name for one in inside if not made_up.fullmatch(one.name)]
    target.judge(
        "files",
        f"names that somebody gave: {given}",
        (200,),
        answer,
        ["<html"][: len(given)],
    )
