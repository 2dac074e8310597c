import type { TemplateResult } from 'lit';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { Upload } from '../form/field-control.ts';
import type { HoldpointFormElement } from '../form/form-element.ts';
import type { CardFacts } from './card-facts.ts';
import type { CardDraft } from './drafts.ts';

/** The parts of a card that its body uses. */
export interface CardContext {
  readonly interrupt: Interrupt;
  readonly facts: CardFacts;
  /** The entered values. */
  readonly draft: CardDraft;
  /** True while an answer is being sent or when no answer is possible: buttons do nothing. */
  readonly isLocked: boolean;
  /** True when another answer was first: the entered values stay in sight, and were not sent. */
  readonly isUnsent: boolean;
  /** Prefix of the element ids in this card. */
  readonly id: string;
  readonly upload: Upload | undefined;
  /** Milliseconds in which an answer can be taken back; 0 when it cannot. */
  readonly undoMs: number;
  /** The problem of a text of the card, such as its reason. */
  problemWith(name: string): string | undefined;
  setProblem(name: string, problem: string): void;
  /** Name of the action that waits for a second press, such as `reject`, which asks for the reason, or `output`, which asks for the output of the call; undefined without one. */
  readonly asking: string | undefined;
  ask(name: string | undefined): void;
  /** Stores the entered values. */
  update(draft: CardDraft): void;
  /** Shows a page of a wizard and moves the focus to it. */
  toPage(page: number): void;
  /** Opens the arguments for edits and moves the focus to the first one; or closes them. */
  edit(isEditing: boolean): void;
  /** A rendered form of this card, by name. */
  form(name: string): HoldpointFormElement | undefined;
  /** Runs an action; other actions are ignored meanwhile. */
  act(action: () => Promise<void> | void): void;
  /** Emits the answer. */
  send(entry: ResumeEntry): void;
}

/** The part of a card that depends on the kind of interrupt: its inputs and buttons. */
export type CardBody = (card: CardContext) => TemplateResult;
