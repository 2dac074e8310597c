import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LeaseOwner } from '../store.ts';
import { localProcesses, placeOf } from './local-processes.ts';

const processes = localProcesses();

describe.runIf(process.platform === 'linux')('the processes beside this one', () => {
  if (processes === undefined) throw new Error('Linux tells who this process is.');
  const { self, isGone } = processes;
  const startTimeOf = (pid: number) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[19] ?? '';

  it('isGone is false for this process', () => {
    expect(self.pid).toBe(process.pid);
    expect(isGone(self)).toBe(false);
  });

  it('isGone is true for an earlier process with the same id', () => {
    expect(isGone({ ...self, startTime: '1' })).toBe(true);
  });

  it('isGone is false for a process of another user', () => {
    const init = { ...self, pid: 1, startTime: startTimeOf(1) };
    expect(isGone(init)).toBe(false);
  });

  it('isGone is false for a frozen process and true for a killed one, also before its parent collects it', async () => {
    // A shell that starts a process and never collects it.
    const script = 'sleep 600 & echo $!; exec sleep 600';
    const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const child = { ...self, pid, startTime: startTimeOf(pid) };
    const stateOf = () => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
    // A shell that has not become `sleep` yet may still collect its child.
    while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() !== 'sleep')
      await new Promise((resolve) => setImmediate(resolve));
    process.kill(pid, 'SIGSTOP');
    while (stateOf() !== 'T') await new Promise((resolve) => setImmediate(resolve));
    expect(isGone(child)).toBe(false);
    process.kill(pid, 'SIGKILL');
    while (stateOf() !== 'Z') await new Promise((resolve) => setImmediate(resolve));
    expect(isGone(child)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it.each([{ place: 'another' }, { pid: 0 }, { pid: -1 }])(
    'isGone is false for an owner with %j',
    (other) => {
      expect(isGone({ ...self, startTime: '1', ...other })).toBe(false);
    },
  );

  it('isGone is false for the owner of a lease of an older version, which has no place', () => {
    const { place: _place, ...older } = self;
    expect(isGone({ ...older, startTime: '1', machine: 'm', boot: 'b' } as unknown as LeaseOwner)).toBe(
      false,
    );
  });

  it('a place differs with the machine, the boot and each namespace', () => {
    const places = [
      ['m', 'b', 'p', 't'],
      ['other', 'b', 'p', 't'],
      ['m', 'other', 'p', 't'],
      ['m', 'b', 'other', 't'],
      ['m', 'b', 'p', 'other'],
    ] as const;
    expect(new Set(places.map((parts) => placeOf(parts))).size).toBe(places.length);
  });
});
