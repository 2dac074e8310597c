import type { UnknownRecord } from '../../core/basics/index.ts';
import { isRecord, ownMember } from '../../core/basics/index.ts';

/** Whether the reviewer may replace the arguments: an interrupt and a request both say so in their schema. */
export function offersEdits({ responseSchema }: { readonly responseSchema?: UnknownRecord }): boolean {
  const properties = responseSchema === undefined ? undefined : ownMember(responseSchema, 'properties');
  return isRecord(properties) && Object.hasOwn(properties, 'editedArgs');
}
