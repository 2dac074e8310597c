import type { Message } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import { HoldpointError, messageOf } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events/index.ts';
import { applyActivityDelta, applyActivitySnapshot } from './apply-activity.ts';
import { applyMessagesSnapshot } from './apply-messages-snapshot.ts';
import { applyDelta, applyMetadata, applyStart } from './apply-text.ts';
import {
  applyCallArgs,
  applyCallMetadata,
  applyCallResult,
  applyCallStart,
  applyEncryptedValue,
} from './apply-tool-call.ts';
import { createMessageList } from './message-list.ts';
import type { Owned, Patch } from '../patch/index.ts';

/** What a stream of events makes of a thread: its messages and its state. */
export interface Applier {
  /**
   * Applies one event; chunk events are to be expanded first. An event that refers to what is not there, or
   * a patch that does not fit, changes nothing and is reported to `onWarning`.
   */
  apply(event: AgentStreamEvent): void;
  /** The messages now; a list that was given out never changes. */
  readonly messages: readonly Message[];
  /** The state now; an object that was given out never changes. */
  readonly state: unknown;
}

export interface ApplierOptions {
  readonly messages?: readonly Message[];
  readonly state?: unknown;
  readonly onWarning?: (warning: string) => void;
}

/** An applier that is given what applies patches, so that a program may load that when the first one comes. */
export function createApplierWith(patch: Patch, options: ApplierOptions = {}): Applier {
  const list = createMessageList(options.messages ?? []);
  const warn = options.onWarning ?? (() => undefined);
  let state = options.state;
  let owned: Owned = new WeakSet();

  const patchState = (event: Extract<AgentStreamEvent, { type: EventType.STATE_DELTA }>) => {
    try {
      state = patch(state, event.delta, owned);
    } catch (error) {
      warn(`STATE_DELTA was left out: ${messageOf(error)}`);
    }
  };

  return {
    apply(event) {
      switch (event.type) {
        case EventType.RUN_STARTED:
          for (const message of event.input?.messages ?? []) {
            if (list.find(message.id) === undefined) list.push(message);
          }
          break;
        case EventType.TEXT_MESSAGE_START:
        case EventType.REASONING_MESSAGE_START:
          applyStart(event, list, warn);
          break;
        case EventType.TEXT_MESSAGE_CONTENT:
        case EventType.REASONING_MESSAGE_CONTENT:
          applyDelta(event, list, warn);
          break;
        case EventType.TEXT_MESSAGE_END:
        case EventType.REASONING_MESSAGE_END:
          applyMetadata(event, list, warn);
          break;
        case EventType.TOOL_CALL_START:
          applyCallStart(event, list, warn);
          break;
        case EventType.TOOL_CALL_ARGS:
          applyCallArgs(event, list, warn);
          break;
        case EventType.TOOL_CALL_END:
          applyCallMetadata(event, list, warn);
          break;
        case EventType.TOOL_CALL_RESULT:
          applyCallResult(event, list);
          break;
        case EventType.REASONING_ENCRYPTED_VALUE:
          applyEncryptedValue(event, list);
          break;
        case EventType.STATE_SNAPSHOT:
          state = event.snapshot;
          break;
        case EventType.STATE_DELTA:
          patchState(event);
          break;
        case EventType.MESSAGES_SNAPSHOT:
          applyMessagesSnapshot(event, list);
          break;
        case EventType.ACTIVITY_SNAPSHOT:
          applyActivitySnapshot(event, list);
          break;
        case EventType.ACTIVITY_DELTA:
          applyActivityDelta(event, { list, patch, warn });
          break;
        case EventType.TEXT_MESSAGE_CHUNK:
        case EventType.TOOL_CALL_CHUNK:
        case EventType.REASONING_MESSAGE_CHUNK:
          throw new HoldpointError('INPUT_INVALID', `${event.type} is to be expanded before it is applied.`);
        default:
          break;
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
}
