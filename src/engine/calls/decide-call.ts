import type { Approvers, FoundGrant } from '../../content/interrupts/index.ts';
import { approversCheck } from '../../content/interrupts/index.ts';
import {
  checkOptions,
  defined,
  either,
  HoldpointError,
  isRecord,
  members,
  oneOf,
  optional,
  text,
} from '../../core/index.ts';
import type { RunContext } from './run-context.ts';
import type { CheckedCall } from './shown-arguments.ts';
import type { Approval, ApprovalOptions } from '../tools/approval.ts';
import type { Tool } from '../tools/tool.ts';
import type { Policy, PolicyCall } from '../tools/policy.ts';

/** The decision about a call before its tool runs. */
export type CallDecision =
  /** `options`: the approval that the call needs and that the mode of the run gives. */
  | { readonly type: 'run'; readonly options?: ApprovalOptions<unknown> }
  | {
      readonly type: 'ask';
      readonly options: ApprovalOptions<unknown>;
      readonly heldByPolicy: boolean;
    }
  | { readonly type: 'deny'; readonly text: string };

export interface CallToDecide {
  readonly tool: Tool;
  readonly toolCallId: string;
  /** The arguments after the schema: policies and rules read them. */
  readonly input: unknown;
  /** Whether the agent requires an approval for every call, unless its tool is exempt. */
  readonly requireApproval: boolean;
}

const UNAVAILABLE = 'Approval is not available here, so this call was not made.';

function askPolicies({ tool, toolCallId, input }: CallToDecide, run: RunContext) {
  const { name: toolName, destructive, scopes } = tool;
  const { threadId, principal } = run;
  return strictestPolicy(run.policies, {
    toolName,
    toolCallId,
    input,
    destructive,
    scopes,
    principal,
    threadId,
  });
}

/**
 * Whether an approval may be remembered: not for a destructive call, a call that a policy holds, with `notAsker`, or if
 * its options say no.
 */
export function isRememberable(
  { tool }: Pick<CallToDecide, 'tool'>,
  { options, heldByPolicy }: { readonly options: ApprovalOptions<unknown>; readonly heldByPolicy: boolean },
): boolean {
  const { approvers, confirmation, remember } = options;
  if (tool.destructive || heldByPolicy || approvers?.notAsker === true) return false;
  return confirmation === undefined && remember !== false;
}

/** The approval that a call needs. */
type NeededApproval =
  | { readonly type: 'none' }
  | Pick<Extract<CallDecision, { type: 'ask' }>, 'type' | 'options' | 'heldByPolicy'>
  | Extract<CallDecision, { type: 'deny' }>;

/** The approval that policies, the tool and its agent require for a call, whatever the mode of the run and grants give. */
export async function neededApproval(call: CallToDecide, run: RunContext): Promise<NeededApproval> {
  const { tool, toolCallId, input } = call;
  const { threadId, principal } = run;
  const { name: toolName } = tool;
  const policy = await askPolicies(call, run);
  if (policy.decision === 'deny') return { type: 'deny', text: deniedText(tool, policy) };
  const own = approvalOptions(tool.approval);
  const context = { toolName, toolCallId, threadId, principal };
  const wanted = own === undefined ? call.requireApproval : ((await own.when?.(input, context)) ?? true);
  if (policy.decision === 'ask') return askedByPolicy(policy, tool);
  return wanted ? { ...askedByPolicy(policy, tool), heldByPolicy: false } : { type: 'none' };
}

function deniedText({ name }: Tool, { message }: PolicyOutcome): string {
  return message ?? `A policy does not allow ${name}.`;
}

/** The approval of a call with the message and the people of a policy. */
function askedByPolicy(
  { message, approvers }: PolicyOutcome,
  { approval }: Tool,
): Extract<NeededApproval, { type: 'ask' }> {
  const own = approvalOptions(approval);
  const options = { ...own, ...defined({ message }), ...strictestApprovers(approvers, own?.approvers) };
  return { type: 'ask', options, heldByPolicy: true };
}

