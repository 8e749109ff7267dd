"""Things of a series that are told apart by their number: "Invoice 17 was paid late" says nothing of invoice 18."""

from memories.claims.lexicon import SUBJECT_OF
from memories.claims.pieces import Piece
from memories.claims.relating import fills_a_role

# Not what is replaced by its next number: "version 2 is deployed" contradicts version 3, and so does a port.
SERIES = frozenset(
    """
    account agent appointment batch booking bug building bus case chapter claim client cluster contract customer
    delivery device document employee episode experiment feature flight floor gate house incident instance item job
    lane lesson line lot machine meeting message milestone module node order page parcel participant passenger
    patient payment phase player pod policy problem product project question queue quote receipt region request
    review robot room row rule sample scenario section sensor server session shard shelf shift shipment site sprint
    stage station step store student supplier table task team tenant terminal test thread ticket track trial truck
    unit user vehicle vendor vm warehouse worker zone
    """.split()  # noqa: SIM905 - a list of one word a line says no more
)
# These are verbs too: in "order 5 mixed pallets" nothing is said of an order.
ALSO_VERBS = frozenset({"build", "call", "change", "commit", "deploy", "invoice", "issue", "order", "release", "run"})
HAPPENED = frozenset({"failed", "passed", "succeeded", "arrived", "crashed", "finished", "timed", "broke", "stopped"})
HAN_SERIES = (
    *("发票", "订单", "客户", "用户", "工单", "房间", "项目", "任务", "包裹", "合同", "门店", "服务器", "节点"),
    *("会议室", "仓库", "航班", "案件", "病人", "患者", "学生", "员工", "设备", "机器", "阶段", "步骤", "构建"),
)
HAN_MEASURES = frozenset("个件份张天次笔元块人台位名项条只家年月日号小分秒周页%")


def numbered(pieces: list[Piece]) -> set[str]:
    """The things with their numbers, "invoic 17", that open a sentence which does not give them a role.

    "Room 5 is the meeting room" and "Room 6 is the meeting room" are about the meeting room.
    """
    found = set()
    for at, piece in enumerate(pieces[:-2]):
        number = pieces[at + 1]
        if not piece.opens or number.kind != "number" or not number.value.isdecimal():
            continue
        if _is_series(piece, pieces[at + 2]) and not fills_a_role(pieces, at + 2):
            found.add(f"{piece.value} {number.value}")
    return found


def _is_series(piece: Piece, after: Piece) -> bool:
    if piece.kind == "han":
        return piece.value.endswith(HAN_SERIES) and after.kind == "han" and after.value[0] not in HAN_MEASURES
    if piece.kind not in ("word", "name"):
        return False
    is_said = after.written in SUBJECT_OF or after.written in HAPPENED
    if piece.written in ALSO_VERBS:
        return is_said
    return piece.written in SERIES and (is_said or after.written == "s" or after.written.endswith("ed"))
