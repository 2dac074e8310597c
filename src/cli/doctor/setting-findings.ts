import { messageOf } from '../../core/index.ts';
import type { Problem } from '../check-setting.ts';
import { checkDatabase, checkToken, checkUrl } from '../check-setting.ts';
import { realModel } from '../demo/real-model.ts';
import type { Finding } from './finding.ts';
import { bad, good } from './finding.ts';

/** What the environment says to the commands, and whether they can use it. No secret is in what is said. */
export async function settingFindings(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<readonly Finding[]> {
  const look = (name: string, check: (value: string) => Problem | undefined): Finding => {
    const value = environment[name];
    if (value === undefined) return good(name, 'not set');
    const problem = check(value);
    return problem === undefined ? good(name, 'has the right form') : bad(name, problem.says, problem.next);
  };
  return [
    look('HOLDPOINT_DB', checkDatabase),
    look('HOLDPOINT_URL', checkUrl),
    look('HOLDPOINT_TOKEN', checkToken),
    await modelFinding(environment['HOLDPOINT_MODEL'], folder),
  ];
}

async function modelFinding(name: string | undefined, folder: string): Promise<Finding> {
  const what = 'HOLDPOINT_MODEL';
  if (name === undefined) return good(what, 'not set: the demo has a model of its own');
  try {
    await realModel(name, folder);
    return good(what, `${name}, its provider loads`);
  } catch (error) {
    return bad(what, `${name === '' ? 'an empty name' : name} cannot be used`, messageOf(error));
  }
}
