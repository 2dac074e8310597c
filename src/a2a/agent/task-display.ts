import type { Artifact, Message as A2aMessage, Part } from '@a2a-js/sdk';
import { canonicalJson, HoldpointError, toBase64 } from '../../core/index.ts';
import type { Emitter, Message, OpenStream } from '../../protocol/index.ts';
import { shownParts } from '../dialects/read-requests.ts';
import type { RequestDialect } from '../dialects/request-dialect.ts';
import { textOf } from '../parts.ts';
import type { TaskView } from './task-view.ts';

/** Shows messages and artifacts of the agent in the thread, each once across runs. */
export interface TaskDisplay {
  /** Shows the new parts of the view; the message of a pause only if `isLast`. */
  show(view: TaskView, isLast: boolean): void;
  /** The texts that were shown, for a summary. */
  readonly said: readonly string[];
}

/**
 * Derives message ids from the agent's ids and skips ids that the thread already has. So a repeated stream, a read of the whole task
 * and a run after a lost one all lead to the same messages.
 */
export function createTaskDisplay(
  emitter: Emitter,
  messages: readonly Message[],
  {
    artifactBytes,
    dialects,
  }: { readonly artifactBytes: number; readonly dialects: readonly RequestDialect[] },
): TaskDisplay {
  const texts = new Map(messages.map(({ id, content }) => [id, typeof content === 'string' ? content : '']));
  const activities = new Map(
    messages.flatMap(({ id, role, content }) => (role === 'activity' ? [[id, canonicalJson(content)]] : [])),
  );
  const open = new Map<string, OpenStream>();
  const said: string[] = [];

  const say = (id: string, text: string) => {
    if (text === '' || texts.has(id)) return;
    texts.set(id, text);
    said.push(text);
    const stream = emitter.text({ messageId: id });
    stream.delta(text);
    stream.end();
  };
  const seen = new WeakSet<object>();
  /** Shows a part as an activity. Shows it again if its content has changed. */
  const showPart = (id: string, part: Part, about: { readonly type: string; readonly facts?: object }) => {
    if (seen.has(part)) return;
    seen.add(part);
    const content = { ...about.facts, part: toJsonPart(part) };
    const json = canonicalJson(content);
    if (activities.get(id) === json) return;
    activities.set(id, json);
    emitter.activity(id, about.type, content);
  };
  const showMessage = (owner: string, message: A2aMessage, index: number) => {
    if (seen.has(message)) return;
    seen.add(message);
    const id = `a2a-${owner}${message.messageId || `#${index}`}`;
    say(id, textOf(message.parts));
    const others = shownParts(message, dialects);
    checkSize(`message ${message.messageId}`, others, artifactBytes);
    others.forEach((part, place) => showPart(`${id}/${place}`, part, { type: 'MESSAGE' }));
  };
  const close = (id: string) => {
    open.get(id)?.end();
    open.delete(id);
  };
  const showText = (id: string, text: string, isLast: boolean) => {
    const stream = open.get(id);
    const shown = stream === undefined ? undefined : (texts.get(id) ?? '');
    if (shown !== undefined && text.startsWith(shown)) {
      stream?.delta(text.slice(shown.length));
      texts.set(id, text);
    } else {
      // An earlier run showed the start, or the agent replaced the text: the rest is a message of its own.
      close(id);
      const before = piecesOf(texts, id, text);
      const rest = text.slice(before.shown.length);
      if (rest !== '') {
        const next = emitter.text({ messageId: before.pieces === 0 ? id : `${id}#${before.pieces + 1}` });
        next.delta(rest);
        texts.set(next.id, rest);
        if (before.pieces === 0) open.set(id, next);
        else next.end();
      }
    }
    if (isLast) close(id);
  };
  const showArtifact = (taskId: string, artifact: Artifact, isLast: boolean) => {
    checkSize(`artifact ${artifact.artifactId}`, artifact.parts, artifactBytes);
    const id = `artifact-${taskId}-${artifact.artifactId}`;
    showText(id, artifactText(artifact.parts), isLast);
    artifact.parts.forEach((part, index) => {
      const activityId = `${id}/${index}`;
      if (part.content === undefined || part.content.$case === 'text') return;
      showPart(activityId, part, { type: 'ARTIFACT', facts: { taskId, ...described(artifact) } });
    });
  };
  return {
    said,
    show(view, isLast) {
      if (view.reply !== undefined) showMessage('', view.reply, 0);
      const asks = view.status?.message?.messageId;
      const paused = view.state === 'input-required' || view.state === 'auth-required';
      view.messages.forEach((message, index) => {
        if (!paused || message.messageId !== asks) showMessage(`${view.taskId}-`, message, index);
      });
      for (const artifact of view.artifacts)
        showArtifact(view.taskId, artifact, isLast || view.whole.has(artifact.artifactId));
      if (isLast && paused && view.status?.message !== undefined) {
        showMessage(`${view.taskId}-`, view.status.message, view.messages.length - 1);
      }
    },
  };
}

/** The number of messages that show a text so far, and the part of the text that they show; `''` after a replacement. */
function piecesOf(texts: ReadonlyMap<string, string>, id: string, text: string) {
  const pieces: string[] = [];
  for (let at = texts.get(id); at !== undefined; at = texts.get(`${id}#${pieces.length + 1}`))
    pieces.push(at);
  const ends = pieces.map((_, from) => pieces.slice(from).join(''));
  return { pieces: pieces.length, shown: ends.find((shown) => text.startsWith(shown)) ?? '' };
}

/** The text of an artifact, without separators between chunks. */
function artifactText(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

function described({ artifactId, name, description }: Artifact): Record<string, string> {
  return {
    artifactId,
    ...(name === '' ? {} : { name }),
    ...(description === '' ? {} : { description }),
  };
}

function toJsonPart({ content, filename, mediaType }: Part): Record<string, unknown> {
  const file = {
    ...(filename === '' ? {} : { filename }),
    ...(mediaType === '' ? {} : { mediaType }),
  };
  switch (content?.$case) {
    case 'data':
      return { type: 'data', data: content.value };
    case 'url':
      return { type: 'file', url: content.value, ...file };
    case 'raw':
      return { type: 'file', bytes: toBase64(content.value), ...file };
    default:
      return { type: 'text', text: content?.value ?? '' };
  }
}

/** Throws `TOO_LARGE`. */
function checkSize(subject: string, parts: readonly Part[], limit: number): void {
  const size = sizeOf(parts);
  if (size <= limit) return;
  throw new HoldpointError('TOO_LARGE', `The ${subject} has ${size} bytes; ${limit} are allowed.`);
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { content }) => {
    if (content === undefined) return sum;
    if (content.$case === 'data') return sum + (JSON.stringify(content.value)?.length ?? 0);
    return sum + content.value.length;
  }, 0);
}
