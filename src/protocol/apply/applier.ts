import type { Message } from '@ag-ui/core';
import { HoldpointError, messageOf } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import type { Owned, Patch } from '../patch-json.ts';
import { applyActivityDelta, applyActivitySnapshot, applyEncryptedValue } from './apply-activity.ts';
import { applyMessagesSnapshot } from './apply-messages-snapshot.ts';
import { applyText } from './apply-text.ts';
import { applyCallPart, applyCallResult, applyCallStart } from './apply-tool-call.ts';
import { createMessageList } from './message-list.ts';

/** Builds the messages and the state of a thread from its events. */
export interface Applier {
  /**
   * Applies one event; expand chunk events first. An event that refers to a missing message, or a patch that cannot
   * be applied, changes nothing and is reported to `onWarning`.
   */
  apply(event: AgentStreamEvent): void;
  /** The current messages; a returned list never changes. */
  readonly messages: readonly Message[];
  /** The current state; a returned object never changes. */
  readonly state: unknown;
}

/** Options of {@link createApplier}. */
export interface ApplierOptions {
  /** Initial messages; default none. */
  readonly messages?: readonly Message[];
  /** Initial state; default undefined. */
  readonly state?: unknown;
  /** Receives a sentence for each event that could not be applied. Default: ignored. */
  readonly onWarning?: (warning: string) => void;
}

/** An applier with changes that no event describes. */
export interface OpenApplier extends Applier {
  /** Adds the messages with new ids. */
  add(messages: readonly Message[]): void;
  /** Replaces the state. */
  setState(state: unknown): void;
}

/** Creates an applier with a given `patchJson`, so that a program may load JSON Patch on first use. */
export function createApplierWith(patch: Patch, options: ApplierOptions = {}): OpenApplier {
  const list = createMessageList(options.messages ?? []);
  const warn = options.onWarning ?? (() => undefined);
  let state = options.state;
  let owned: Owned = new WeakSet();

  const applier: OpenApplier = {
    add(messages) {
      for (const message of messages) if (list.find(message.id) === undefined) list.push(message);
    },
    setState(next) {
      state = next;
    },
    apply(event) {
      switch (event.type) {
        case 'RUN_STARTED':
          applier.add(event.input?.messages ?? []);
          break;
        case 'TEXT_MESSAGE_START':
        case 'TEXT_MESSAGE_CONTENT':
        case 'TEXT_MESSAGE_END':
        case 'REASONING_MESSAGE_START':
        case 'REASONING_MESSAGE_CONTENT':
        case 'REASONING_MESSAGE_END':
          applyText(event, list, warn);
          break;
        case 'TOOL_CALL_START':
          applyCallStart(event, list, warn);
          break;
        case 'TOOL_CALL_ARGS':
        case 'TOOL_CALL_END':
          applyCallPart(event, list, warn);
          break;
        case 'TOOL_CALL_RESULT':
          applyCallResult(event, list);
          break;
        case 'MESSAGES_SNAPSHOT':
          applyMessagesSnapshot(event, list);
          break;
        case 'STATE_SNAPSHOT':
          state = event.snapshot;
          break;
        case 'STATE_DELTA':
          try {
            state = patch(state, event.delta, owned);
          } catch (error) {
            warn(`STATE_DELTA was ignored: ${messageOf(error)}`);
          }
          break;
        case 'ACTIVITY_SNAPSHOT':
          applyActivitySnapshot(event, list);
          break;
        case 'ACTIVITY_DELTA':
          applyActivityDelta(event, { list, patch, warn });
          break;
        case 'REASONING_ENCRYPTED_VALUE':
          applyEncryptedValue(event, list);
          break;
        default:
          if (event.type.endsWith('_CHUNK')) {
            throw new HoldpointError(
              'INPUT_INVALID',
              `${event.type} is to be expanded before it is applied.`,
            );
          }
      }
    },
    get messages() {
      return list.look();
    },
    get state() {
      owned = new WeakSet();
      return state;
    },
  };
  return applier;
}
