// Memos in opencode: a plugin that tells the hook (~/.memos/memos_hook.py) what happens. It never blocks and never throws.
import { spawn } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"

const HOOK = join(homedir(), ".memos", "memos_hook.py")
const SECONDS = 10

function ask(event) {
  return new Promise((resolve) => {
    try {
      const hook = spawn("python3", [HOOK, "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => hook.kill(), SECONDS * 1000)
      let text = ""
      hook.stdout.on("data", (piece) => (text += piece))
      hook.on("error", () => resolve({}))
      hook.on("close", () => {
        clearTimeout(timer)
        try {
          resolve(JSON.parse(text))
        } catch {
          resolve({})
        }
      })
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(event))
    } catch {
      resolve({})
    }
  })
}

export const Memos = async ({ directory }) => {
  const known = new Map() // session -> what fits its prompt
  const words = new Map() // session -> the agent's last text
  const roles = new Map() // message -> role
  const common = (session) => ({ session_id: session, cwd: directory })
  const say = (session, name, more) => ask({ ...common(session), hook_event_name: name, ...more })
  return {
    "chat.message": async (input, output) => {
      const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const answer = await say(input.sessionID, "UserPromptSubmit", { prompt: prompt.join("\n") })
      known.set(input.sessionID, answer.hookSpecificOutput?.additionalContext ?? "")
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = known.get(input.sessionID)
      if (text) output.system.push(text)
    },
    "tool.execute.after": async (input, output) => {
      const exit = output.metadata?.exit
      const response = typeof exit === "number" ? { output: output.output, exit } : output.output
      const call = { tool_name: input.tool, tool_input: input.args, tool_use_id: input.callID }
      await say(input.sessionID, "PostToolUse", { ...call, tool_response: response })
    },
    event: async ({ event }) => {
      const told = event.properties ?? {}
      if (event.type === "message.updated") roles.set(told.info?.id, told.info?.role)
      const part = event.type === "message.part.updated" ? told.part : undefined
      if (part?.type === "text" && roles.get(part.messageID) === "assistant") words.set(part.sessionID, part.text)
      if (part?.type === "tool" && part.state?.status === "error") {
        const call = { tool_name: part.tool, tool_input: part.state.input, tool_use_id: part.callID }
        await say(part.sessionID, "PostToolUseFailure", { ...call, error: part.state.error })
      }
      if (event.type === "session.idle") {
        await say(told.sessionID, "Stop", { last_assistant_message: words.get(told.sessionID) ?? "" })
      }
    },
  }
}
