import type { UnknownRecord } from '../../core/index.ts';
import { canonicalJson, isRecord, ownMember } from '../../core/index.ts';
import type { FunctionDetails, Interrupt } from '../../protocol/index.ts';
import { approvalOf, isApprovable, payloadOf } from '../../protocol/index.ts';
import { toWords } from '../base/words.ts';
import { reasonLabel } from './reason-label.ts';
import { toldMetadata } from './told-metadata.ts';

/** What a card shows of a question, whichever way the question says it. */
export interface CardFacts {
  readonly title: string;
  readonly message: string | undefined;
  readonly description: string | undefined;
  readonly toolName: string | undefined;
  /** The arguments that a call would run with; undefined where no call is asked about. */
  readonly args: unknown;
  readonly isApproval: boolean;
  readonly isDestructive: boolean;
  readonly risk: string | undefined;
  /** A phrase that has to be typed to approve. */
  readonly confirmation: string | undefined;
  readonly requiresReason: boolean;
  readonly offersReason: boolean;
  /** The reviewer may ask that the decision is remembered. */
  readonly offersRemember: boolean;
  /** The schema of the arguments, where they may be changed. */
  readonly editSchema: UnknownRecord | undefined;
  /** What else an approval asks for. */
  readonly extras: UnknownRecord | undefined;
  readonly pages: readonly CardPage[];
  /** The question may be left unanswered with null. */
  readonly isOptional: boolean;
  /** Whatever else the question carries. */
  readonly details: UnknownRecord;
  readonly raisedAt: number | undefined;
}

/** A part of a form that is shown by itself. */
export interface CardPage {
  readonly title: string;
  readonly description: string | undefined;
  readonly properties: readonly string[];
}

/** Members of the metadata that have a place of their own on a card, or are none of a reader's business. */
const SHOWN = new Set([
  'functionName',
  'functionArguments',
  'toolName',
  'toolInput',
  'title',
  'description',
  'destructive',
  'riskLevel',
  'risk',
  'confirmation',
  'requireReason',
  'ask',
  'code',
  'pages',
  'optional',
  'payload',
  'raisedAt',
  'traceparent',
  'tracestate',
  'supersedes',
  'accept',
  'maxBytes',
]);
const APPROVAL = new Set(['approved', 'reason', 'confirmation', 'editedArgs', 'remember']);

/** Reads a question. `call` is the tool call that it names, where the conversation has it. */
export function cardFacts(asked: Interrupt, call?: FunctionDetails): CardFacts {
  const metadata = toldMetadata(asked.metadata ?? {});
  const interrupt = { ...asked, metadata };
  const { responseSchema, message, reason } = interrupt;
  const properties = isRecord(responseSchema?.['properties']) ? responseSchema['properties'] : undefined;
  const approval = approvalOf(interrupt, () => call);
  const isApproval = isApprovable(asked);
  const stated = approval ?? toolCall(metadata) ?? call;
  const payload = payloadOf(interrupt);
  const title = text(metadata, 'title') ?? stated?.functionName ?? '';
  const edit = properties === undefined ? undefined : ownMember(properties, 'editedArgs');
  return {
    title: title === '' ? reasonLabel(reason).label : toTitle(title),
    message: message ?? (isRecord(payload) ? text(payload, 'prompt') : undefined),
    description: text(metadata, 'description'),
    toolName: stated?.functionName === '' ? undefined : stated?.functionName,
    args: stated?.functionArguments,
    isApproval,
    isDestructive: metadata['destructive'] === true,
    risk: text(metadata, 'riskLevel') ?? text(metadata, 'risk') ?? riskOf(payload),
    confirmation: text(metadata, 'confirmation'),
    requiresReason: metadata['requireReason'] === true,
    offersReason: properties === undefined || Object.hasOwn(properties, 'reason'),
    offersRemember: isApproval && properties !== undefined && Object.hasOwn(properties, 'remember'),
    editSchema: isApproval && isRecord(edit) ? edit : undefined,
    extras: isApproval ? extrasOf(responseSchema, properties) : undefined,
    pages: pagesOf(metadata),
    isOptional: metadata['optional'] === true,
    details: withoutRepeats(detailsOf(metadata, payload), stated?.functionArguments),
    raisedAt: timeOf(metadata['raisedAt']),
  };
}

function toolCall(metadata: UnknownRecord): FunctionDetails | undefined {
  const functionName = text(metadata, 'toolName');
  if (functionName === undefined) return undefined;
  return { functionName, functionArguments: metadata['toolInput'] };
}

/** A title that its author wrote stays as it is; the name of a tool becomes words. */
function toTitle(title: string): string {
  return /\s/.test(title) ? title : toWords(title);
}

function text(record: UnknownRecord, name: string): string | undefined {
  const value = ownMember(record, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function riskOf(payload: unknown): string | undefined {
  return isRecord(payload) ? text(payload, 'riskLevel') : undefined;
}

function extrasOf(schema: UnknownRecord | undefined, properties: UnknownRecord | undefined) {
  const extras = Object.entries(properties ?? {}).filter(([name]) => !APPROVAL.has(name));
  if (schema === undefined || extras.length === 0) return undefined;
  const needed: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    ...schema,
    properties: Object.fromEntries(extras),
    required: needed.filter((name) => typeof name === 'string' && !APPROVAL.has(name)),
  };
}

function pagesOf({ pages }: UnknownRecord): readonly CardPage[] {
  if (!Array.isArray(pages)) return [];
  return pages.filter(isRecord).flatMap((page, index): readonly CardPage[] => {
    const listed = page['properties'] ?? page['fields'];
    const names = isRecord(listed) ? Object.keys(listed) : Array.isArray(listed) ? listed.map(String) : [];
    if (names.length === 0) return [];
    return [
      {
        title: text(page, 'title') ?? `Step ${index + 1}`,
        description: text(page, 'description'),
        properties: names,
      },
    ];
  });
}

function detailsOf(metadata: UnknownRecord, payload: unknown): UnknownRecord {
  const rest = Object.entries(metadata).filter(([name]) => !SHOWN.has(name));
  const more = isRecord(payload) ? Object.entries(payload).filter(([name]) => !SHOWN.has(name)) : [];
  const { prompt: _prompt, ...details } = Object.fromEntries([...more, ...rest]);
  return isRecord(payload) || payload === undefined ? details : { ...details, payload };
}

/** What the arguments say already is not said twice. */
function withoutRepeats(details: UnknownRecord, args: unknown): UnknownRecord {
  const said = isRecord(args) ? args : {};
  return Object.fromEntries(
    Object.entries(details).filter(
      ([name, value]) => !Object.hasOwn(said, name) || canonicalJson(said[name]) !== canonicalJson(value),
    ),
  );
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
