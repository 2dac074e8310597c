import { readFileSync } from 'node:fs';
import { HoldpointError, messageOf } from '../core/index.ts';
import type { Command } from './command.ts';
import { readCall } from './command.ts';
import { audit } from './commands/audit.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { erase } from './commands/erase.ts';
import { inbox } from './commands/inbox.ts';
import { migrate } from './commands/migrate.ts';
import { prune } from './commands/prune.ts';
import { restore } from './commands/restore.ts';
import { serve } from './commands/serve.ts';
import type { Terminal } from './terminal.ts';
import { guarded, paint, plain } from './terminal.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  demo,
  serve,
  inbox,
  migrate,
  restore,
  audit,
  prune,
  erase,
  doctor,
};

/** Runs a command line and returns the exit code: 0 done, 1 failed, 2 not understood. */
export async function runCli(
  given: readonly string[],
  { terminal: unguarded, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<number> {
  const terminal = guarded(unguarded);
  const [name, ...rest] = given;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    terminal.out(help(terminal));
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    terminal.out(`${versionOf()}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    terminal.err(`There is no command ${name}. See \`holdpoint --help\`.\n`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(helpOf(command, terminal));
    return 0;
  }
  try {
    return await command.run(readCall(command, rest, { terminal, signal }));
  } catch (error) {
    const text = rest.includes('--json') ? jsonOf(error) : paint(terminal, 'red', plain(messageOf(error)));
    terminal.err(`${text}\n`);
    // An INPUT_INVALID of the host is not a problem of the command line.
    const isOurs = HoldpointError.is(error) && error.details?.['host'] === undefined;
    return isOurs && error.code === 'INPUT_INVALID' ? 2 : 1;
  }
}

/** The version in `package.json`, which is two folders above this file, in the sources and in the build. */
function versionOf(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** The error in the form of the HTTP routes. */
function jsonOf(error: unknown): string {
  const code = HoldpointError.is(error) ? error.code : 'INTERNAL';
  const issues = HoldpointError.is(error) && error.issues.length > 0 ? { issues: error.issues } : {};
  return JSON.stringify({ error: { code, message: messageOf(error), ...issues } });
}

function help(terminal: Terminal): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`);
  return `${paint(terminal, 'bold', 'holdpoint')} — an agent pauses, a person answers, the agent goes on\n\n${lines.join('\n')}\n\nRun holdpoint <command> --help to see its options, holdpoint --version to see the version.\n`;
}

function helpOf({ usage, summary, flags }: Command, terminal: Terminal): string {
  const lines = Object.entries(flags).map(([name, { help: text }]) => `  --${name.padEnd(11)} ${text}`);
  return `${paint(terminal, 'bold', `holdpoint ${usage}`)}\n${summary}\n\n${lines.join('\n')}\n`;
}
