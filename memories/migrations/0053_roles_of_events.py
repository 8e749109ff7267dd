"""Events whose kind spells a role are what somebody said; those of before get their role and their text."""

from typing import Any

from django.db import migrations

# role -> kinds, in lower case and without signs, as they stood when this was written
KINDS = {
    "user": (
        *("user", "human", "userinput", "usermessage", "userprompt", "userquery", "userrequest"),
        *("humaninput", "humanmessage", "genaiusermessage", "用户"),
    ),
    "assistant": (
        *("assistant", "agent", "ai", "model", "assistantoutput", "assistantmessage", "assistantresponse"),
        *("agentoutput", "agentmessage", "agentresponse", "aioutput", "aimessage", "airesponse"),
        *("modeloutput", "modelmessage", "modelresponse", "genaiassistantmessage", "genaichoice", "gpt", "助手"),
    ),
    "system": (
        *("developer", "systemmessage", "systemprompt", "systeminstructions", "developermessage"),
        "genaisystemmessage",
    ),
    "tool": ("tool", "function", "toolmessage", "functionmessage", "genaitoolmessage"),
}
SPEAKS = """
    UPDATE memories_event SET role = %s, text = CASE text WHEN '' THEN summary ELSE text END
    WHERE role = '' AND tool = '' AND translate(lower(kind), '._:/- ', '') = ANY(%s)
"""


def speak(apps: Any, editor: Any) -> None:
    with editor.connection.cursor() as cursor:
        for role, kinds in KINDS.items():
            cursor.execute(SPEAKS, [role, list(kinds)])


class Migration(migrations.Migration):
    dependencies = [("memories", "0046_numbers_of_series")]

    operations = [migrations.RunPython(speak, migrations.RunPython.noop, elidable=True)]
