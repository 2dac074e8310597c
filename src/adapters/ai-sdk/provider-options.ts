import { isRecord } from '../../core/index.ts';
import type { ProviderOptions } from './provider-prompt.ts';

/**
 * True for an object of objects. What is in them is for the provider to judge; it came from JSON, or from a program
 * that is trusted.
 */
export function isProviderOptions(value: unknown): value is ProviderOptions {
  return isRecord(value) && Object.values(value).every(isRecord);
}
