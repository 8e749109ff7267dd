"""A local SMTP server that takes mails, or refuses them as a test says."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import default

REPLIES = {"EHLO": b"250 tests\r\n", "MAIL": b"250 ok\r\n", "QUIT": b"221 bye\r\n"}


@dataclass
class MailServer:
    """`refuses`: the answers to the next recipients, then they are taken."""

    port: int = 0
    refuses: list[bytes] = field(default_factory=list)
    mails: list[Message] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)


@contextmanager
def smtp() -> Iterator[MailServer]:
    told = MailServer()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 tests\r\n")
            while line := self.rfile.readline():
                verb = line[:4].decode().upper()
                if verb == "DATA":
                    self.wfile.write(b"354 go on\r\n")
                    told.mails.append(message_from_bytes(self._body(), policy=default))
                    self.wfile.write(b"250 taken\r\n")
                elif verb == "RCPT":
                    told.recipients.append(line.decode().strip()[8:].strip("<>"))
                    self.wfile.write(told.refuses.pop(0) if told.refuses else b"250 ok\r\n")
                else:
                    self.wfile.write(REPLIES.get(verb, b"250 ok\r\n"))

        def _body(self) -> bytes:
            lines = []
            while (line := self.rfile.readline()) != b".\r\n":
                lines.append(line)
            return b"".join(lines)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        told.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield told
        finally:
            server.shutdown()
            thread.join()
