import { childPointer } from '../json-pointer.ts';
import { Evaluated } from './evaluated.ts';

/** The position of a check: pointer in the value, location in the schema. */
export interface Position {
  readonly pointer: string;
  readonly location: string;
  readonly evaluated: Evaluated;
}

/** The same value, under a keyword of its schema. */
export function below(position: Position, keyword: string, evaluated = position.evaluated): Position {
  return { pointer: position.pointer, location: `${position.location}/${keyword}`, evaluated };
}

/** A member of the value, under the keyword that has its schema. */
export function memberOf({ pointer, location }: Position, name: string, keyword: string): Position {
  return {
    pointer: childPointer(pointer, name),
    location: `${location}/${keyword}`,
    evaluated: new Evaluated(),
  };
}
