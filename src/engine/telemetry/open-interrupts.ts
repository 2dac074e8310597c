import type { Interrupt, Message } from '../../protocol/index.ts';
import { openQuestions, openTurn } from '../loop/open-turn.ts';

/** The questions that a conversation waits for. */
export function openInterrupts(messages: readonly Message[]): Interrupt[] {
  const turn = openTurn(messages);
  return turn === undefined ? [] : openQuestions(turn).map(({ interrupt }) => interrupt);
}
