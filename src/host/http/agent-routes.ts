import type { AgentCapabilities } from '@ag-ui/core';
import type { Hono } from 'hono';
import { defined, HoldpointError } from '../../core/index.ts';
import type { Tool } from '../../engine/index.ts';
import { partsOf } from '../../engine/index.ts';
import type { HostAgent } from '../../runs/index.ts';
import type { HostEnv, HostOptions, Logger } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { agentNamed } from '../host-parts.ts';
import { toolInfo } from '../registry/registry-code.ts';

/** `GET /agents` and `GET /agents/:agent`: the agents and their capabilities. */
export function addAgentRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  app.get('/agents', async (context) => {
    const principal = context.get('principal');
    const all = parts.agents.list();
    const mayRead = await Promise.all(
      all.map(({ id }) => parts.gate.isAllowed(principal, { action: 'read', agent: id })),
    );
    return context.json({ agents: all.filter((_agent, index) => mayRead[index]).map(describe) });
  });
  app.get('/agents/:agent', async (context) => {
    const agent = agentNamed(parts, context.req.param('agent'));
    const principal = context.get('principal');
    if (!(await parts.gate.isAllowed(principal, { action: 'read', agent: agent.id }))) {
      throw new HoldpointError('FORBIDDEN', `${principal.id} may not read this.`);
    }
    const capabilities = await capabilitiesOf(agent, parts);
    return context.json({ ...describe(agent), capabilities });
  });
}

function describe({ id, alias, name, description, agent }: HostAgent) {
  return {
    id,
    ...defined({ alias, name, description, metadata: agent.metadata }),
  };
}

type HumanInTheLoop = NonNullable<AgentCapabilities['humanInTheLoop']>;
type Parts = NonNullable<ReturnType<typeof partsOf>>;

/**
 * The AG-UI capabilities of an agent: derived for an agent of ours, reported by a foreign agent. Unknown ones are
 * left out, which AG-UI reads as unknown. Transport and state are those of the host.
 */
export async function capabilitiesOf(
  host: HostAgent,
  { options, logger }: Pick<HostParts, 'options' | 'logger'>,
): Promise<AgentCapabilities> {
  const { id, name, description, agent } = host;
  const parts = partsOf(agent);
  const said = parts === undefined ? await saidBy(host, logger) : ours(parts, options);
  const own = parts === undefined ? foreign(host) : {};
  return {
    ...own,
    ...said,
    identity: {
      ...said?.identity,
      name: name ?? said?.identity?.name ?? id,
      ...defined({ description }),
    },
    transport: { streaming: true, httpBinary: true, resumable: true },
    state: { ...said?.state, snapshots: true, persistentState: true },
  };
}

function ours(parts: Parts, options: Pick<HostOptions, 'mode' | 'policies'>): AgentCapabilities {
  const { kind, tools } = parts;
  // The tools of plain code are not known in advance.
  const hasTools = kind === 'model';
  return {
    ...(hasTools
      ? { tools: { supported: true, clientProvided: true, parallelCalls: true, items: itemsOf(tools) } }
      : {}),
    state: {
      deltas: kind === 'code' || tools.some((tool) => tool.kind === 'function' || tool.kind === 'agent'),
    },
    // After a crash with a doubt, a person is asked, whatever the agent is.
    humanInTheLoop: { supported: true, interrupts: true, ...approvalsOf(parts, options) },
  };
}

/** Whether calls need approvals; absent if only the run can tell: policies, subagents, plain code. */
function approvalsOf(
  { kind, tools, approval, policies }: Parts,
  { mode = 'interactive', policies: common = [] }: Pick<HostOptions, 'mode' | 'policies'>,
): HumanInTheLoop {
  if (mode !== 'interactive') return { approvals: false, approveWithEdits: false, interventions: false };
  const asked = tools.filter((tool) => toolInfo(tool, approval === 'require').approval !== 'never');
  const editable = asked.some((tool) => isEditable(tool.approval));
  const edits = { approveWithEdits: editable, interventions: editable };
  if (asked.length > 0) return { approvals: true, ...edits };
  const isOpen =
    kind === 'code' || policies.length + common.length > 0 || tools.some((tool) => tool.kind === 'agent');
  return isOpen ? {} : { approvals: false, ...edits };
}

async function saidBy(
  { id, capabilities }: HostAgent,
  logger: Logger,
): Promise<AgentCapabilities | undefined> {
  try {
    return await capabilities?.();
  } catch (error) {
    logger.warn({ err: error, agent: id }, 'An agent failed to report its capabilities.');
    return undefined;
  }
}

/** Only the methods of a foreign agent are known. */
function foreign({ agent, pending, reconcile }: HostAgent): AgentCapabilities {
  const tools = agent.tools ?? [];
  const asks = pending !== undefined || reconcile !== undefined;
  return {
    ...(tools.length === 0 ? {} : { tools: { supported: true, items: itemsOf(tools) } }),
    ...(asks ? { humanInTheLoop: { supported: true, interrupts: true } } : {}),
  };
}

function itemsOf(tools: readonly Tool[]) {
  return tools
    .filter(({ hidden }) => hidden !== true)
    .map(({ name, description, inputSchema }) => ({
      name,
      description,
      parameters: inputSchema as Record<string, unknown>,
    }));
}

function isEditable(approval: unknown): boolean {
  return (
    typeof approval === 'object' && approval !== null && 'editable' in approval && approval.editable === true
  );
}
