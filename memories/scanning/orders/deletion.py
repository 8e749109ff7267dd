"""Orders to delete home folders, folders of the system, or a disk."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import FAR, FORBIDDEN, LINE, NEAR, NOT, NOT_RUN, NOT_ZH

END = r"(?=[\s*\"'`,;)。，的和、整里下]|\.(?!\w)|/?$)"
SYSTEM = (
    r"/(?:etc|usr|var|boot|bin|sbin|lib|lib64|opt|root|home|sys|proc|dev|srv|var/lib|var/log|usr/local"
    r"|home/\w{1,30})/?\*?"
)
HOME = (
    r"(?:~/?\*?|~/\.(?:ssh|gnupg|config|aws|kube)|~/(?:Documents|Desktop|Downloads|Pictures)"
    r"|[\"']?\$\{?HOME\}?[\"']?/?[*.]?(?:\[![^\]]{1,4}\]\*)?"
    r"|%USERPROFILE%|\$env:USERPROFILE)"
)
DRIVE = r"(?:[A-Za-z]:\\(?:Users|Windows|Program Files|System32|\*)?)"
PLACE = rf"(?:(?<![^\s\"'`（(在把将])(?:{SYSTEM}|{HOME}){END}|(?<!\w){DRIVE})"
NAMED = (
    r"(?:\b(?:(?:user'?s?'? |users'? |the |your )?home (?:folders?|director(?:y|ies))|users? (?:folder|director"
    r"(?:y|ies))"
    r"|system (?:folders?|files|director(?:y|ies)|drive|disk|partition)|boot (?:folder|partition|sector)"
    r"|root (?:folder|directory)"
    r"|(?:whole|entire) (?:disk|drive|machine|server|file ?system)|hard (?:disk|drive)|user profiles?"
    r"|[a-z] drive|partition table"
    r"|operating system|everything on (?:the|this) (?:disk|drive|machine|server|host))\b)"
)
DELETE = (
    rf"(?:\b{NOT_RUN}(?:delet(?:e|ed|ing)|remov(?:e|ed|ing)|wip(?:e|ed|ing)|eras(?:e|ed|ing)|purg(?:e|ed|ing)"
    rf"|clear(?:ed|ing)?|empt(?:y|ied|ying)|destroy(?:ed)?"
    r"|nuke|get rid of|clean(?:ed)? (?:up|out)|(?:re)?format(?:ting)?|shred|scrub|trash|overwrite|zero(?: out)?"
    r"|truncate|may go|leave nothing in|rmdir|rm|unlink|throw away|drop)\b)"
)
PLACE_ZH = (
    r"(?:主目录|家目录|用户目录|用户文件夹|用户配置|系统目录|系统文件|系统盘|系统分区|根目录|整个硬盘"
    r"|整个磁盘|整台服务器|[A-Za-z] ?盘)"
)
DELETE_ZH = rf"(?:{NOT_ZH}(?:删除|删掉|删光|清空|清除|清掉|清理|格式化|抹掉|移除|销毁|全部删|整个删|rm -rf))"

ENGLISH = (
    rf"{DELETE}{LINE}{PLACE}",
    rf"{PLACE}{LINE}\b(?:deleted|removed|wiped|erased|purged|cleared|emptied|destroyed|may go|rm -rf)\b",
    rf"{DELETE}{FAR}{NAMED}",
    rf"{NAMED}{NEAR}\b(?:can|may|should|must)\b{NEAR}\b(?:go|cleared|deleted|removed|wiped|erased|emptied)\b",
    rf"{NOT_RUN}\brm\s{{1,9}}(?:-\S{{1,20}}\s{{1,9}}){{1,3}}[^\n;|&]{{0,60}}?(?<!\S)[\"']?(?:{SYSTEM}|{HOME}|/){END}"
    rf"{FORBIDDEN}",
    r"\brm\b[^\n;|&]{0,40}--no-preserve-root",
    rf"\b(?:rd|rmdir|del|erase|format)\s{{1,9}}(?:/\w\s{{1,9}}){{1,4}}[\"']?(?:{DRIVE}|%\w{{4,20}}%|[A-Za-z]:)",
    rf"\b(?:del|erase)\s{{1,9}}[\"']?{DRIVE}\S{{0,20}}(?:\s{{1,9}}/\w){{1,4}}",
    rf"\bremove-item\b[^\n]{{0,80}}(?:{DRIVE}|\$env:|\$home|~)",
    rf"\bfind\s{{1,9}}(?:/|~|\$home|{SYSTEM})\s[^\n|]{{0,80}}(?:-delete\b|-exec\s{{1,9}}rm\b)",
    r"\bformat\s{1,9}(?:the\s{1,9})?(?:drive|disk)?\s?[a-z]:(?=\s|$)",
    r"\brmtree\s?\([^\n]{0,40}(?:expanduser|path\.home|['\"](?:/|~|/etc|/home|/usr|/var)/?['\"])",
    r"\bdiskpart\b[^\n]{0,40}\bclean\b|>\s{0,2}/dev/(?:sd|nvme|vd)|\bmv\s{1,9}(?:~|\$home)\S{0,3}\s{1,9}/dev/null"
    r"|\bchmod\s{1,9}-r\s{1,9}0{1,3}\s{1,9}/",
    rf"\b{NOT}format\b{NEAR}\b(?:drive|disk)\b",
)
CHINESE = (Sentence(DELETE_ZH, rf"(?:{PLACE_ZH}|{PLACE}|(?<![\w/.]){SYSTEM}{END}|\$HOME|[A-Za-z]:\\|(?<!\w)~/)"),)
PATTERNS = (*ENGLISH, *CHINESE)
