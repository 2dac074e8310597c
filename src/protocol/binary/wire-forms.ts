import type { UnknownRecord } from '../../core/index.ts';
import { joinMessageContent, joinResultContent, splitContent } from './content-forms.ts';
import { flattenOutcome, gatherOutcome } from './outcome-forms.ts';
import { nameOperation, numberOperation } from './patch-forms.ts';

interface WireForm {
  readonly toWire: (record: UnknownRecord) => UnknownRecord;
  readonly fromWire: (record: UnknownRecord) => UnknownRecord;
}

/** The messages whose wire fields differ from their JSON. */
const FORMS = new Map<string, WireForm>([
  ['Message', { toWire: splitContent, fromWire: joinMessageContent }],
  ['TOOL_CALL_RESULT', { toWire: splitContent, fromWire: joinResultContent }],
  ['RUN_FINISHED', { toWire: flattenOutcome, fromWire: gatherOutcome }],
  ['SUBAGENT_FINISHED', { toWire: flattenOutcome, fromWire: gatherOutcome }],
  ['PatchOperation', { toWire: numberOperation, fromWire: nameOperation }],
]);

/** The wire fields of a record. */
export function toWireForm(name: string, record: UnknownRecord): UnknownRecord {
  return FORMS.get(name)?.toWire(record) ?? record;
}

/** The record of wire fields; may change and return its argument. */
export function fromWireForm(name: string, record: UnknownRecord): UnknownRecord {
  return FORMS.get(name)?.fromWire(record) ?? record;
}
