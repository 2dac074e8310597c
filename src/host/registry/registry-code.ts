import type { Check } from '../../core/index.ts';
import { expecting, isRecord } from '../../core/index.ts';
import type { JsonSchema } from '../../core/schema/index.ts';
import type {
  Agent,
  ChatModel,
  ContextProvider,
  ModelMiddleware,
  Tool,
  ToolMiddleware,
} from '../../engine/index.ts';
import type { DialectName } from '../../protocol/index.ts';
import { nameIn } from './names.ts';

type Catalogue<Part> = Readonly<Record<string, Part>>;

/** The code that data can name. */
export interface RegistryCode {
  readonly models?: Catalogue<ChatModel>;
  readonly middleware?: {
    readonly model?: Catalogue<ModelMiddleware>;
    readonly tool?: Catalogue<ToolMiddleware>;
  };
  readonly contextProviders?: Catalogue<ContextProvider>;
  /** Wraps every agent, such as `(agent) => useTelemetry(agent, options)`. Default: none. */
  readonly wrap?: (agent: Agent, info: AgentInfo) => Agent;
}

/** The part itself, or its name in the catalogue. */
export function partOrName(
  catalogue: Catalogue<unknown> | undefined,
  what: string,
  isPart: (value: unknown) => boolean,
): Check {
  const names = new Set(Object.keys(catalogue ?? {}));
  return (value, pointer, report) => {
    const check =
      typeof value === 'string' ? nameIn(names, what) : expecting(`a ${what} or its name`, isPart);
    return check(value, pointer, report);
  };
}

/** The part of a name or the part itself; undefined for an unknown name. */
export function partOf<Part extends object>(
  catalogue: Catalogue<Part> | undefined,
  given: Part | string,
): Part | undefined {
  if (typeof given !== 'string') return given;
  return catalogue !== undefined && Object.hasOwn(catalogue, given) ? catalogue[given] : undefined;
}

/** The parts of names, in order. */
export function partsOf<Part extends object>(
  catalogue: Catalogue<Part> | undefined,
  given: readonly (Part | string)[] | undefined,
): Part[] {
  return (given ?? []).flatMap((one) => partOf(catalogue, one) ?? []);
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

export function isChatModel(value: unknown): value is ChatModel {
  return isRecord(value) && typeof value['stream'] === 'function';
}

/** The public description of a tool, as JSON. */
export interface ToolInfo {
  /** The name that agents and models use. */
  readonly id: string;
  readonly description: string;
  readonly kind: Tool['kind'];
  readonly scopes: readonly string[];
  readonly destructive: boolean;
  /** Whether its calls need approvals, by the tool and its agent; policies may require more. */
  readonly approval: 'always' | 'sometimes' | 'never';
  readonly inputSchema: JsonSchema;
}

/** The public description of an agent, as JSON, without its instructions and model. */
export interface AgentInfo {
  readonly id: string;
  readonly alias?: string;
  readonly name?: string;
  readonly description?: string;
  /** Absent for an agent that is not data. */
  readonly profile?: string;
  /** The dialect of requests that name none. */
  readonly dialect?: DialectName;
  readonly tools: readonly ToolInfo[];
}

export function toolInfo(tool: Tool, requireApproval = false): ToolInfo {
  const { name: id, description, kind, scopes, destructive, inputSchema } = tool;
  return {
    id,
    description,
    kind,
    scopes,
    destructive,
    approval: approvalOf(tool, requireApproval),
    inputSchema,
  };
}

function approvalOf({ kind, approval }: Tool, requireApproval: boolean): ToolInfo['approval'] {
  if (kind !== 'function' && kind !== 'agent') return 'never';
  if (approval === undefined) return requireApproval ? 'always' : 'never';
  if (typeof approval === 'boolean') return approval ? 'always' : 'never';
  return typeof approval === 'function' || approval.when !== undefined ? 'sometimes' : 'always';
}
