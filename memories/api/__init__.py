"""The API of memories: one module per resource, named as its address is.

base.py, shapes.py, paging.py, json_bodies.py, openapi.py   what views, answers and lists of all rooms are made of
authentication.py, call_limits.py, idempotency.py           who calls, how often, and once more
problems.py                                 errors, each with its code and the fields that are wrong
memory_shape.py, payload_shapes.py, provenance.py           a memory as every answer has it
tool.py, tool_reply.py, memory_tools.py     the same for agents that call tools
ingestion.py, batch.py, traces.py           what agents report: one, many, spans of OpenTelemetry
"""
