import type { Command } from '../command.ts';
import { databaseFindings } from '../doctor/database-findings.ts';
import { driverFinding } from '../doctor/driver-finding.ts';
import type { Finding } from '../doctor/finding.ts';
import { bad, good } from '../doctor/finding.ts';
import { settingFindings } from '../doctor/setting-findings.ts';
import { databaseOf, DB_FLAGS } from '../open-store.ts';
import { paint } from '../terminal.ts';

/** Looks at everything that has to be right, and says what to do about what is not. */
export const doctor: Command = {
  usage: 'doctor [--db …]',
  summary: 'checks Node, the settings, the database, its schema and the clock, and says what to do',
  flags: { json: { type: 'boolean', help: 'as JSON, for programs' }, ...DB_FLAGS },
  async run(call) {
    const { terminal } = call;
    const findings = [
      nodeFinding(),
      ...(await settingFindings(process.env, process.cwd())),
      await driverFinding(databaseOf(call)),
      ...(await databaseFindings(call)),
    ];
    if (call.has('json')) terminal.out(`${JSON.stringify(findings)}\n`);
    else {
      for (const { what, ok, says, next } of findings) {
        const mark = ok ? paint(terminal, 'green', 'ok  ') : paint(terminal, 'red', 'bad ');
        terminal.out(`${mark} ${what.padEnd(15)} ${says}\n${next === undefined ? '' : `     ${next}\n`}`);
      }
    }
    return findings.every(({ ok }) => ok) ? 0 : 1;
  },
};

function nodeFinding(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  return isNew ? good('node', node) : bad('node', node, 'Install Node 20.19 or newer.');
}
