"""The pages in Chinese, in a real browser: chosen before signing in, kept on every page and for the next browser."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import LONGEST_WAIT, press
from tests.chinese_store import english, fill

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
WIDTHS = (390, 1440)


def open_site(browser: Browser, site: LiveServer, *, locale: str = "en-US") -> tuple[Page, list[str]]:
    page, complaints = browser.new_context(locale=locale).new_page(), []
    page.set_default_timeout(LONGEST_WAIT * 1_000)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(site.url)
    return page, complaints


def sign_in(page: Page) -> None:
    page.locator("#id_username").fill("olga")
    page.locator("#id_password").fill("secret")
    page.get_by_role("button", name="登录").click()
    expect(page.get_by_role("heading", name="收件箱")).to_be_visible()


def visible_english(page: Page) -> list[str]:
    return english(page.content())


def test_chosen_at_the_sign_in_kept_on_every_page_and_in_the_next_browser(
    browser: Browser, live_server: LiveServer
) -> None:
    fill()
    page, complaints = open_site(browser, live_server)
    page.get_by_role("button", name="简体中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    sign_in(page)
    rail = page.locator("nav[aria-label='主导航'] a")
    addresses = rail.evaluate_all("links => links.map(link => link.href)")
    assert len(addresses) >= 7
    for address in addresses:
        page.goto(address)
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        if not address.endswith("/agents/"):  # its texts to paste are documents
            assert visible_english(page) == []
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (address, width)
    assert complaints == []
    another, _complaints = open_site(browser, live_server, locale="zh-CN")
    sign_in(another)
    expect(another.locator("html")).to_have_attribute("lang", "zh-hans")


def test_a_decision_by_keys_answers_in_chinese(browser: Browser, live_server: LiveServer) -> None:
    fill()
    page, complaints = open_site(browser, live_server, locale="zh-CN")
    sign_in(page)
    page.locator("#queue").get_by_role("link", name="客户要求月结三十天付款").focus()
    press(page, "d", "2")
    expect(page.locator("#toast")).to_contain_text("已忽略，原因：过时")
    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("已撤销：“客户要求月结三十天付款”")
    assert visible_english(page) == []
    assert complaints == []
