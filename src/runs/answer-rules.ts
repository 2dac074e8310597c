import type { FileReader } from '../content/interrupts/index.ts';
import { checkBeyondSchema, checkFiles } from '../content/interrupts/index.ts';
import type { AnswerRules } from '../ledger/index.ts';

/** The rules for answers beyond the schema: decisions, and the files that an answer names, if the thread can have files. */
export function answerRules(files: FileReader | undefined): AnswerRules {
  return (record, entry) => {
    const issues = checkBeyondSchema(record.interrupt, entry);
    return issues.length > 0 || files === undefined ? issues : checkFiles(record.interrupt, entry, files);
  };
}
