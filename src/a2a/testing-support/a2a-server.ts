/** A2A servers of the SDK on a free loopback port that record the requests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentCard } from '@a2a-js/sdk';
import type { A2ARequestHandler, AgentExecutor, TaskStore } from '@a2a-js/sdk/server';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';

export type Binding = 'JSONRPC' | 'HTTP+JSON';

export interface A2aServer {
  readonly url: string;
  /** Method, path, headers and body of every request. */
  readonly requests: readonly string[];
  /** The requests with a message. */
  readonly sent: () => readonly string[];
  readonly tasks: TaskStore;
  close(): Promise<void>;
}

export interface A2aServerOptions {
  readonly streaming?: boolean;
  readonly binding?: Binding;
  readonly tasks?: TaskStore;
  readonly port?: number;
  readonly card?: Partial<AgentCard>;
}

export function cardFor(
  url: string,
  { streaming = true, binding = 'JSONRPC', card }: A2aServerOptions = {},
): AgentCard {
  const path = binding === 'JSONRPC' ? '/rpc' : '/rest';
  return {
    name: 'helper',
    description: 'Helps.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${url}${path}`, protocolBinding: binding, tenant: '', protocolVersion: '1.0' },
    ],
    provider: undefined,
    capabilities: { streaming, pushNotifications: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
    ...card,
  };
}

export async function startA2aServer(
  agent: AgentExecutor | A2ARequestHandler,
  options: A2aServerOptions = {},
): Promise<A2aServer> {
  const requests: string[] = [];
  const app = express();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8');
      requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
    });
    app(request, response);
  });
  const url = await listen(server, options.port);
  const tasks = options.tasks ?? new InMemoryTaskStore();
  const card = cardFor(url, options);
  const requestHandler =
    'execute' in agent
      ? new DefaultRequestHandler(card, tasks, agent)
      : { ...agent, getAgentCard: async () => card };
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  app.use('/rest', restHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return {
    url,
    requests,
    tasks,
    sent: () => requests.filter((request) => request.includes('"messageId"')),
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
