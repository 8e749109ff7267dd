// The official TypeScript client against the server of the first argument with the token of the second: what it saw, as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [address, token] = process.argv.slice(2);
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
const memos = new Client({ name: "tests", version: "1" });
await memos.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
const { tools } = await memos.listTools();
const answer = await memos.callTool({ name: "context", arguments: { task: "Fix add for Acme" } });
const { resources } = await memos.listResources();
const { contents } = await memos.readResource({ uri: resources[0].uri });
const { prompts } = await memos.listPrompts();
const prompt = await memos.getPrompt({ name: prompts[0].name });
console.log(JSON.stringify({
  tools: tools.map((tool) => tool.name),
  answer: answer.content[0].text,
  isError: answer.isError,
  skill: contents[0].text,
  prompt: prompt.messages[0].content.text,
}));
await memos.close();
