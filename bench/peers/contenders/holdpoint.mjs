import { createRequire } from 'node:module';
import { z } from 'zod';
import {
  callIdFor,
  createWork,
  DESCRIPTION,
  earlierTurns,
  FINAL_TEXT,
  inputFor,
  TOKENS,
  TOOL,
} from '../scenario.mjs';

/** The checkout that this bench belongs to. */
export const ROOT = new URL('../../../', import.meta.url);

const usage = { inputTokens: TOKENS.input, outputTokens: TOKENS.output };

/** `root` is the folder of a checkout with a build; its URL ends with a slash. */
export async function holdpointSqlite({ file, synchronous }, root = ROOT) {
  const [holdpoint, { sqliteStore }] = await load(root, ['index.js', 'store/sqlite/index.js']);
  // The copy that the store loads.
  const RootDatabase = createRequire(new URL('package.json', root))('libsql');
  // Earlier turns are not measured: they need not wait for the disk.
  const openSeeds = () => sqliteStore(file, { synchronous: 'NORMAL' });
  const ours = contender(holdpoint, sqliteStore(file, { synchronous }), openSeeds);
  return { ...ours, connect: () => new RootDatabase(file) };
}

export async function holdpointPostgres({ pool, hastyPool }, root = ROOT) {
  const [holdpoint, { postgresStore }] = await load(root, ['index.js', 'store/postgres/index.js']);
  return contender(holdpoint, postgresStore(pool), () => postgresStore(hastyPool));
}

function contender(holdpoint, store, openSeeds) {
  const work = createWork();
  // One agent interrupts and another answers, so that the answer depends on the store alone.
  const asking = createAgent(holdpoint, { work, model: createModel(work), approval: true });
  const answering = createAgent(holdpoint, { work, model: createModel(work), approval: true });
  return {
    work,
    async seed(thread, turns) {
      const seeds = openSeeds();
      for (const turn of earlierTurns(turns)) {
        const agent = createAgent(holdpoint, { work, model: modelOfTurn(turn), approval: false });
        await agent.generate({ store: seeds, threadId: thread, prompt: turn.prompt });
        work.forget(turn.input.toAccountId);
      }
      await seeds.close();
    },
    async ask(thread, prompt) {
      const asked = await asking.generate({ store, threadId: thread, prompt });
      if (asked.finishReason !== 'interrupted') throw new Error('Holdpoint did not ask.');
      return asked.interrupts[0];
    },
    async answer(thread, interrupt) {
      const resume = [holdpoint.approve(interrupt)];
      const answered = await answering.generate({ store, threadId: thread, resume });
      return answered.text;
    },
  };
}

export function createAgent({ defineAgent, defineTool }, { work, model, approval }) {
  const transferMoney = defineTool({
    name: TOOL,
    description: DESCRIPTION,
    input: z.object({ toAccountId: z.string(), amount: z.number().int() }),
    approval,
    run: (input) => work.run(input),
  });
  return defineAgent({ id: 'bench', model, tools: [transferMoney] });
}

/** Written by hand: `scriptedModel` keeps every request, which would cost memory. */
export function createModel(work) {
  return {
    provider: 'bench',
    model: 'mock',
    async *stream({ messages }) {
      work.saw(messages.length);
      const last = messages.at(-1);
      if (last.role === 'tool') yield* say(FINAL_TEXT);
      else yield* call(callIdFor(last.content), inputFor(last.content));
    },
  };
}

function modelOfTurn({ callId, input, reply }) {
  return {
    provider: 'bench',
    model: 'mock',
    async *stream({ messages }) {
      if (messages.at(-1).role === 'tool') yield* say(reply);
      else yield* call(callId, input);
    },
  };
}

function* say(delta) {
  yield { type: 'text', delta };
  yield { type: 'finish', reason: 'stop', usage };
}

function* call(callId, input) {
  yield { type: 'tool-call', callId, name: TOOL, input: JSON.stringify(input) };
  yield { type: 'finish', reason: 'tool-calls', usage };
}

/** Imports files of a build. */
export async function load(root, files) {
  try {
    return await Promise.all(files.map((file) => import(new URL(`dist/${file}`, root))));
  } catch (cause) {
    throw new Error(`No build of Holdpoint in ${root.pathname}: run "npm run build" there.`, { cause });
  }
}