/** Decides by policies, then by the tool and its agent. A call that asks may still start by a grant: {@link findGrants}. */
export async function decideCall(call: CallToDecide, run: RunContext): Promise<CallDecision> {
  const { mode } = run;
  const needed = await neededApproval(call, run);
  if (needed.type === 'deny') return needed;
  if (mode === 'denyAll') return { type: 'deny', text: UNAVAILABLE };
  if (needed.type === 'none') return { type: 'run' };
  if (mode === 'denyApprovalRequired') return { type: 'deny', text: UNAVAILABLE };
  return mode === 'allowAll' ? { type: 'run', options: needed.options } : needed;
}

/** The grants that would give an approval, and the amount that they would count. */
export interface UsableGrants {
  readonly grants: readonly FoundGrant[];
  readonly amount: number | undefined;
}

/**
 * The grants that would give the approval of a call with these shown arguments; undefined without one. Throws `STORE_FAILED` if they
 * cannot be read.
 */
export async function findGrants(
  { tool, input, checked, schemaEffect }: CheckedCall,
  asked: { readonly options: ApprovalOptions<unknown>; readonly heldByPolicy: boolean },
  run: RunContext,
): Promise<UsableGrants | undefined> {
  if (run.grants === undefined || !isRememberable({ tool }, asked)) return undefined;
  const { approvers, remember } = asked.options;
  const amount = typeof remember === 'object' ? remember.amount(checked.value) : undefined;
  // The tool names an amount, and this call has none that could be counted.
  if (typeof remember === 'object' && !Number.isFinite(amount)) return undefined;
  const { agentId: agent, threadId, askers } = run;
  const { name: toolName, version: toolVersion } = tool;
  const shown = schemaEffect?.converted === true ? undefined : input;
  const call = { agent, approvers, toolName, toolVersion, input: shown, threadId, askers, amount };
  const grants = await run.grants.find(call).catch((error: unknown) => {
    if (HoldpointError.is(error, 'STORE_FAILED')) throw error;
    throw new HoldpointError('STORE_FAILED', 'The grants could not be read.', { cause: error });
  });
  return grants.length === 0 ? undefined : { grants, amount };
}

/** What policies and the mode of a run say about a call that waited, when its answer arrives. */
export type DecisionNow =
  | { readonly type: 'run' }
  | { readonly type: 'deny'; readonly text: string }
  /** The approval was not given by the people whom a policy names now. */
  | Extract<NeededApproval, { type: 'ask' }>;

/** How a call that waited was approved; absent for a call without an approval. */
export interface GivenApproval {
  readonly approvers: Approvers | undefined;
  /** The person who answered; undefined if unknown. */
  readonly by: string | undefined;
}

/**
 * Asks policies and the mode again about a call that waited. `deny` wins. A policy that asks is content with the approval that
 * was given, unless it names people and the approval is not known to be theirs.
 */
export async function decideAgain(
  call: CallToDecide,
  { approval, wasGuarded }: { readonly approval: GivenApproval | undefined; readonly wasGuarded: boolean },
  run: RunContext,
): Promise<DecisionNow> {
  const { tool } = call;
  const { mode, policies } = run;
  if (policies.length === 0 && (mode === 'interactive' || mode === 'allowAll')) return { type: 'run' };
  const policy = await askPolicies(call, run);
  if (policy.decision === 'deny') return { type: 'deny', text: deniedText(tool, policy) };
  const isApproval = approval !== undefined || wasGuarded || policy.decision === 'ask';
  if (mode === 'denyAll' || (mode === 'denyApprovalRequired' && isApproval))
    return { type: 'deny', text: `The mode ${mode} does not allow ${tool.name}.` };
  if (policy.decision !== 'ask' || approval === undefined || mode === 'allowAll') return { type: 'run' };
  const needed = askedByPolicy(policy, tool);
  const isDemanding = policy.approvers !== undefined;
  return isDemanding && !isGivenBy(needed.options.approvers, approval, run.askers) ? needed : { type: 'run' };
}

