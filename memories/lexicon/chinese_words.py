"""Chinese words and characters. What tool names begin with stands in `tool_words`."""

from memories.lexicon import words

HAN = "\u3400-\u4dbf\u4e00-\u9fff"  # inside the brackets of a regular expression: Chinese characters in common use
KANA = "\u3041-\u30ff"  # the same of Japanese syllables, by which a text with Chinese characters is Japanese

# Things of a series, told apart by their number, and what makes a number an amount.
SERIES = (
    *("发票", "订单", "客户", "用户", "工单", "房间", "项目", "任务", "包裹", "合同", "门店", "服务器", "节点"),
    *("会议室", "仓库", "航班", "案件", "病人", "患者", "学生", "员工", "设备", "机器", "阶段", "步骤", "构建"),
)
MEASURES = frozenset("个件份张天次笔元块人台位名项条只家年月日号小分秒周页%")

# Stop characters: a term neither starts nor ends with one.
STOP = frozenset(
    "一上下不与个为么之也了些什从他以们会你其到又及可吗吧呀呢和哦哪啊嗯在她好它对就帮很怎您想我把是有样没的给能被要"
    "让请谁谢还这那都里问"
)

# Characters with which one asks, whatever one asks for; also in traditional writing.
ASKING = frozenset("什么谁哪怎吗呢几何甚麼誰嗎幾")

# Words of tools' messages: text made of these may be quoted.
PLAIN = words(
    """
    的 了 已 未 被 无 非 请 或 和 与 为 在 该 此 不 过 中 后 前 可 尚未 已经 没有 不能 无法 不可 不存在 不支持
    不允许 不足 不匹配 不正确 无效 无权 权限 错误 失败 异常 超时 超出 超过 限制 范围 次数 数量 金额 余额 库存
    用户 账户 账号 客户 订单 商品 产品 地址 手机号 电话 邮箱 密码 验证码 支付 付款 方式 退款 退货 换货 取消 修改
    更新 删除 查询 找到 找不到 存在 重复 过期 签收 发货 待发货 配送 运输 完成 关闭 处理 申请 审核 参数 格式 缺少
    必填 字段 文件 目录 路径 系统 服务 接口 请求 响应 网络 连接 拒绝 稍后 重试 登录 操作 状态 时间 日期 记录
    数据 类型 名称 编号 号码 号 单号 输入 支持 允许 可用 不可用 座位 航班 预订 行李 已满 为空 不能为空 不一致 不符
    冻结 锁定 包裹 快递 物流 优惠券 信息 内容 结果
    """
)

# First characters of what people ask of an agent or tool.
WORK = (
    "在用使给把将对向跟和为发打叫让安排预订购买推送提交合并部署修改删除写说加联系回复称呼透露公开自动擅自随便直接"
    "重启运行执行忽略跳过翻译显示添加缩写省略泄露分享通知抄送转发覆盖调用"
)

# A state is said to be new by them, and what may stand before them without being what they are about.
UPDATES = (
    *("现在", "如今", "不再", "改成", "改为", "改用", "改由", "改到", "搬到", "搬去", "搬至", "换成", "换到", "调到"),
    "[自从][^，。]{1,6}起",
)
BEFORE_UPDATES = "已经从由也都的，"
# What is said of a subject follows it, where it does not follow the word that says that it is new.
VERBS_AFTER_SUBJECTS = "在|是|用|为|由|归|喜欢|偏好|需要|要求|使用|采用|负责|通过|住"
MOVES, IS_AT = "搬", "在"

# What is done again and again, as a part of a regular expression.
OFTEN = r"通常|经常|往往|一般|常常|习惯|每天|每周|每月|每年|定期"
