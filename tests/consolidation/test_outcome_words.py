"""How a run ended by what a user says of it, in plain words."""

import pytest

from consolidation.learning.statements.outcome_statements import says_it_worked


@pytest.mark.parametrize(
    ("told", "texts"),
    [
        (
            True,
            "That worked, thanks!|It works now.|Perfect, works great|"
            "The tests pass now|The issue is fixed. Thank you!|"
            "Yes, that fixed it|everything is working now|The build is green|"
            "perfect, merged|LGTM|thanks, works|great, that did it|"
            "nice, all green|Deployed, all good|Confirmed, fixed|"
            "Tests pass now|Works on my machine now too|finally!! no more CORS error|ok the crash is gone|"
            "Reviewed and approved, merged into develop.|Der Fehler ist weg|läuft, danke!|Perfecto, ya funciona|"
            "可以了，谢谢|问题解决了|测试都通过了|修好了！|好了，谢谢|搞定|没问题，已合并|合并了，谢谢|测试全绿|"
            "Thanks, that matches what finance has.|same as in the dashboard, great|yep 41,882 is what I had too|"
            "The warehouse has the new label, thanks.|Voucher arrived and the note is there, perfect.|"
            "The room is booked, thx!|Great, that is complete now.|Perfect, Nadia is in everywhere now. Thank you!|"
            "Thanks, the shop shows the new price now.|That's right now, thank you.|Good, booked and planned. Thanks.|"
            "Thanks, everything is there.|Looks good, thanks.|Looks good to me. Thank you!|All right now, thanks.|"
            "Thanks, alert cleared.|Great, 1.8.0 is live.|v2.3.1 is out|"
            "Thanks, it's out.|nice, it's back up|No more 502s since noon|"
            "all pods are ready|I can log in again now|ok the lag dropped|sorted, cheers|the tag is there|"
            "告警没再响了|服务恢复了|证书时间对了|"
            "spot on|exactly what i needed|I recounted and got the same number|"
            "对的,跟财务那边的数一致|ok 跟看板上一样",
        ),
        (
            False,
            "the tag was supposed to be 3.2|The site is down again|"
            "still firing|the alert fired again|it went down again after ten minutes|wrong host|tag is missing|"
            "the release has no binaries attached|the fix isn't in|DNS still points to the old address|"
            "you merged into develop, it was meant to be main|"
            "back to square one|又报警了|没好，还在响|发错版本了|服务没起来|"
            "It still doesn't work|That did not work.|same error|Still getting the same error when I run pytest|"
            "It still fails when I click Save|You broke the login|The bug is still there|"
            "CI is red: client.ts is old|The pipeline failed|nope, same error|this breaks the build on Windows|"
            "doesn't work on Safari|Does not work, I get a 500 now|Now I get a KeyError in parse_row|Still nothing|"
            "no, the factory is wrong, it gives null|It still does not show up, the mapper is not called|It's worse|"
            "that didnt work, the modal still opens behind the navbar|No. The numbers are still duplicated|"
            "After your last edit the app won't even start|wrong file! you overwrote config.prod.yml|"
            "geht immer noch nicht|Die Summen stimmen nicht.|sigue sin funcionar|金额算错了|same thing again|"
            "The tests fail in CI now|Revert this please, it breaks production|The button is still disabled|"
            "It throws an exception when the list is empty|There is still a failing test|Wrong result: 12|"
            "还是不行|仍然报错|问题没解决|不管用|页面还是空的|没效果|不行，报 500|改了之后登录不了|测试挂了|结果不对|"
            "你改坏了登录|跑不起来|又挂了|编译不过|报错：KeyError|现在报 TypeError 了|按钮还是点不了|回滚吧|"
            "That isn't what finance has.|no, too high|nope doesn't match, I get 5,602|You forgot the attachment|"
            "Doesn't reconcile.|这个数不对吧|你漏了附件二",
        ),
        (
            None,
            "Does it work?|If it works, commit it|That works for me|That works!|The checkout does not work|thanks|"
            "Make sure it works|It worked before your change|It works, but the button is ugly|Yes, please proceed|"
            "It's not right that some have nothing|That should work|Fix the failing tests|Is CI red?|"
            "The icon is still there too|This breaks my heart|"
            "Does not the build work?|When I click Save the page breaks. Please fix it.|I still can't believe it|"
            "I don't think that's the number|It's not exactly what I needed|I doubt that matches|"
            "I see no changes on the page|I get the same thing again|Same as the last time|Everything looks great!|"
            "No, you can go ahead|I got 2 lamps and ordered one|My address is not correct|"
            "If that matches the ledger, book it|Mobile data is off|"
            "Yes, everything is correct. Please proceed.|The item is still in its box|"
            "before it goes live, does marketing know?|is it back?|If it's out, announce it|the other one is down too|"
            "It's live in two weeks|It's out on Friday|The rates are up|"
            "The list is empty|It's up to you|Always up for it|"
            "it's going down again tomorrow for maintenance|I was supposed to go|that was meant to be a joke|"
            "Let's check again after 10 minutes|I landed yesterday|"
            "the customer confirmed the address|see the notes there|"
            "Get it back to normal|I want no more alerts|"
            "not good timing, later|We need it so that they can log in again|"
            "The wrong item arrived, thanks.|Both items arrived broken, thanks|Nothing arrived, thanks|"
            "They are here, thanks|"
            "Can you bring it back up?|The alert cleared, but I have not looked at the logs|"
            "Thanks. The new shop is the main focus right now|Thanks, that is all for now|"
            "I will let you know if it fires again|上线了吗|恢复了再说|"
            "能用了吗？|如果可以了请告诉我|结果不对的话再改|登录页面报错，帮我看看|"
            "合并之前再跑一遍测试|好了没|没用过这个功能|改成红色就可以了",
        ),
    ],
)
def test_a_user_says_that_it_worked_only_in_plain_words(told: bool | None, texts: str) -> None:
    assert {text: says_it_worked(text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), told)