/** Whether an approval is known to come from a person whom a rule lets answer. */
export function isGivenBy(
  rule: Approvers | undefined,
  { approvers: before, by }: GivenApproval,
  askers: readonly string[],
): boolean {
  if (rule === undefined) return true;
  const isOther = before?.notAsker === true || (by !== undefined && !askers.includes(by));
  if (rule.notAsker === true && !isOther) return false;
  const { principals = [], roles = [] } = rule;
  if (rule.principals === undefined && rule.roles === undefined) return true;
  if (by !== undefined && principals.includes(by)) return true;
  // Everybody whom the earlier rule let answer is one of these people.
  const isWithin = (some: readonly string[] = [], all: readonly string[]) =>
    some.every((one) => all.includes(one));
  const wasListed = before?.principals !== undefined || before?.roles !== undefined;
  return wasListed && isWithin(before.principals, principals) && isWithin(before.roles, roles);
}

/** The people whom a policy names replace those of the tool; `notAsker` of either holds. */
function strictestApprovers(
  policy: Approvers | undefined,
  tool: Approvers | undefined,
): Pick<ApprovalOptions<unknown>, 'approvers'> {
  if (policy === undefined) return {};
  const named = policy.principals === undefined && policy.roles === undefined ? tool : policy;
  const notAsker = policy.notAsker === true || tool?.notAsker === true;
  return { approvers: { ...named, ...(notAsker ? { notAsker } : {}) } };
}

interface PolicyOutcome {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly message?: string;
  readonly approvers?: Approvers;
}

const policyDecision = either(
  '"allow", "ask", "deny" or { decision }',
  [(value) => typeof value === 'string', oneOf('allow', 'ask', 'deny')],
  [
    isRecord,
    members<PolicyOutcome>({
      decision: oneOf('allow', 'ask', 'deny'),
      message: optional(text),
      approvers: optional(approversCheck),
    }),
  ],
);

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** The strictest decision of all policies. If several policies ask, only approvers in all of their lists may answer. */
async function strictestPolicy(policies: readonly Policy[], call: PolicyCall): Promise<PolicyOutcome> {
  let strictest: PolicyOutcome = { decision: 'allow' };
  for (const policy of policies) {
    const decided = await policy(call);
    if (decided === undefined) continue;
    // Policies without types may return another value by mistake: it does not allow the call.
    checkOptions('decision of a policy', decided, policyDecision);
    const outcome = typeof decided === 'string' ? { decision: decided } : decided;
    const difference = STRICTNESS[outcome.decision] - STRICTNESS[strictest.decision];
    if (difference > 0) strictest = outcome;
    else if (difference === 0) strictest = bothPolicies(strictest, outcome);
  }
  return strictest;
}

/** Joins two equally strict decisions: the message of the first, and the approvers whom both policies name. */
function bothPolicies(first: PolicyOutcome, second: PolicyOutcome): PolicyOutcome {
  const message = first.message ?? second.message;
  const approvers =
    first.approvers === undefined || second.approvers === undefined
      ? (first.approvers ?? second.approvers)
      : bothApprovers(first.approvers, second.approvers);
  return { decision: first.decision, ...defined({ message, approvers }) };
}

/** The people whom two rules name. Throws `INPUT_INVALID` if they share no role and no person. */
function bothApprovers(first: Approvers, second: Approvers): Approvers {
  const notAsker = first.notAsker === true || second.notAsker === true ? { notAsker: true } : {};
  const [rule, other] = [first, second].filter(
    ({ principals, roles }) => (principals ?? roles) !== undefined,
  );
  if (rule === undefined || other === undefined) return { ...rule, ...notAsker };
  const shared = (one: readonly string[] = [], two: readonly string[] = []) =>
    one.filter((name) => two.includes(name));
  const principals = shared(rule.principals, other.principals);
  const roles = shared(rule.roles, other.roles);
  if (principals.length + roles.length === 0)
    throw new HoldpointError(
      'INPUT_INVALID',
      'The approvers of two policies have no role and no person in common.',
    );
  return { principals, roles, ...notAsker };
}

/** The options of an approval from any of its forms; undefined if the tool sets none. */
export function approvalOptions<Input>(
  approval: Approval<Input> | undefined,
): ApprovalOptions<Input> | undefined {
  if (approval === undefined) return undefined;
  if (typeof approval === 'boolean') return { when: () => approval };
  return typeof approval === 'function' ? { when: approval } : approval;
}
