import type { Interrupt } from '../../protocol/index.ts';

/** The parts of AI SDK's UI messages (versions 6 and 7) that the host reads and writes. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly UiPart[];
}

export type UiPart = UiTextPart | UiFilePart | UiToolPart | { readonly type: 'step-start' };

interface UiTextPart {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
  readonly state?: 'done';
}

interface UiFilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly url: string;
  readonly filename?: string;
}

/** A call. The type of a dynamic one is `dynamic-tool`; that of another one has the name of its tool. */
export interface UiToolPart {
  readonly type: `tool-${string}` | 'dynamic-tool';
  readonly toolName?: string;
  readonly toolCallId: string;
  readonly state: 'input-available' | 'approval-requested' | 'output-available' | 'output-error';
  readonly input: unknown;
  readonly approval?: { readonly id: string; readonly requestReason?: string };
  readonly output?: unknown;
  readonly errorText?: string;
}

/** A piece of the SDK's UI message stream, of those that the host writes. */
export type UiChunk =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' | 'finish-step' | 'abort' }
  | { readonly type: 'finish'; readonly finishReason: 'stop' | 'tool-calls' }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: `${'text' | 'reasoning'}-${'start' | 'end'}`; readonly id: string }
  | { readonly type: `${'text' | 'reasoning'}-delta`; readonly id: string; readonly delta: string }
  | UiToolChunk;

export type UiToolChunk = { readonly toolCallId: string } & (
  | { readonly type: 'tool-input-start'; readonly toolName: string }
  | { readonly type: 'tool-input-delta'; readonly inputTextDelta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolName: string;
      readonly input: unknown;
      readonly dynamic?: true;
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly reason?: string }
  | { readonly type: 'tool-output-available'; readonly output: unknown }
  | { readonly type: 'tool-output-error'; readonly errorText: string }
  | { readonly type: 'tool-output-denied' }
);

/** The id of the assistant's message after a message of the user. A reply of several steps is one message of the SDK. */
export function replyId(userMessageId: string | undefined): string {
  return userMessageId === undefined ? 'reply' : `reply-${userMessageId}`;
}

/** How an interrupt is shown: as the approval of a call, as a call whose output a person gives, or as a call of its own. */
export type Shown = 'approval' | 'output' | 'own call';

/** How the interrupts of a batch are shown. Each call stands for one of them. */
export function shownAs(interrupts: readonly Interrupt[]): ReadonlyMap<string, Shown> {
  const calls = interrupts.map(({ toolCallId }) => toolCallId);
  return new Map(
    interrupts.map(({ id, reason, toolCallId, responseSchema }) => {
      const properties = responseSchema?.['properties'];
      const isApproval =
        typeof properties === 'object' && properties !== null && Object.hasOwn(properties, 'approved');
      if (isApproval) return [id, 'approval'];
      const isOwn =
        toolCallId === undefined ||
        reason === 'error_recovery' ||
        calls.filter((call) => call === toolCallId).length > 1;
      return [id, isOwn ? 'own call' : 'output'];
    }),
  );
}

/** The id of the call that stands for an interrupt. */
export function callIdOf({ id, toolCallId }: Interrupt, shown: Shown | undefined): string {
  return shown === 'own call' || toolCallId === undefined ? id : toolCallId;
}

/** The call that stands for an interrupt without a call of its agent. */
export function ownCallOf({ reason, message, responseSchema, metadata }: Interrupt): {
  readonly toolName: string;
  readonly input: unknown;
} {
  return { toolName: reason, input: { message, responseSchema, payload: metadata?.['payload'] } };
}
