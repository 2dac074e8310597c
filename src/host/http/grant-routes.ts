import type { Hono } from 'hono';
import { HoldpointError } from '../../core/index.ts';
import type { Principal, StoredGrant } from '../../ledger/index.ts';
import type { HostParts } from '../host-parts.ts';
import type { HostEnv } from '../host-options.ts';
import { pageOf } from './read-json.ts';

/** `GET|DELETE /grants`: lists and revokes remembered decisions. */
export function addGrantRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  /** For a subagent, checks the outermost agent too. A grant of an older version has no agent. */
  const may = async (principal: Principal, action: 'read' | 'delete', grant: Partial<StoredGrant>) => {
    const { agent, threadId } = grant;
    const names = agent === undefined ? [{}] : [{ agent }, { agent: agent.split('/')[0] ?? agent }];
    const place = threadId === undefined ? {} : { thread: threadId };
    const owner = await ownerFor(principal, grant);
    for (const name of names)
      if (!(await parts.gate.isAllowed(principal, { action, ...name, ...place, owner }))) return false;
    return true;
  };
  /** A grant belongs to its giver, its receiver and the owner of its thread: the caller, if the caller is one of them. */
  const ownerFor = async (
    principal: Principal,
    { principalId, givenBy, threadId }: Partial<StoredGrant>,
  ): Promise<string | undefined> => {
    if ([principalId, givenBy].includes(principal.id)) return principal.id;
    if (threadId === undefined) return principalId ?? givenBy;
    const isSeen = await parts.gate.checkThread(principal, 'read', { thread: threadId }).then(
      () => true,
      () => false,
    );
    return isSeen ? principal.id : (givenBy ?? '');
  };

  app.get('/grants', async (context) => {
    const principal = context.get('principal');
    const access = await parts.gate.checkScope(principal, 'read');
    const { grants, ...rest } = await parts.grantsOf(access).page(pageOf(context.req.query()));
    const mayRead = await Promise.all(grants.map((grant) => may(principal, 'read', grant)));
    const seen = grants.filter((_grant, index) => mayRead[index]);
    return context.json({ grants: seen.map((grant) => shownTo(principal, grant)), ...rest });
  });
  for (const path of ['/grants', '/grants/:grant']) {
    app.delete(path, async (context) => {
      const principal = context.get('principal');
      const access = await parts.gate.checkScope(principal, 'delete');
      const id = context.req.param('grant') ?? context.req.query('id');
      if (id === undefined) throw new HoldpointError('INPUT_INVALID', 'Say which: /grants/<id>.');
      const grants = parts.grantsOf(access);
      const grant = await grants.get(id);
      // A grant that the caller may not read is treated as missing.
      if (grant !== undefined && (await may(principal, 'read', grant))) {
        if (!(await may(principal, 'delete', grant)))
          throw new HoldpointError('FORBIDDEN', `${principal.id} may not delete this.`);
        await grants.revoke(id);
      }
      return context.body(null, 204);
    });
  }
}

/** A grant as its list shows it to a principal: `givenByYou` and `forYou` are true for the one who gave or received it. */
function shownTo({ id }: Principal, grant: StoredGrant): StoredGrant & object {
  return {
    ...grant,
    ...(grant.givenBy === id ? { givenByYou: true } : {}),
    ...(grant.principalId === id ? { forYou: true } : {}),
  };
}
