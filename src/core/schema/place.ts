import { childPointer } from '../issues/index.ts';
import { Evaluated } from './evaluated.ts';

/** Where a check is. */
export interface Place {
  readonly pointer: string;
  readonly location: string;
  readonly evaluated: Evaluated;
}

/** The same value, under a keyword of its schema. */
export function below(place: Place, keyword: string, evaluated = place.evaluated): Place {
  return { pointer: place.pointer, location: `${place.location}/${keyword}`, evaluated };
}

/** A member of the value, under the keyword that has its schema. */
export function memberOf({ pointer, location }: Place, name: string, keyword: string): Place {
  return {
    pointer: childPointer(pointer, name),
    location: `${location}/${keyword}`,
    evaluated: new Evaluated(),
  };
}
