/** The id of a task's nth question. */
export function questionId(taskId: string, n: number): string {
  return `input-${taskId}-${n}`;
}

/** The task that a question belongs to; undefined for an id of another form. */
export function taskOfQuestion(id: string): string | undefined {
  return /^input-(.+)-\d+$/su.exec(id)?.[1];
}
