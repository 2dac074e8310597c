import type { Hono } from 'hono';
import { HoldpointError } from '../../core/index.ts';
import type { HostParts } from '../host-parts.ts';
import type { HostEnv } from './host-env.ts';

/** `GET|DELETE /grants`: decisions that are remembered, and taking them back. */
export function addGrantRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  app.get('/grants', async (context) => {
    const access = await parts.gate.checkScope(context.get('principal'), 'read');
    return context.json({ grants: await parts.grantsOf(access).list() });
  });
  for (const path of ['/grants', '/grants/:grant']) {
    app.delete(path, async (context) => {
      const access = await parts.gate.checkScope(context.get('principal'), 'delete');
      const id = context.req.param('grant') ?? context.req.query('id');
      if (id === undefined) throw new HoldpointError('INPUT_INVALID', 'Say which: /grants/<id>.');
      await parts.grantsOf(access).revoke(id);
      return context.body(null, 204);
    });
  }
}
