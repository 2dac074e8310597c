import type { UnknownRecord } from '../../core/index.ts';
import { canonicalJson, childPointer, isRecord, ownMember } from '../../core/index.ts';
import type { FunctionDetails, Interrupt } from '../../protocol/index.ts';
import { approvalOf, payloadOf, schemaEffectOf } from '../../protocol/index.ts';
import { isApprovable, responseSchemaOf } from '../../client/index.ts';
import { visibleText } from '../base/visible-text.ts';
import { toWords } from '../base/words.ts';
import { isTrialRun } from './decision.ts';
import { reasonLabel } from './reason-label.ts';
import { shownMetadata } from './shown-metadata.ts';
import { translate } from '../base/strings.ts';

/** The facts of an interrupt that a card shows, read from every form an interrupt can have. */
export interface CardFacts {
  /** What the call does, in a few words. */
  readonly title: string;
  /** The most important line: a short message, else the title. */
  readonly headline: string;
  /** The message, where the headline does not say it. */
  readonly message: string | undefined;
  readonly description: string | undefined;
  readonly toolName: string | undefined;
  /** Arguments of the call to approve, without members that the tool does not get; undefined without a call. */
  readonly args: unknown;
  /** Members of the model's arguments that the tool does not get, by their JSON pointer. */
  readonly dropped: UnknownRecord | undefined;
  /** True when the tool converts the arguments, so that they do not say what it gets. */
  readonly isConverted: boolean;
  /** Texts for arguments, such as an amount with its currency; from the metadata `display`. */
  readonly display: UnknownRecord | undefined;
  readonly isApproval: boolean;
  /** The schema of the answer. */
  readonly responseSchema: UnknownRecord;
  /** The label of the button that approves, such as "Send $1,000"; from the metadata `verb` or the tool's title. */
  readonly verb: string | undefined;
  readonly isDestructive: boolean;
  /** True when the call asks for a trial run by an argument that its schema declares, such as `dryRun`. */
  readonly isTrial: boolean;
  readonly risk: string | undefined;
  /** Phrase that the reviewer must type to approve. */
  readonly confirmation: string | undefined;
  readonly requiresReason: boolean;
  readonly offersReason: boolean;
  /** True when the reviewer may have the decision remembered. */
  readonly offersRemember: boolean;
  /** True when a remembered decision may be for exactly these arguments: what is shown is what runs. */
  readonly offersExactly: boolean;
  /** True when a remembered decision may have a total amount. */
  readonly offersTotal: boolean;
  /** Schema of the arguments when the reviewer may edit them. */
  readonly editSchema: UnknownRecord | undefined;
  /** Schema of the additional members of an approval. */
  readonly extras: UnknownRecord | undefined;
  readonly pages: readonly CardPage[];
  /** True when the answer may be null. */
  readonly isOptional: boolean;
  /** The rest of the metadata. */
  readonly details: UnknownRecord;
  readonly raisedAt: number | undefined;
}

/** One page of a form. */
export interface CardPage {
  readonly title: string;
  readonly description: string | undefined;
  readonly properties: readonly string[];
}

/** Members of the metadata that the card shows elsewhere or that only machines need. */
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
  'inputType',
  'raisedAt',
  'traceparent',
  'tracestate',
  'supersedes',
  'interruptIds',
  'accept',
  'maxBytes',
  'verb',
  'display',
  'answerAs',
  'outputSchema',
  'schemaEffect',
]);
const APPROVAL = new Set(['approved', 'reason', 'confirmation', 'editedArgs', 'remember']);

