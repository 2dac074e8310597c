import { invalidAnswer } from '../core/index.ts';
import { hasSecrets, replaceSecrets } from '../core/schema/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import { answerSchema } from './answer-schema.ts';
import type { InterruptRecord } from './records.ts';
import { hasMarkers, secretMarker } from './secret-markers.ts';
import type { Vault } from './vault.ts';
import { noKey } from './vault.ts';

/** An answer without its secrets: markers stand for them where it is kept, fingerprints where it is compared. */
export interface HiddenAnswer {
  readonly kept: ResumeEntry;
  readonly compared: ResumeEntry;
  readonly secrets: readonly unknown[];
}

/**
 * Takes the secrets out of an answer, before anything of it is kept. Throws `INPUT_INVALID` where there are some and no key
 * to keep them under, and `ANSWER_INVALID` for an answer that pretends to be one that is already kept.
 */
export async function hideSecrets(
  entry: ResumeEntry,
  record: InterruptRecord,
  vault: Vault | undefined,
): Promise<HiddenAnswer> {
  const { responseSchema: schema, id } = record.interrupt;
  if (entry.status === 'cancelled') return { kept: entry, compared: entry, secrets: [] };
  if (hasMarkers(entry.payload)) {
    throw invalidAnswer(id, [{ pointer: '', message: 'expected no member named $secret' }]);
  }
  if (schema === undefined || !hasSecrets(schema)) return { kept: entry, compared: entry, secrets: [] };
  if (vault === undefined) throw noKey(id);
  // Refuses a schema that cannot be followed, before it is.
  await answerSchema(record);
  const payload = entry.payload ?? null;
  const secrets: unknown[] = [];
  const marked = replaceSecrets(schema, payload, (secret, index) => {
    secrets.push(secret);
    return secretMarker(id, index);
  });
  const prints = await Promise.all(secrets.map((secret) => vault.fingerprint(id, secret)));
  const printed = replaceSecrets(schema, payload, (_secret, index) => ({ $fingerprint: prints[index] }));
  return {
    kept: { ...entry, payload: marked },
    compared: { ...entry, payload: printed },
    secrets,
  };
}
