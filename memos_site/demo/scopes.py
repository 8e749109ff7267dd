"""The scopes of the demo team: all that is in them came with it, and goes with it."""

PREFIX = "demo:"
SHOP, CHINESE, TRAVEL, CODE = f"{PREFIX}shop", f"{PREFIX}shop-cn", f"{PREFIX}travel", f"{PREFIX}code"
TEAM, WAREHOUSE = f"{PREFIX}team", f"{PREFIX}warehouse"
AGENTS = {  # the scopes in which each works, beside the team's
    "demo-support": (SHOP, WAREHOUSE),
    "demo-support-cn": (CHINESE,),
    "demo-travel": (TRAVEL,),
    "demo-coder": (CODE,),
}
