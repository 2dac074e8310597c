import { isRecord, messageOf } from '../../core/basics/index.ts';
import { parseJson } from '../../core/json/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { interruptsOf } from '../../protocol/interrupts/outcome/index.ts';
import { decodeEvent } from '../../protocol/shapes/index.ts';
import type { ClientStorage } from '../client-options.ts';

/** Where one thread's questions are kept. */
export interface Kept {
  readonly storage: ClientStorage;
  readonly key: string;
}

/** What is kept of a thread over a reload: its open questions, and answers that wait for others. */
export interface KeptQuestions {
  readonly interrupts: readonly Interrupt[];
  readonly staged: readonly ResumeEntry[];
}

/** A storage that fails costs the memory over a reload, never the run. */
type Warn = (warning: string) => void;

/** Undefined when nothing is kept, or nothing that can be read. */
export async function readQuestions({ storage, key }: Kept, warn: Warn): Promise<KeptQuestions | undefined> {
  try {
    const text = await storage.getItem(key);
    if (text === null) return undefined;
    const value = parseJson(text);
    if (!isRecord(value)) return undefined;
    const ended = {
      type: 'RUN_FINISHED',
      threadId: '',
      runId: '',
      outcome: { type: 'interrupt', interrupts: value['interrupts'] },
    };
    const event = decodeEvent(ended);
    const interrupts = event?.type === 'RUN_FINISHED' ? interruptsOf(event) : [];
    const staged = Array.isArray(value['staged']) ? value['staged'].filter(isEntry) : [];
    return { interrupts, staged };
  } catch (error) {
    warn(`The questions kept under ${key} could not be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** Nothing is left behind when no question is open. Answers to questions for secrets are not kept. */
export async function writeQuestions(
  { storage, key }: Kept,
  { interrupts, staged }: KeptQuestions,
  warn: Warn,
): Promise<void> {
  try {
    if (interrupts.length === 0) {
      await storage.removeItem(key);
      return;
    }
    const secret = new Set(interrupts.filter(asksForSecret).map(({ id }) => id));
    const open = staged.filter(({ interruptId }) => !secret.has(interruptId));
    await storage.setItem(key, JSON.stringify({ interrupts, staged: open }));
  } catch (error) {
    warn(`The questions of ${key} could not be kept: ${messageOf(error)}`);
  }
}

function asksForSecret({ responseSchema }: Interrupt): boolean {
  return /"writeOnly":true|"format":"password"/.test(JSON.stringify(responseSchema ?? {}));
}

function isEntry(value: unknown): value is ResumeEntry {
  if (!isRecord(value) || typeof value['interruptId'] !== 'string') return false;
  return value['status'] === 'resolved' || value['status'] === 'cancelled';
}
