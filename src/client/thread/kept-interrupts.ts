import { isRecord, messageOf, parseJson } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { decodeEvent } from '../../protocol/shapes/decode.ts';
import { interruptsOf } from '../../protocol/interrupts/interrupt.ts';
import type { ClientStorage } from '../client-options.ts';

/** Where the interrupts of one thread are stored. */
export interface Kept {
  readonly storage: ClientStorage;
  readonly key: string;
}

/** The stored part of a thread: its open interrupts and its staged answers. */
interface KeptInterrupts {
  readonly interrupts: readonly Interrupt[];
  readonly staged: readonly ResumeEntry[];
}

/** Receives storage failures: they lose the stored data and never fail a run. */
type Warn = (warning: string) => void;

/** Undefined when nothing readable is stored. */
export async function readKeptInterrupts(
  { storage, key }: Kept,
  warn: Warn,
): Promise<KeptInterrupts | undefined> {
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
    warn(`The interrupts stored under ${key} could not be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** Removes the entry when no interrupt is open. Does not store answers to interrupts that ask for secrets. */
export async function writeKeptInterrupts(
  { storage, key }: Kept,
  { interrupts, staged }: KeptInterrupts,
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
    warn(`The interrupts of ${key} could not be stored: ${messageOf(error)}`);
  }
}

function asksForSecret({ responseSchema }: Interrupt): boolean {
  return /"writeOnly":true|"format":"password"/.test(JSON.stringify(responseSchema ?? {}));
}

function isEntry(value: unknown): value is ResumeEntry {
  if (!isRecord(value) || typeof value['interruptId'] !== 'string') return false;
  return value['status'] === 'resolved' || value['status'] === 'cancelled';
}
