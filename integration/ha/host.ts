/** A host of the campaign: one tool that needs an approval and cannot be undone. */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { postgresStore } from 'holdpoint/store/postgres';
import { scriptedModel } from 'holdpoint/testing';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

export interface HostSetting {
  readonly url: string;
  readonly schema: string;
  /** The file to which each call appends a line. */
  readonly effects: string;
}

const { url, schema, effects } = JSON.parse(process.argv[2] ?? '{}') as HostSetting;

const pay = defineTool({
  name: 'pay',
  description: 'Cannot be undone.',
  input: { type: 'object' },
  approval: true,
  run(_input, { threadId, toolCallId }) {
    const file = openSync(effects, 'a');
    writeSync(file, `${schema} ${threadId} ${toolCallId}\n`);
    fsyncSync(file);
    closeSync(file);
    return 'paid';
  },
});
const clerk = defineAgent({
  id: 'clerk',
  tools: [pay],
  model: scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? { calls: [{ id: `pay-${messages.length}`, name: 'pay' }] } : 'Done.',
  ),
});

const host = createHost({
  logger: false,
  agents: [clerk],
  store: postgresStore(url, { schema }),
  authenticate(request) {
    const id = request.headers.get('authorization');
    return id === null ? null : { id, scope: schema };
  },
});
const served = await serve(host, { port: 0 });
process.send?.(served.url);
process.on('disconnect', () => process.exit(0));
