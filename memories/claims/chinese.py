"""Chinese and Japanese text without a segmenter: numerals, negations, comparisons, names and character bigrams."""

import re
from collections.abc import Iterator

from memories.claims.quantities import CHINESE_PERIODS, CHINESE_WEEKDAYS, UNITS, chinese_number, clock
from memories.values.search_words import pairs

CLASS = "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HAN = re.compile(f"[{CLASS}]")
_NUMERALS = "零〇一二两三四五六七八九十百千万亿"
_units = sorted((unit for unit in UNITS if HAN.match(unit)), key=len, reverse=True)
UNIT = "(?:" + "|".join([*_units, "千", "万", "亿"]) + ")"
_NUMERAL = re.compile(
    rf"百分之(?P<percent>[{_NUMERALS}]{{1,12}}|\d{{1,12}})"
    rf"|(?<![周期拜第唯统{_NUMERALS}])(?P<counted>[{_NUMERALS}]{{1,12}})(?=个?(?:月|小时|星期|工作日|人|季度)|天|周|年|日|号|分钟"
    rf"|秒|元|块|美元|欧元|次|点|公里|公斤|米|倍)"
    rf"|(?<=每周)(?P<weekly>[一两三四五六七])(?=次)"
    rf"|(?<![{_NUMERALS}])(?P<long>[一二两三四五六七八九][十百千万亿零一二三四五六七八九]{{1,11}}|十[一二三四五六七八九])(?![{_NUMERALS}])"
)
_CLOCK = re.compile(
    r"(?P<half>上午|早上|早晨|凌晨|中午|下午|傍晚|晚上)?(?<![\d.])(?P<hour>\d{1,2})点(?!\d{3}|建议|要求|意见|内容|说明|理由|原因)"
    r"(?P<minute>半|钟|\d{1,2}分?)?"
)
_KEEP = frozenset(
    "十百千万一"
)  # 千万别, 一点, 万一: one of these alone is hardly ever a number, but before 天 and the like

# longest first; the sign after the colon as in lexicon.PHRASES; "=" keeps the words as words
_PHRASES = {
    "而不是|而非|而不要": "order:>", "优先于|胜过|胜于|优于|好过|强过|多于|高于|大于|代替|取代|替代": "order:>",
    "不如|不及|比不上": "order:<", "少于|低于|小于": "order:<",
    "比(?![如较例赛率特方重价分对亚])": "order:>",
    "不超过|不多于|不高于|不大于|至多|最多|不得超过|以内|之内": "bound:most",
    "不少于|不低于|不小于|至少|最少": "bound:least", "超过": "bound:least",
    "不晚于|不迟于|不得晚于|之前|以前": "side:before", "不早于|之后": "side:after",
    "不错|不仅|不但|不过|不管|不论|不同|不断|不久|不少|非常|别人|别的|特别|分别|区别|级别|类别|性别|个别|告别|差别|识别|鉴别"
    "|未来|除非|没错|没关系|没问题|无锡|对不起|不客气|不好意思|沉没|淹没|非洲|是非"
    "|下不为例|不动产|无线|无论|莫名|莫非|别墅|不知不觉": "=",
    "不得不|不能不|不可不|无不|是不是|要不要|能不能|会不会|好不好|有没有|可不可以|不妨": "",
    "从现在开始|从今以后|从今往后|以后|今后|总是|始终|永远|一直|每次"
    "|请务必|务必|一定要|请记住|记住|请记得|记得|必须|应该|应当|需要": "",
    "从来不|从不|绝不|决不|永不|不要|不用|不能|不可以|不可|不得"
    "|不许|不准|不应该|不应当|不应|不该|不会|不再|不想|不愿意|不愿|不必"
    "|不需要|请勿|切勿|禁止|严禁|避免|杜绝|拒绝|停止|别再|没有|并非|并不"
    "|千万别|从未|尚未|无法|无需|无须|[不没别勿非未無无莫]": "negation:",
    "每(?:个星期|个季度|个小时|个月|季度|小时|星期|礼拜|[天日周月年])(?![一二三四五六日天末])": "frequency:",
    "(?:周|星期|礼拜)[一二三四五六日天末](?!次)": "date:",
    "上午|早上|早晨": "daypart:morning", "下午": "daypart:afternoon", "晚上|傍晚": "daypart:evening",
    "提高|增加|上调": "pole:up", "降低|减少|下调": "pole:down",
}  # fmt: skip
_SIGNS = list(_PHRASES.values())
_MARK = re.compile("|".join(f"({pattern})" for pattern in _PHRASES))
_EMPTY = re.compile(
    "非常|十分|特别|比较|我们|你们|他们|她们|它们|咱们|这个|那个|这些|那些|以及|或者|并且|因为|所以|如果|[的了着过吗呢吧啊呀嘛是为在于把被将和与及或并"
    "也都就又还很更最请我你您他她它这那其从对向给要会应让用个与其]"
)
SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范"
    "石姚谭廖邹熊陆郝孔崔邱秦顾侯邵孟龙段钱尹黎贺"
)
NO_NAME = (
    "高度|高级|高效|高峰|高兴|周期|周末|周[一二三四五六日]|任务|任何|任意|程序|程度|黄色|黄金|马上|石油|何时|何地|于是|余额|范围|段落|钟头|"
    "曾经|许可|许多|顾客|顾问|陈述|张贴|罗列|谢谢|董事|夏天|夏季|钱款|田野|叶子|林业|于此|周报|周会|高清|高铁|马来|龙头|石头|钟表"
)
_NAME = re.compile(
    rf"(?P<titled>(?!{NO_NAME})[{SURNAMES}][\u4e00-\u9fff]{{0,2}}?(?:先生|女士|小姐|经理|总监|老师|医生|总(?![是结体部之额数共计])))"
    rf"|(?:(?<=是)|(?<=叫)|(?<=由)|(?<=找)|(?<=为)|(?<=让)|^)(?!{NO_NAME})"
    rf"(?P<name>[{SURNAMES}][\u4e00-\u9fff]{{1,2}}?)(?=$|[是的在不会要说和与喜偏负有，担做用])"
)
_BEFORE = re.compile("喜欢|偏好|偏爱|倾向|选择|使用|采用|宁愿|希望|优先|觉得|认为|想要|[用选喝吃]")
_BEHIND = re.compile("[更要]?[好快强大高多贵便适重]|联系|沟通|发送|$")
_VERB = (
    "发送|寄送|递交|提交|审核|审批|批准|使用|采用|签署|安排|预订|预定|取消|更新|创建|新建|删除|归档|上传|下载|分享|打印|复制|抄送|通知|联系(?!人)|回复|检查|记录"
    "|支付|退还|购买|订购|发布|部署|修改|编辑|翻译|整理|准备|撰写|编写|处理|转发|展示|接受|拒收|备份|导出|导入|测试|运行|合并"
)
_ACTS_ON = re.compile(rf"({_VERB})(?:一下|[了过着])?((?:(?!{_VERB})[\u4e00-\u9fff]){{2,12}}|(?:{_VERB})$)")
_BEHIND_OBJECT = re.compile("[给向到在和或与及并从至是]|之前|之后|以前|以后|时候|[时前后]$")


