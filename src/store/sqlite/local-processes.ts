import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import type { LeaseOwner, Processes } from '../store.ts';

/**
 * The processes of this machine, by `/proc` of Linux. Undefined if this process cannot identify itself for certain:
 * on other systems, and if `/proc` shows another PID namespace.
 */
export function localProcesses(): Processes | undefined {
  known ??= { processes: readProcesses() };
  return known.processes;
}

let known: { readonly processes: Processes | undefined } | undefined;

function readProcesses(): Processes | undefined {
  const self = readSelf();
  if (self === undefined) return undefined;
  return { self, isGone: (owner) => owner.place === self.place && isGoneHere(owner) };
}

function readSelf(): LeaseOwner | undefined {
  try {
    const { pid } = process;
    if (readlinkSync('/proc/self') !== String(pid)) return undefined;
    const startTime = readStat(pid)?.startTime;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (startTime === undefined || boot === '') return undefined;
    const pidNamespace = readlinkSync('/proc/self/ns/pid');
    return { place: placeOf([machineId(), boot, pidNamespace, timeNamespace()]), pid, startTime };
  } catch {
    return undefined;
  }
}

/**
 * The place of a process: a digest of its machine, boot and namespaces. Every run stores it, so it is short; machine-id(5) also asks
 * programs not to show the id of the machine.
 */
export function placeOf(
  parts: readonly [machine: string, boot: string, pids: string, times: string],
): string {
  return createHash('sha256')
    .update(JSON.stringify(['holdpoint', ...parts]))
    .digest('base64url')
    .slice(0, 22);
}

function isGoneHere({ pid, startTime }: LeaseOwner): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  if (!exists(pid)) return true;
  const stat = readStat(pid);
  // A process of another user may exist without being visible.
  if (stat === undefined) return false;
  // Killed, but not yet collected by its parent: no code runs in it.
  const isDead = stat.state === 'Z' || stat.state === 'X';
  return isDead || stat.startTime !== startTime;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Fields 3 and 22 of `stat` in proc(5); the second field, the command name, may contain anything. */
function readStat(pid: number): { readonly state: string; readonly startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const startTime = rest[18];
    return state === undefined || startTime === undefined ? undefined : { state, startTime };
  } catch {
    return undefined;
  }
}

/** Empty without an id: boot ids differ anyway. */
function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Start times depend on the time namespace of the reader; old kernels have only one. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}