/** Reads an interrupt. `call` is its tool call, if the conversation has it. */
export function cardFacts(raised: Interrupt, call?: FunctionDetails): CardFacts {
  const metadata = shownMetadata(raised.metadata ?? {});
  const interrupt = { ...raised, metadata };
  const { message, reason } = interrupt;
  const responseSchema = responseSchemaOf(raised);
  const properties = isRecord(responseSchema['properties']) ? responseSchema['properties'] : undefined;
  const approval = approvalOf(interrupt, () => call);
  const isApproval = isApprovable(raised);
  const stated = approval ?? toolCall(metadata) ?? call;
  const { dropped, converted } = schemaEffectOf(interrupt);
  const args = withoutDropped(stated?.functionArguments, dropped);
  const payload = payloadOf(interrupt);
  const title = text(metadata, 'title') ?? stated?.functionName ?? '';
  const edit = properties === undefined ? undefined : ownMember(properties, 'editedArgs');
  const remembered = membersOf(properties === undefined ? undefined : ownMember(properties, 'remember'));
  const shownTitle = title === '' ? reasonLabel(reason).label : toTitle(title);
  const said = message ?? (isRecord(payload) ? text(payload, 'prompt') : undefined);
  // The engine makes these when the tool has no message of its own.
  const isMade = said === `${shownTitle}?` || said === `May ${stated?.functionName} go ahead?`;
  const isHeadline = said !== undefined && !isMade && PLAIN_LINE.test(said);
  return {
    title: shownTitle,
    headline: isHeadline ? said : shownTitle,
    message: isMade || isHeadline ? undefined : said,
    description: text(metadata, 'description'),
    toolName: stated?.functionName === '' ? undefined : stated?.functionName,
    args,
    dropped,
    isConverted: converted === true,
    display: isRecord(metadata['display']) ? metadata['display'] : undefined,
    isApproval,
    responseSchema,
    verb: verbOf(metadata),
    isDestructive: metadata['destructive'] === true,
    // An argument that no schema declares may have no effect: an agent could claim a trial with it.
    isTrial: isTrialRun(declaredIn(edit, args)),
    risk: text(metadata, 'riskLevel') ?? text(metadata, 'risk') ?? riskOf(payload),
    confirmation: text(metadata, 'confirmation'),
    requiresReason: metadata['requireReason'] === true,
    offersReason: properties === undefined || Object.hasOwn(properties, 'reason'),
    offersRemember: isApproval && Object.hasOwn(remembered, 'what') && Object.hasOwn(remembered, 'where'),
    offersExactly: converted !== true,
    offersTotal: Object.hasOwn(remembered, 'maxTotal'),
    editSchema: isApproval && isRecord(edit) ? edit : undefined,
    extras: isApproval ? extrasOf(responseSchema, properties) : undefined,
    pages: pagesOf(metadata),
    isOptional: metadata['optional'] === true,
    details: withoutRepeats(detailsOf(metadata, payload), args),
    raisedAt: timeOf(metadata['raisedAt']),
  };
}

/** The arguments without members that the tool does not get. Arguments that the tool converts still have them. */
function withoutDropped(args: unknown, dropped: UnknownRecord = {}): unknown {
  if (!isRecord(args) || Object.keys(dropped).length === 0) return args;
  const kept = Object.entries(args).filter(([name]) => !Object.hasOwn(dropped, childPointer('', name)));
  return Object.fromEntries(kept);
}

function toolCall(metadata: UnknownRecord): FunctionDetails | undefined {
  const functionName = text(metadata, 'toolName');
  if (functionName === undefined) return undefined;
  return { functionName, functionArguments: metadata['toolInput'] };
}

/** One line of words without Markdown. */
const PLAIN_LINE = /^[^\n*_`#[\]|<>]{1,160}$/;
const LONGEST_VERB = 28;

/** The stated verb, or the start of the title that the tool's author wrote: "Send $1,000 to Ana" gives "Send $1,000". */
function verbOf(metadata: UnknownRecord): string | undefined {
  const title = text(metadata, 'title') ?? '';
  const [start = ''] = title.split(/\s(?:to|from|for|in|on|at|with|of|into|as|by)\s/i);
  const verb = text(metadata, 'verb') ?? (/\s/.test(title) ? start : '');
  return verb === '' || verb.length > LONGEST_VERB ? undefined : visibleText(verb);
}

/** Keeps a title that an author wrote; turns a tool name into words. */
function toTitle(title: string): string {
  return /\s/.test(title) ? title : toWords(title);
}

function text(record: UnknownRecord, name: string): string | undefined {
  const value = ownMember(record, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The members of an object schema. */
function membersOf(schema: unknown): UnknownRecord {
  const members = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(members) ? members : {};
}

/** The members of a value that a schema declares. */
function declaredIn(schema: unknown, value: unknown): UnknownRecord {
  const members = membersOf(schema);
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter(([name]) => Object.hasOwn(members, name)));
}

function riskOf(payload: unknown): string | undefined {
  return isRecord(payload) ? text(payload, 'riskLevel') : undefined;
}

function extrasOf(schema: UnknownRecord, properties: UnknownRecord | undefined) {
  const extras = Object.entries(properties ?? {}).filter(([name]) => !APPROVAL.has(name));
  if (extras.length === 0) return undefined;
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
        title: text(page, 'title') ?? translate('Step {0}', index + 1),
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

/** Removes details that repeat an argument. */
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
