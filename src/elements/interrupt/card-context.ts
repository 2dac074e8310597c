import type { TemplateResult } from 'lit';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { Upload } from '../form/field-control.ts';
import type { HoldpointFormElement } from '../form/form-element.ts';
import type { CardFacts } from './card-facts.ts';
import type { CardDraft } from './drafts.ts';

/** What the body of a card has to work with. */
export interface CardContext {
  readonly interrupt: Interrupt;
  readonly facts: CardFacts;
  /** What was entered so far. */
  readonly draft: CardDraft;
  /** An answer is on its way, or there can be none: nothing can be pressed. */
  readonly isLocked: boolean;
  /** The prefix of the ids in this card. */
  readonly id: string;
  readonly upload: Upload | undefined;
  /** What is wrong with a text of the card, such as its reason. */
  problemWith(name: string): string | undefined;
  setProblem(name: string, problem: string): void;
  /** Something that needs a second look before it is done, by its name; undefined when nothing does. */
  readonly asking: string | undefined;
  ask(name: string | undefined): void;
  /** Keeps what was entered. */
  update(draft: CardDraft): void;
  /** A form of this card, by its name, once it is on the screen. */
  form(name: string): HoldpointFormElement | undefined;
  /** Runs an action; while it is at work, no other begins. */
  act(action: () => Promise<void> | void): void;
  /** Gives the answer to whoever listens. */
  send(entry: ResumeEntry): void;
}

/** The part of a card that differs by the kind of question: what is asked for, and the buttons. */
export type CardBody = (card: CardContext) => TemplateResult;
