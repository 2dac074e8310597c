import type { Check } from '../../core/index.ts';
import {
  aboveZero,
  defined,
  each,
  expecting,
  filledText,
  isRecord,
  members,
  optional,
  text,
} from '../../core/index.ts';
import type { ChatModel, ModelMiddleware, ModelSettings, ToolMiddleware } from '../../engine/index.ts';
import { isChatModel, isFunction, partOf, partOrName, partsOf } from './registry-code.ts';
import type { RegistryCode } from './registry-code.ts';

/** A model with settings, shared by agents. */
export interface Profile extends ModelSettings {
  /** A model, or its name in `models`. */
  readonly model: ChatModel | string;
  /** Instructions for agents without their own. */
  readonly instructions?: string;
  /** Outermost first; each is a function, or its name in `middleware`. */
  readonly middleware?: {
    readonly model?: readonly (ModelMiddleware | string)[];
    readonly tool?: readonly (ToolMiddleware | string)[];
  };
}

/** A profile with resolved names. */
export interface ReadyProfile {
  readonly model: ChatModel;
  readonly instructions: string | undefined;
  readonly settings: ModelSettings;
  readonly middleware: {
    readonly model: readonly ModelMiddleware[];
    readonly tool: readonly ToolMiddleware[];
  };
}

const isFinite = (value: unknown): value is number => Number.isFinite(value);

export function profileCheck({ models, middleware }: RegistryCode): Check {
  return members({
    model: partOrName(models, 'model', isChatModel),
    instructions: optional(text),
    middleware: optional(
      members({
        model: optional(each(partOrName(middleware?.model, 'model middleware', isFunction))),
        tool: optional(each(partOrName(middleware?.tool, 'tool middleware', isFunction))),
      }),
    ),
    temperature: optional(expecting('a number, 0 or more', (value) => isFinite(value) && value >= 0)),
    topP: optional(expecting('a number from 0 to 1', (value) => isFinite(value) && value >= 0 && value <= 1)),
    maxOutputTokens: optional(aboveZero),
    stopSequences: optional(each(filledText)),
    seed: optional(expecting('a whole number', Number.isSafeInteger)),
    providerOptions: optional(expecting('an object', isRecord)),
  });
}

/** Undefined for an unknown model, which the check has reported. */
export function readyProfile(profile: Profile, code: RegistryCode): ReadyProfile | undefined {
  const { model, instructions, middleware, stopSequences, ...settings } = profile;
  const found = partOf(code.models, model);
  if (found === undefined) return undefined;
  return {
    model: found,
    instructions,
    settings: { ...settings, ...defined({ stopSequences: stopSequences && [...stopSequences] }) },
    middleware: {
      model: partsOf(code.middleware?.model, middleware?.model),
      tool: partsOf(code.middleware?.tool, middleware?.tool),
    },
  };
}
