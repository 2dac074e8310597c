import type { UnknownRecord } from '../../core/index.ts';
import { isRecord, ownMember } from '../../core/index.ts';

/** The part of an interrupt or a request that describes the answer. */
interface Offer {
  readonly responseSchema?: UnknownRecord;
}

/** True when the reviewer may replace the arguments, by the response schema. */
export function offersEdits(offer: Offer): boolean {
  return offersMember(offer, 'editedArgs');
}

/** True when the reviewer may have the decision remembered. */
export function offersRemember(offer: Offer): boolean {
  return offersMember(offer, 'remember');
}

function offersMember({ responseSchema }: Offer, name: string): boolean {
  const properties = responseSchema === undefined ? undefined : ownMember(responseSchema, 'properties');
  return isRecord(properties) && Object.hasOwn(properties, name);
}
