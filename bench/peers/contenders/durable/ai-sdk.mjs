import { generateText, tool, zodSchema } from 'ai';
import Database from 'libsql';
import { z } from 'zod';
import { callIdFor, createWork, inputFor } from '../../durable/scenario.mjs';
import { DESCRIPTION, earlierTurns, FINAL_TEXT, TOKENS, TOOL } from '../../scenario.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;

const usage = {
  inputTokens: { total: TOKENS.input, noCache: TOKENS.input, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: TOKENS.output, text: TOKENS.output, reasoning: undefined },
};

const createModel = (work) => ({
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'mock',
  supportedUrls: {},
  async doGenerate({ prompt }) {
    work.saw(prompt.length);
    const last = prompt.at(-1);
    if (last.role === 'tool') {
      const finishReason = { unified: 'stop', raw: undefined };
      return { content: [{ type: 'text', text: FINAL_TEXT }], finishReason, usage, warnings: [] };
    }
    const [{ text }] = last.content;
    const input = JSON.stringify(inputFor(text));
    const call = { type: 'tool-call', toolCallId: callIdFor(text), toolName: TOOL, input };
    return { content: [call], finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] };
  },
  doStream() {
    throw new Error('The bench does not stream.');
  },
});

/**
 * AI SDK has no store: its caller reads the messages and writes the new ones, in one transaction for the interrupt and
 * one for the answer. This is the minimum: a second approval would run the tool again.
 */
export function aiSdkSqlite({ file, synchronous }) {
  const work = createWork();
  const model = createModel(work);
  const messages = openMessages(file, synchronous);
  const tools = {
    [TOOL]: tool({
      description: DESCRIPTION,
      inputSchema: zodSchema(z.object({ toAccountId: z.string(), amount: z.number().int() })),
      needsApproval: true,
      execute: (input) => work.run(input),
    }),
  };
  return {
    work,
    seed: (thread, turns) => messages.append(thread, 0, earlierTurns(turns).flatMap(toMessages)),
    async ask(thread, prompt) {
      const history = messages.read(thread);
      const message = { role: 'user', content: prompt };
      const asked = await generateText({ model, tools, messages: [...history, message] });
      messages.append(thread, history.length, [message, ...asked.responseMessages]);
      return asked.content
        .filter(({ type }) => type === 'tool-approval-request')
        .map(({ approvalId }) => approvalId);
    },
    async answer(thread, approvalIds) {
      const history = messages.read(thread);
      const content = approvalIds.map((approvalId) => ({
        type: 'tool-approval-response',
        approvalId,
        approved: true,
      }));
      const yes = { role: 'tool', content };
      const answered = await generateText({ model, tools, messages: [...history, yes] });
      // Not `response.messages`, which lack the result of the tool.
      messages.append(thread, history.length, [yes, ...answered.responseMessages]);
      return answered.text;
    },
    connect: () => new Database(file),
  };
}

function openMessages(file, synchronous) {
  const database = new Database(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  database.exec(
    'CREATE TABLE messages (thread TEXT, seq INTEGER, json TEXT, PRIMARY KEY (thread, seq)) WITHOUT ROWID',
  );
  const select = database.prepare('SELECT json FROM messages WHERE thread = ? ORDER BY seq').raw();
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?)');
  const append = database.transaction((thread, start, added) => {
    added.forEach((message, index) => insert.run(thread, start + index, JSON.stringify(message)));
  });
  return {
    read: (thread) => select.all(thread).map(([json]) => JSON.parse(json)),
    append,
  };
}

function toMessages({ prompt, callId, input, output, reply }) {
  const call = { type: 'tool-call', toolCallId: callId, toolName: TOOL, input };
  const result = {
    type: 'tool-result',
    toolCallId: callId,
    toolName: TOOL,
    output: { type: 'json', value: output },
  };
  return [
    { role: 'user', content: prompt },
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [result] },
    { role: 'assistant', content: reply },
  ];
}
