import type { Tool } from './tool.ts';

/** What a tool is when nobody says otherwise: it needs no approval of its own, and has no body. */
export const TOOL_DEFAULTS: Omit<Tool, 'name' | 'description' | 'kind' | 'input' | 'inputSchema'> = {
  output: undefined,
  resume: undefined,
  approval: false,
  destructive: false,
  idempotent: false,
  version: undefined,
  timeoutMs: undefined,
  onError: 'result',
  scopes: [],
  title: () => undefined,
  requestMetadata: async () => ({}),
  run: async () => undefined,
};
