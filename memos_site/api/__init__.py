"""Resources of the API that span rooms, one a module, named as its address is.

tools.py, mcp/                              the table of tools that agents call, over HTTP and MCP
openapi.py, error_pages.py, prometheus.py   the document, errors outside of views, metrics
"""
