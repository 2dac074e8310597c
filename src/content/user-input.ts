import type { UnknownRecord } from '../core/index.ts';
import { defined, isRecord, ownMember } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { InterruptReason } from '../protocol/interrupts/interrupt.ts';
import type { UserInputRequestContent, UserInputResponseContent } from './chat-content.ts';
import type { ContentKind } from './content-kind.ts';
import {
  draftIn,
  interruptIn,
  isInterrupt,
  isResumeEntry,
  newInterrupt,
  readInterruptFields,
} from './interrupt-fields.ts';
import { isJson } from './json-forms.ts';

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
    const draft = draftIn(raw);
    if (draft !== undefined) return { ...draft, ...newInterrupt(request, request.reason ?? draft.reason) };
    if (isInterrupt(raw)) return raw;
    const interrupt = newInterrupt(request, request.reason ?? InterruptReason.InputRequired);
    return isJson(raw) ? { ...interrupt, metadata: { payload: raw } } : interrupt;
  },

  toResume(response, interrupt) {
    return { status: 'resolved', ...defined({ payload: payloadFor(response, interrupt) }) };
  },

  fromResume({ status, payload }, { id }) {
    const response = { type: 'userInputResponse', id } as const;
    if (status === 'cancelled') return { ...response, cancelled: true };
    return { ...response, ...defined({ value: payload as unknown }) };
  },
};

/** Converts a typed value to the schema; JSON from a resume entry or a raw representation stays unchanged. */
function payloadFor(response: UserInputResponseContent, interrupt: Interrupt | undefined): unknown {
  const { value, rawRepresentation: raw } = response;
  if (value === undefined) {
    return isJson(raw) && interruptIn(raw) === undefined && !isResumeEntry(raw) ? raw : undefined;
  }
  if (typeof value !== 'string' || (isResumeEntry(raw) && raw.payload === value)) return value;
  return fitString(value, interrupt?.responseSchema);
}

/**
 * Converts a typed string to the response schema of an interrupt. Without a schema the result is `{response:
 * text}`. A schema of strings keeps the text; a schema of numbers or booleans takes the literal; an object with
 * exactly one string property and no other required one becomes an object with that property. Other texts stay as
 * they are, and validation rejects them.
 */
export function fitString(text: string, schema: UnknownRecord | undefined): unknown {
  if (schema === undefined) return { response: text };
  const types = typesOf(schema);
  if (types.has('string')) return text;
  if (types.has('number') || types.has('integer') || types.has('boolean')) return literal(text, types);
  const property = types.has('object') ? onlyStringProperty(schema) : undefined;
  return property === undefined ? text : { [property]: text };
}

/** The types that a schema accepts, without following references. */
function typesOf(schema: unknown): ReadonlySet<unknown> {
  if (!isRecord(schema)) return new Set();
  const type = ownMember(schema, 'type');
  if (type !== undefined) return new Set(Array.isArray(type) ? type : [type]);
  const values = ownMember(schema, 'enum');
  if (Array.isArray(values)) return new Set(values.map((value) => typeof value));
  if (Object.hasOwn(schema, 'const')) return new Set([typeof schema['const']]);
  const branches = ownMember(schema, 'anyOf') ?? ownMember(schema, 'oneOf');
  if (Array.isArray(branches)) return new Set(branches.flatMap((branch) => [...typesOf(branch)]));
  return new Set(Object.hasOwn(schema, 'properties') ? ['object'] : []);
}

const LITERAL = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** The number or boolean that a text spells exactly; an integer that JavaScript cannot represent stays text. */
function literal(text: string, types: ReadonlySet<unknown>): unknown {
  if (!LITERAL.test(text)) return text;
  const value: unknown = JSON.parse(text);
  if (typeof value === 'boolean') return types.has('boolean') ? value : text;
  if (Number.isInteger(value)) {
    return Number.isSafeInteger(value) && (types.has('number') || types.has('integer')) ? value : text;
  }
  return Number.isFinite(value) && types.has('number') ? value : text;
}

function onlyStringProperty(schema: UnknownRecord): string | undefined {
  const properties = ownMember(schema, 'properties');
  if (!isRecord(properties)) return undefined;
  const [name, ...others] = Object.keys(properties).filter((key) => typesOf(properties[key]).has('string'));
  if (name === undefined || others.length > 0) return undefined;
  const required = ownMember(schema, 'required');
  return Array.isArray(required) && required.some((key) => key !== name) ? undefined : name;
}