def objects(run: str) -> Iterator[tuple[str, str]]:
    """Yield (verb, object) pairs, the object as its last two characters: 发送付款提案给客户 -> 发送, 提案."""
    for match in _ACTS_ON.finditer(run):
        noun = _BEHIND_OBJECT.split(match[2])[0]
        if len(noun) > 1:
            yield match[1], noun[-2:]


def with_digits(text: str) -> str:
    """Replace Chinese numerals by digits: 三十天 -> 30天, 百分之五 -> 5%; 万一, 一起 and 十分 stay."""
    return _CLOCK.sub(_time, _NUMERAL.sub(_digits, text))


def _time(match: "re.Match[str]") -> str:
    hour, minute = (
        int(match["hour"]),
        {"半": "30", "钟": ""}.get(match["minute"] or "", match["minute"] or "").rstrip("分"),
    )
    late = match["half"] in ("下午", "傍晚", "晚上") and 0 < hour < 12
    return f" {clock(str(hour + 12 * late), minute, '') or match[0]} "


def _digits(match: "re.Match[str]") -> str:
    if percent := match["percent"]:
        return f"{percent if percent[0].isdigit() else chinese_number(percent)}%"
    written: str = match["counted"] or match["weekly"] or match["long"]
    following = match.string[match.end() : match.end() + 2]
    if (
        written in _KEEP
        and (written not in "一十" or following[:1] in ("点", "分", "日", "块"))
        and following != "分钟"
    ):
        return written
    return chinese_number(written)


def parts(run: str) -> Iterator[tuple[str, str, str]]:
    """Split a run into (kind, value, written): marks, and the text between them as kind "han"."""
    text = ""
    at = 0
    for match in _MARK.finditer(run):
        text += run[at : match.start()]
        at = match.end()
        sign = _SIGNS[(match.lastindex or 1) - 1]
        if sign == "=":
            text += match[0]
            continue
        if text:
            yield "han", text, text
            text = ""
        kind, _, value = sign.partition(":")
        yield kind or "stop", value or _value(kind, match[0]), match[0]
    if text := text + run[at:]:
        yield "han", text, text


def _value(kind: str, written: str) -> str:
    if kind == "date":
        return CHINESE_WEEKDAYS[written[-1]]
    return CHINESE_PERIODS[written[1:]] if kind == "frequency" else ""


def bigrams(run: str) -> list[str]:
    """Character bigrams without those that carry no meaning; a character that stands alone is returned as it is."""
    bigram_parts: list[str] = []
    at = 0
    for match in _NAME.finditer(run):
        bigram_parts += pairs(_EMPTY.sub("", run[at : match.start()])) + pairs(match[0])
        at = match.end()
    return bigram_parts + pairs(_EMPTY.sub("", run[at:]))


def bare(run: str) -> str:
    """A run without the words that carry no meaning."""
    return _EMPTY.sub("", run)


def names(run: str, *, opening: bool = False) -> list[str]:
    """Personal names as their bigrams: after 是, 叫 and the like, at the beginning, or with a title (王经理: 王经).

    `opening`: include the name that the run begins with, unless it only fills a role (张伟是联系人).
    """
    name_parts: list[str] = []
    for match in [_NAME.match(run)] if opening else _NAME.finditer(run):
        if match and not (opening and run[match.end() : match.end() + 1] == "是"):
            name_parts += pairs(match[0]) if match["name"] else pairs(match[0])[:1]
    return name_parts


def compared(run: str, *, is_left: bool) -> str:
    """The part of a run that is compared: on the left after 喜欢 and the like, on the right before 好 and the like."""
    bare = _EMPTY.sub("", run)
    start = 0
    for match in _BEFORE.finditer(bare):
        if match.end() < len(bare):
            start = match.end()
    bare = bare[start:]
    if not is_left:
        behind = _BEHIND.search(bare, 1)
        bare = bare[: behind.start()] if behind else bare
    return bare[-8:] if is_left else bare[:8]
