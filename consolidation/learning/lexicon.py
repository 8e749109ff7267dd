"""Closed word lists: stop words, verbs of tool names, generic words, words of error messages."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A tool whose name starts with one of these only reads.
READS = _words(
    """
    calculate cat check count describe fetch find get glob grep inspect list lookup ls query read rg search show
    think view
    """
)

# The same in Chinese, at the beginning of a name and at its end (订单查询).
READS_ZH = tuple(
    _words(
        """
        查 获取 读取 取得 搜 检索 检查 检视 列出 列举 统计 计算 估算 浏览 显示 展示 思考 描述 比较 对比 计数 获得
        预览 獲取 讀取 檢索 檢查 檢視 統計 計算 瀏覽 顯示 比較 獲得
        """
    )
)
READS_ZH_LAST = ("查询", "查看", "查找", "检索", "搜索", "统计", "查詢", "檢索", "搜尋", "統計")

# Stop words: grammar and politeness, found in every request.
STOP = _words(
    """
    back except expect expected feeling helps helped once longer saying showing reaching past place read sent asked
    consider instead proceed proceeding confirm confirmed check checking another
    specifically
    a able about actually after afternoon again agent all alright also am an and any anyone anything anyway
    appreciate are around as assist assistance assistant at be because been before being believe best bit bonjour
    but by can can't cannot certainly code come could couldn't couple course currently dear details did didn't
    difficult do does doesn't doing don't down due each easy eight either else email even evening every everything
    experienced few fine first five for forward four from get gets getting give go going good got great had handle
    happy has hasn't have haven't having he hear hello help her here hers hey hi him his hope hopefully hoping how
    however i i'd i'll i'm i've id ids if in info information into is isn't it it's its itself just kind kindly know
    less let let's like likely ll look looking looks lot lovely made make makes making many matter may maybe me mean
    might mine moment more morning most much must my myself need needed needing needs neither nice nine no not now
    number numbers of off ok okay on one ones only or other others our ours out over own perhaps please possible pretty
    provide provided question questions quick quickly quite rather re ready really reason recall receive received
    recently remember right said same say see seven she should since situation six so some somebody somehow someone
    something soon sorry start still such support sure take tell ten than thank thanks that that's the their them
    then there there's these they they're thing things think this those though three through time to today too try
    trying two under understand unfortunately until up upon us use username using ve very via want wanted wanting
    wants was wasn't way we we'd we'll we're we've well were what what's when where whether which while who whom
    whose why will wish with within without won't wonder wondering would would've wouldn't yes you you'd you'll
    you're you've your yours
    """
)

# Between two words of one term: cancel my flight is about "cancel flight", "cancel or change" is not one.
LIGHT = _words("of a an the my our this that these those any all some one")

# Chinese stop characters: a term neither starts nor ends with one.
STOP_ZH = frozenset(
    "一上下不与个为么之也了些什从他以们会你其到又及可吗吧呀呢和哦哪啊嗯在她好它对就帮很怎您想我把是有样没的给能被要"
    "让请谁谢还这那都里问"
)

# Control marks that a recording inserts into texts.
CONTROL = r"#{2,}\s*\w+\s*#{2,}|<\|[^|<>]{1,40}\|>|\[(?:DONE|END|STOP|EOS)\]|</?s>"

# Verbs with which tool names begin.
VERBS = _words(
    """
    accept acknowledge activate add adjust allocate analyze append apply approve archive arrange assign attach
    authorise authorize ban block book build buy calculate call cancel change charge check classify clean clear
    click clone close commit compare compile complete compose compute confirm connect convert copy count create
    deactivate debug decline delete deliver deploy describe detect disable discount dispatch display download draft
    drop edit email emit enable enroll enter escalate estimate evaluate exchange exec execute expand expire export
    extend extract fetch file fill find fix flag format forward generate get grant grep hand hold import include
    index insert inspect install invite invoke issue join kill label launch link list load lock log login look
    lookup mail make map mark merge migrate modify move navigate notify offer open order pack parse patch pause pay
    ping place plan play post predict prepare print process promote publish pull purchase push put query queue quote
    raise read rebase rebook rebuild recommend record redeem refresh refund refuse register reject release reload
    remind remove rename render renew reopen replace reply report request reschedule reserve reset resize resolve
    respond restart restore resume retire retrieve retry return revert review revoke rewrite rollback rotate route
    run save scan schedule search select sell send set share ship show sign sort split start stop store submit
    subscribe suggest summarize suspend swap switch sync tag test think toggle track transcribe transfer transform
    translate trigger type undo unlock unsubscribe update upgrade upload upsert use validate verify view void wait
    withdraw write
    """
)

# Chinese words of tools' messages: text made of these may be quoted.
PLAIN_ZH = _words(
    """
    的 了 已 未 被 无 非 请 或 和 与 为 在 该 此 不 过 中 后 前 可 尚未 已经 没有 不能 无法 不可 不存在 不支持
    不允许 不足 不匹配 不正确 无效 无权 权限 错误 失败 异常 超时 超出 超过 限制 范围 次数 数量 金额 余额 库存
    用户 账户 账号 客户 订单 商品 产品 地址 手机号 电话 邮箱 密码 验证码 支付 付款 方式 退款 退货 换货 取消 修改
    更新 删除 查询 找到 找不到 存在 重复 过期 签收 发货 待发货 配送 运输 完成 关闭 处理 申请 审核 参数 格式 缺少
    必填 字段 文件 目录 路径 系统 服务 接口 请求 响应 网络 连接 拒绝 稍后 重试 登录 操作 状态 时间 日期 记录
    数据 类型 名称 编号 号码 输入 支持 允许 可用 不可用 座位 航班 预订 行李
    """
)

# Verbs of tool names that are too general for a trigger.
VAGUE = _words("update send run set make get put add modify edit create write open call use start do")

# Generic words of requests: triggers only where a tool's name holds them.
GENERIC = _words(
    """
    actual additional already appear available behavior behaviour bug case cases choice clear command commands
    confirmation confirmations correct exact exactly honestly identify locate member next paid process quickly started
    current data default detail different difference differences ensure environment error example extra fails file
    files final find fix found full general guide hours include instance issue item items keep keeping kind last level
    line lines list locate long lower main message method missing mobile mode model models module name new next
    object old option options original outcome package part phone picked placed point problem product program project
    proper recent regular related request required result results robust run second section set several
    simple single small sort source specific standard started state status step steps stuff summary system target task
    test tests text title tool tools top total type types upcoming used user value values version whole work working
    works
    """
)

PREPOSITIONS = _words(
    """
    as at by for from in into of on onto to via with
    """
)

# Words of error messages: always quotable, never a person's name.
PLAIN = _words(
    """
    access account active add all allowed already amount and any are argument arguments as at authentication
    authorized available bad balance be because been before build call called can cannot card change changed check
    closed code command compile conflict connection could create data date day days declared deleted denied details
    directory disabled does doesn't duplicate email empty enough error exceeded exception exist existing exists
    expected expired fail failed failure fatal field file files flight for forbidden format found from function
    given has have id import in index input insufficient internal invalid is it item items json key large limit line
    lint list locked long match method missing module must name network no non not null number object of on only
    operation option or order out package page parameter parse password path payment pending permission please
    process processed quantity quota range rate reached read refused rejected request required reservation resource
    response result return rule runtime same seats server service session set size status stock string such support
    supported syntax system table test tests than that the this time timed timeout to token too total transaction
    type unable unavailable undefined unexpected unknown unused update use used user valid value variable was while
    with write wrong yet you
    """
)
