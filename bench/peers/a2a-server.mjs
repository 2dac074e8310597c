/** The process of an A2A server of SDK 0.2, which both bridges speak: it streams a reply, and asks for input first if it is told to. */
import { randomUUID } from 'node:crypto';
import { A2AExpressApp, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import express from 'express';

const PIECES = 20;

export async function open() {
  let tasks = 0;
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.on('listening', resolve);
  });
  const url = `http://127.0.0.1:${server.address().port}`;
  const card = {
    name: 'helper',
    description: 'Helps.',
    version: '1.0.0',
    url: `${url}/`,
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
  const executor = {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      const message = (text) => ({
        kind: 'message',
        role: 'agent',
        messageId: randomUUID(),
        taskId,
        contextId,
        parts: [{ kind: 'text', text }],
      });
      const status = (state, text, final) =>
        bus.publish({
          kind: 'status-update',
          taskId,
          contextId,
          final,
          status: {
            state,
            timestamp: new Date().toISOString(),
            ...(text === undefined ? {} : { message: message(text) }),
          },
        });
      if (task === undefined) {
        tasks += 1;
        bus.publish({
          kind: 'task',
          id: taskId,
          contextId,
          status: { state: 'submitted' },
          history: [userMessage],
          artifacts: [],
        });
      }
      const said = userMessage.parts.map(({ text = '' }) => text).join('');
      if (task === undefined && said.includes('ask me')) {
        status('input-required', 'Which e-mail address?', true);
      } else {
        for (let piece = 0; piece < PIECES; piece += 1) {
          const artifact = { artifactId: 'reply', parts: [{ kind: 'text', text: `word ${piece} ` }] };
          bus.publish({
            kind: 'artifact-update',
            taskId,
            contextId,
            artifact,
            append: piece > 0,
            lastChunk: piece === PIECES - 1,
          });
        }
        status('completed', undefined, true);
      }
      bus.finished();
    },
    async cancelTask(_taskId, bus) {
      bus.finished();
    },
  };
  new A2AExpressApp(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor)).setupRoutes(app);
  return { url: () => url, tasks: () => tasks };
}
