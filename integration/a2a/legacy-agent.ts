/** An agent for A2A servers of 0.3 and 0.2 that asks for an address once. */
import { randomUUID } from 'node:crypto';

interface Part {
  readonly kind: string;
  readonly text?: string;
  readonly data?: Record<string, unknown>;
}

interface Request {
  readonly taskId: string;
  readonly contextId: string;
  readonly userMessage: { readonly parts: readonly Part[] };
  readonly task?: object | undefined;
}

interface Bus {
  publish(event: never): void;
  finished(): void;
}

export interface LegacyAgent {
  readonly taken: Record<string, unknown>[];
  execute(request: Request, bus: Bus): Promise<void>;
  cancelTask(taskId: string, bus: Bus): Promise<void>;
}

export function legacyAgent(): LegacyAgent {
  const taken: Record<string, unknown>[] = [];
  const contexts = new Map<string, string>();
  // The server checks the events.
  const publish = (bus: Bus, event: object) => bus.publish(event as never);
  return {
    taken,
    async execute({ taskId, contextId, userMessage, task }, bus) {
      contexts.set(taskId, contextId);
      const message = (parts: readonly Part[]) => ({
        kind: 'message',
        role: 'agent',
        messageId: randomUUID(),
        taskId,
        contextId,
        parts,
      });
      const status = (state: string, parts?: readonly Part[], final = false) =>
        publish(bus, {
          kind: 'status-update',
          taskId,
          contextId,
          final,
          status: {
            state,
            timestamp: new Date().toISOString(),
            ...(parts === undefined ? {} : { message: message(parts) }),
          },
        });
      if (task === undefined) {
        const history = [userMessage];
        publish(bus, {
          kind: 'task',
          id: taskId,
          contextId,
          status: { state: 'submitted' },
          history,
          artifacts: [],
        });
      }
      status('working', [{ kind: 'text', text: 'One moment.' }]);
      const answer = userMessage.parts.find(({ kind }) => kind === 'data');
      if (answer === undefined) {
        status(
          'input-required',
          [
            { kind: 'text', text: 'Which e-mail address?' },
            {
              kind: 'data',
              data: {
                type: 'a2a.input.request',
                requestId: 'mail',
                fields: [{ name: 'email', type: 'string', required: true }],
              },
            },
          ],
          true,
        );
      } else {
        taken.push(answer.data ?? {});
        publish(bus, {
          kind: 'artifact-update',
          taskId,
          contextId,
          artifact: { artifactId: 'result', parts: [{ kind: 'text', text: 'Signed up.' }] },
          append: false,
          lastChunk: true,
        });
        status('completed', [{ kind: 'text', text: 'Done.' }], true);
      }
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      publish(bus, {
        kind: 'status-update',
        taskId,
        contextId: contexts.get(taskId),
        final: true,
        status: { state: 'canceled', timestamp: new Date().toISOString() },
      });
      bus.finished();
    },
  };
}