@pytest.mark.parametrize(
    ("told", "texts"),
    [
        (
            False,
            "T-1 is for sales. T-2 is spam. T-3 is late. T-4 has no team. T-5 is new. Please correct these.|"
            "The total has to be net. Please correct it.|OK, then please think of that next time.|"
            "Fine, keep this in mind for the next time.",
        ),
        (
            None,
            "Please correct the total if it is net.|Could you please correct that date in my profile?|"
            "Please correct that typo in the README.|Please correct this: he go home.|please correct it if needed|"
            "Perfect, thanks! Please remember that for next time.|Looks good, thanks. Now go ahead.|"
            "Remember that next time the server restarts you need to log in|Ok, keep it next time we meet|"
            "Remember the milk next time.|A. B. C. D. E. " + "We talked about the garden. " * 30 + "Please redo it.",
        ),
    ],
)
def test_who_asks_for_a_correction_or_wishes_it_otherwise_next_time_says_that_it_failed(
    told: bool | None, texts: str
) -> None:
    assert {text: says_it_worked(text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), told)


@pytest.mark.parametrize(
    ("told", "texts"),
    [
        (
            False,
            "The warehouse says that the label still has the old street.|"
            "Marta tells me the invoice shows the wrong amount|"
            "Our driver called and said the slip has the wrong address on it.|Finance says the total is wrong.|"
            "The warehouse says it did not work.|Jonas says the build fails again.|玛塔告诉我发票金额不对。|"
            "Das Lager sagt, dass auf dem Etikett noch die alte Straße steht.|Marta meldet, die Summe ist falsch.|"
            "Unser Fahrer hat angerufen, auf dem Schein steht die falsche Adresse.|"
            "Die Buchhaltung schreibt, dass der Betrag nicht stimmt.|Jonas sagt, es geht immer noch nicht.",
        ),
        (
            True,
            "the warehouse says thanks, label is right|Marta tells me the invoice is correct now.|"
            "The customer says it works now.|Jonas says all tests pass.|Anna says thanks, the voucher arrived.",
        ),
        (
            None,
            "A customer says her invoice shows the wrong amount.|The customer says she ordered the wrong size.|"
            "The customer says that the old address is wrong, it is Calle Sol 5.|The policy says that it is wrong.|"
            "The previous agent told me the fee is wrong.|They say it will work next week.|She says thanks.|"
            "The customer says he has an old phone.|Does the warehouse say the label is right?|"
            "The customer says the label is right, but she wants another colour.|"
            "Anna says she wants the label to show the old price.|"
            "Die Kundin sagt, sie hat die falsche Größe bestellt.|Der Kunde sagt, er hat noch ein altes Telefon.|"
            "Die Anleitung sagt, dass die Adresse falsch ist.|Sagt das Lager, dass noch die alte Straße draufsteht?|"
            "Der vorige Agent sagte, die Gebühr ist falsch.|Das Lager sagt, wir haben noch alte Kartons.|"
            "Die Kundin sagt, dass die alte Adresse falsch ist, es ist die Parkstraße 5.|"
            "Das Lager möchte, dass noch die alte Straße draufsteht.",
        ),
    ],
)
def test_what_others_say_of_the_work_counts_as_the_users_word_and_what_they_wish_does_not(
    told: bool | None, texts: str
) -> None:
    assert {text: says_it_worked(text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), told)


@pytest.mark.parametrize(
    "said",
    [
        "Thanks. The server is down now.",
        "Thanks, Kim is waiting for the list now.",
        "Great, Anna is on holiday now.",
        "Thanks, the price is too high now.",
        "Thanks, the report shows errors now.",
        "Thanks, confused.",
        "Looks good, but the date is last year's. Thanks.",
        "Looks good.",
        "If it looks good, thanks.",
        "Good, rejected.",
        "Thanks, that is right now urgent.",
        "thanks " * 80,
    ],
)
def test_thanks_with_now_that_tell_no_end_are_no_approval(said: str) -> None:
    assert says_it_worked(said) is not True
