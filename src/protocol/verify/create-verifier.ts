import { broken } from './broken.ts';
import type { Verifier } from './create-verifier-with.ts';
import { createVerifierWith } from './create-verifier-with.ts';
import { createOwnerRules } from './ownership/index.ts';

/**
 * A verifier with every rule: the life of the run, and which agent its steps, subagents, messages and calls belong
 * to. `docs/protocol.md` lists where it is stricter than `@ag-ui/client`.
 */
export function createVerifier(): Verifier {
  return createVerifierWith(createOwnerRules(broken));
}
