import { isRecord } from '../../core/index.ts';
import type { ProviderOptions } from './provider-prompt.ts';

/**
 * True for an object of objects. The provider checks the contents, which come from JSON or from a trusted program.
 */
export function isProviderOptions(value: unknown): value is ProviderOptions {
  return isRecord(value) && Object.values(value).every(isRecord);
}
