/** The process that reads the streams of an event server: opens connections at once and reads each to its end. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';

export interface EventReadersOptions {
  readonly port: number;
  /** Streams at once, and how often they are opened one after the other. */
  readonly runs: number;
  readonly repeat: number;
}

export async function open({ port, runs, repeat }: EventReadersOptions) {
  return {
    /** The milliseconds for all streams. */
    async read() {
      const start = performance.now();
      for (let turn = 0; turn < repeat; turn += 1) {
        await Promise.all(Array.from({ length: runs }, () => readStream(port)));
      }
      return performance.now() - start;
    },
  };
}

function readStream(port: number): Promise<void> {
  const [threadId, runId] = [randomUUID(), randomUUID()];
  const messages = [{ id: 'm1', role: 'user', content: 'go' }];
  const body = JSON.stringify({ threadId, runId, messages, tools: [], context: [] });
  const request = `POST /agents/talker HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('error', reject);
    socket.resume();
    socket.on('end', () => {
      socket.end();
      resolve();
    });
  });
}
