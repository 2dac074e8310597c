import type { UnknownRecord } from '../../core/basics/index.ts';
import { isRecord, ownMember } from '../../core/basics/index.ts';

/** An interrupt or a request, as far as it says what an answer may hold. */
interface Offer {
  readonly responseSchema?: UnknownRecord;
}

/** Whether the reviewer may replace the arguments: an interrupt and a request both say so in their schema. */
export function offersEdits(offer: Offer): boolean {
  return offersMember(offer, 'editedArgs');
}

/** Whether the reviewer may ask that the decision is remembered. */
export function offersRemember(offer: Offer): boolean {
  return offersMember(offer, 'remember');
}

function offersMember({ responseSchema }: Offer, name: string): boolean {
  const properties = responseSchema === undefined ? undefined : ownMember(responseSchema, 'properties');
  return isRecord(properties) && Object.hasOwn(properties, name);
}
