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
  return { self, isGone: (owner) => isOfSamePlace(owner, self) && isGoneHere(owner) };
}

function readSelf(): LeaseOwner | undefined {
  try {
    const { pid } = process;
    if (readlinkSync('/proc/self') !== String(pid)) return undefined;
    const startTime = readStat(pid)?.startTime;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (startTime === undefined || boot === '') return undefined;
    const pidNamespace = readlinkSync('/proc/self/ns/pid');
    return { machine: machineId(), boot, pidNamespace, timeNamespace: timeNamespace(), pid, startTime };
  } catch {
    return undefined;
  }
}

/** Whether process ids and start times of both can be compared. */
function isOfSamePlace(owner: LeaseOwner, self: LeaseOwner): boolean {
  return (
    owner.machine === self.machine &&
    owner.boot === self.boot &&
    owner.pidNamespace === self.pidNamespace &&
    owner.timeNamespace === self.timeNamespace
  );
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

/** The hash of the machine id, because machine-id(5) asks programs not to show the id. Empty without an id: boot ids differ anyway. */
function machineId(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    return id === '' ? '' : createHash('sha256').update(`holdpoint ${id}`).digest('hex').slice(0, 32);
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
