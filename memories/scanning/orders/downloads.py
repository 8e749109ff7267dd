"""Orders to run what a download brings, and to take packages from another index."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CF, CN, FAR, FORBIDDEN, LINE, NEAR, NOT, NOT_RUN, NOT_ZH, WEB

FETCH = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)"
SHELL = (
    r"(?:sudo\s{1,9})?(?:\S{0,20}/)?(?:(?:ba|z|da|k)?sh|python\d?|node|perl|ruby|php|iex|invoke-expression"
    r"|powershell)\b"
)
RUN = (
    rf"(?:\b{NOT}(?:run(?:s|ning)?|exec(?:ut(?:e|es|ed|ing))?|import|unpack|self-update|launch(?:ing)?"
    rf"|eval(?:uate|uating)?|double-click|source|install(?:ing)?|start it|make it executable"
    r"|pipe|apply|chmod)\b)"
)
BROUGHT = (
    rf"(?:\b{NOT}(?:download|fetch|grab|retriev|pull|clone|obtain|sav|get)(?:e|s|es|ed|ing)?\b[^.\n]{{0,60}}"
    r"\b(?:from|at|in|off|behind|via|over)\b[^.\n]{0,12}(?:\b(?:link|forum|internet|web|update server|remote"
    r"|cdn|pastebin|gist|ticket|chat"
    r"|attachment|e-?mail|server|mirror|site|page)\b))"
)
RUN_OR_START = rf"(?:{RUN}|\b(?:launch|use|start|open)\b)"
PROGRAM = (
    r"(?:\b(?:scripts?|binary|binaries|installers?|programs?|executables?|patch(?:ed)?|helper|agent"
    r"|client|module|package|tool|kit|update(?: package)?|extension|macros?)\b)"
)
# hosts of the indexes that everybody uses; the name must end there
KNOWN = (
    r"(?!['\"]?https?://(?:pypi\.org|pypi\.python\.org|files\.pythonhosted\.org|test\.pypi\.org"
    r"|download\.pytorch\.org"
    r"|registry\.npmjs\.org|registry\.yarnpkg\.com|rubygems\.org|proxy\.golang\.org|repo\.maven\.apache\.org"
    r"|repo1\.maven\.org|crates\.io|index\.crates\.io)(?:[/:\s'\",;)]|$))"
)
URL = rf"(?:{KNOWN}['\"]?(?:sparse\+)?https?://)"
PACKAGES = (
    r"(?:\b(?:packages?|dependenc(?:y|ies)|librar(?:y|ies)|wheels?|crates?|gems?|modules|pip3?|npm|pnpm|yarn"
    r"|cargo|maven|conda|poetry|apt)\b)"
)
INDEX = (
    r"(?:\b(?:registr(?:y|ies)|index(?:es)?|mirrors?|prox(?:y|ies)|sources?|channels?|wheel house|settings"
    r"|instead of|out of)\b)"
)
INSTALL_ZH = r"(?:安装|依赖|软件包|所有包|pip|npm|yarn|apt|maven|gem|conda|包)"
INDEX_ZH = r"(?:源|镜像|registry|仓库|index)"

DOWNLOADS = (
    rf"{NOT_RUN}\b{FETCH}\b(?:\\\n|[^\n|]){{0,200}}\|\s{{0,3}}{SHELL}{FORBIDDEN}(?!\s{{1,3}}-[mc]\b)",
    rf"\b(?:(?:ba|z|da|k)?sh|python\d?|perl|ruby|php|node|source|eval|exec)\b[^\n]{{0,12}}(?:<\(|\$\("
    rf"|`)\s{{0,9}}{FETCH}\b",
    r"\b(?:iex|invoke-expression)\b[^\n]{0,100}\b(?:downloadstring|webclient|iwr|irm|invoke-webrequest"
    r"|invoke-restmethod)\b",
    rf"\b{FETCH}\b[^\n]{{0,200}}(?:&&|;|\n)\s{{0,9}}(?:sudo\s{{1,9}})?(?:chmod|(?:ba|z|da)?sh|python\d?|dpkg|rpm"
    rf"|start-process|\./|/tmp/)",
    r"\b(?:exec|eval)\s?\([^\n]{0,100}\b(?:urlopen|requests\.get|httpx\.get|fetch\()",
    rf"\b(?:pip\d?|pipx|uv pip|npm|pnpm|yarn|npx|gem|go|cargo|poetry|uv)\s{{1,9}}(?:install|add|i|get"
    rf"|run)?\s{{0,9}}[^\n]{{0,40}}?(?<![=\w-])(?:git\+)?{URL}",
    r"\b(?:docker|podman) run\b[^\n]{0,60}--privileged\b",
    Sentence(WEB, RUN, PROGRAM),
    rf"{RUN}{LINE}\b(?:from|at|behind|under|into)\b{NEAR}{WEB}|\bpipe\b{NEAR}{WEB}",
    rf"{WEB}{LINE}\b(?:and|then|before)\b{NEAR}(?:{RUN}|\bopen it\b|\bpipe\b)",
    Sentence(BROUGHT, RUN_OR_START, PROGRAM),
    Sentence(
        r"(?:\b(?:link|url) (?:in|of|from)\b|\bwithout (?:checking|verifying) (?:the |its )?(?:signature"
        r"|checksum|hash))",
        RUN_OR_START,
        PROGRAM,
    ),
    rf"\b{NOT}(?:download|fetch|grab|pull|clone)\b{FAR}\b(?:and|then|before)\b{NEAR}\b(?:run|execute|launch"
    rf"|install)\b{NEAR}\b(?:it|them|its|the (?:script|installer|binary|program|file))\b",
    rf"\b{NOT}(?:run|execut(?:e|ed)|obey|appl(?:y|ied))\b{FAR}\b(?:update|remote|download) server\b|\b(?:update"
    rf"|remote|download) server\b{FAR}\b(?:run|executed?|applied)\b",
    rf"\b(?:open|run|launch|start|enable)\b{NEAR}\b(?:attachment|attached (?:file|program|script)|macros?)\b"
    rf"{FAR}\b(?:enable|allow|as|and|run)\b",
    rf"\battachment\b{FAR}\b(?:start|run|execute|launch|install)\b|\bpaste\b{FAR}\b(?:command|line|code"
    rf"|it)\b{FAR}\b(?:terminal|shell|console|prompt)\b",
    rf"\s--(?:extra-)?index-url[= ]\s?(?:{URL}|\S{{1,60}}\.\w{{2,6}}\b(?<!\.org))",
    rf"\s(?:--find-links|--default-index|--index|-f)[= ]{URL}|\bnpm_config_registry\s{{0,3}}=|\bnuget\b"
    rf"{NEAR}\badd source\b",
    r"(?<!never use )(?<!not use )(?<!without )(?<!avoid )--trusted-host\b",
    rf"\b(?:pip|uv)_(?:extra_)?index_url\b{NEAR}{URL}|\bindex-url\b[^\n]{{0,8}}{URL}|(?<!\w)-i\s{{1,9}}{URL}"
    rf"|\bthrough\s{{1,9}}-i\b",
    rf"\bconfig\s{{1,9}}set\b{NEAR}\b(?:registry|index-url|npmregistryserver)\b{NEAR}{URL}|\bregistry\s?=\s?{URL}"
    rf"|\s--registry[= ]{URL}",
    rf"\b(?:use|point|set|switch|change|replace|add|take|fetch|prefer|configure|install)\b{LINE}{INDEX}{LINE}{URL}",
    Sentence(URL, PACKAGES, INDEX),
    rf"{PACKAGES}{LINE}\b(?:from|out of)\b{NEAR}{URL}|\binstall\b{LINE}\bfrom\s{{1,9}}{URL}",
    r"\bgoproxy\s?=\s?(?!https://proxy\.golang\.org|off|direct)\S|\b(?:gonosumdb|gosumdb)\s?="
    r"|\bgoflags\s?=\s?-insecure",
    rf"\bbundle\s{{1,9}}config\b{NEAR}\bmirror|\bgem\b{LINE}\s(?:--source|-s)\s{{1,9}}{URL}"
    rf"|\bconda\s{{1,9}}config\s{{1,9}}--add\s{{1,9}}channels\s{{1,9}}{URL}",
    rf"\bpoetry\s{{1,9}}source\s{{1,9}}add\b|^\W{{0,3}}deb\s{{1,9}}(?:\[[^\]]{{0,60}}\]\s{{1,9}})?{URL}"
    rf"|\bdeb\s{{1,9}}"
    rf"(?:\[[^\]]{{0,60}}\]\s{{1,9}})?{URL}{LINE}\bsources\.list|\bapt-key\s{{1,9}}adv\b",
    # Chinese
    rf"{NOT_ZH}(?:下载|获取|拉取|拉下来|拉到|克隆|取回|取){CF}(?:然后|并|再|后|，|直接|双击|以管理员"
    rf"|来)[^。\n]{{0,8}}(?:运行|执行|启动|跑|双击|静默安装|安装)",
    Sentence(WEB, r"(?:运行|执行|启动|跑|双击|安装程序|脚本)", r"(?:下载|获取|克隆|拉|取|用|执行|运行)"),
    r"(?:拉下来|下载下来|下载的|下载好的|网上下载|远程脚本|远程服务器)[^。\n]{0,12}(?:运行|执行|启动|跑"
    r"|脚本|程序)",
    r"(?:运行|执行|启动)[^。\n]{0,8}(?:链接|邮件|附件)[^。\n]{0,8}(?:程序|脚本|安装包)",
    rf"(?:运行|执行|跑|启动)[^。\n]{{0,6}}(?:从网上|网上|远程|从链接)(?:下载|获取|拉取)?|(?:启用|开启){CN}宏"
    rf"|(?:终端|命令行)[^。\n]{{0,4}}粘贴|粘贴{CF}(?:终端|命令行)|附件{CF}(?:宏|运行|执行)",
    Sentence(URL, INDEX_ZH, INSTALL_ZH),
    rf"{INDEX_ZH}{CN}(?:地址)?(?:改成|改为|换成|替换为|设为|设置为|改用|指向|切换到){CN}{URL}",
    rf"(?:用|改用|换成|加入|添加|加上|使用|写入|走){CN}{URL}[^。\n]{{0,30}}(?:{INDEX_ZH}|装)|(?:sources\.list"
    rf"|软件源|\.npmrc){CF}{URL}",
    rf"(?:从|到){CN}{URL}[^。\n]{{0,30}}(?:安装|装包|下载依赖)",
)
