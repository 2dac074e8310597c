import type {
  Agent,
  ChatModel,
  ContextProvider,
  ModelMiddleware,
  ToolMiddleware,
} from '../../engine/index.ts';
import { isRecord } from '../../core/index.ts';
import type { AgentInfo } from './agent-info.ts';
import type { Check } from './check.ts';
import { expecting, nameIn } from './check.ts';

type Catalogue<Part> = Readonly<Record<string, Part>>;

/** What data can only name: the parts of a registry that are code. */
export interface RegistryCode {
  readonly models?: Catalogue<ChatModel>;
  readonly middleware?: {
    readonly model?: Catalogue<ModelMiddleware>;
    readonly tool?: Catalogue<ToolMiddleware>;
  };
  readonly contextProviders?: Catalogue<ContextProvider>;
  /** Put around every agent, such as `(agent) => useTelemetry(agent, options)`. */
  readonly wrap?: (agent: Agent, info: AgentInfo) => Agent;
}

/** Either the part itself, or the name of one in the catalogue. */
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

/** The part that is meant; undefined for a name that the catalogue does not have. */
export function partOf<Part extends object>(
  catalogue: Catalogue<Part> | undefined,
  given: Part | string,
): Part | undefined {
  if (typeof given !== 'string') return given;
  return catalogue !== undefined && Object.hasOwn(catalogue, given) ? catalogue[given] : undefined;
}

/** The parts that are meant, in their order. */
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
