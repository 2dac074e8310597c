import type { Interrupt } from '../protocol/index.ts';
import { InterruptReason } from '../protocol/interrupts/reasons.ts';
import type { UserInputRequestContent, UserInputResponseContent } from './chat-content.ts';
import type { ContentKind } from './content-kind.ts';
import { fitString } from './fit-string.ts';
import { isJson } from './json-forms.ts';
import { readInterruptFields, newInterrupt } from './interrupt-fields.ts';
import { isInterrupt, isResumeEntry } from './raw-representation.ts';

/** The kind of every interrupt that is not an approval. */
export const userInput: ContentKind<UserInputRequestContent, UserInputResponseContent> = {
  kind: 'userInput',

  matches: () => true,

  fromInterrupt: (interrupt, { id }) => ({
    type: 'userInputRequest',
    id,
    ...readInterruptFields(interrupt),
    rawRepresentation: interrupt,
  }),

  toInterrupt(request) {
    const { rawRepresentation: raw } = request;
    if (isInterrupt(raw)) return raw;
    const interrupt = newInterrupt(request, request.reason ?? InterruptReason.InputRequired);
    return isJson(raw) ? { ...interrupt, metadata: { payload: raw } } : interrupt;
  },

  toResume(response, interrupt) {
    const payload = payloadFor(response, interrupt);
    return payload === undefined ? { status: 'resolved' } : { status: 'resolved', payload };
  },

  fromResume({ status, payload }, { id }) {
    const response = { type: 'userInputResponse', id } as const;
    if (status === 'cancelled') return { ...response, cancelled: true };
    return payload === undefined ? response : { ...response, value: payload as unknown };
  },
};

/** Converts a typed value to the schema; JSON from a resume entry or a raw representation stays unchanged. */
function payloadFor(response: UserInputResponseContent, interrupt: Interrupt | undefined): unknown {
  const { value, rawRepresentation: raw } = response;
  if (value === undefined) {
    return isJson(raw) && !isInterrupt(raw) && !isResumeEntry(raw) ? raw : undefined;
  }
  if (typeof value !== 'string' || (isResumeEntry(raw) && raw.payload === value)) return value;
  return fitString(value, interrupt?.responseSchema);
}
