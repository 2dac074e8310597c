import { language, translate } from './strings.ts';

/** Turns a name of a program into words: `toAccountId` and `to_account_id` read "To account id". */
export function toWords(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

const UNITS = [
  { unit: '{0} d', seconds: 86_400 },
  { unit: '{0} h', seconds: 3600 },
  { unit: '{0} min', seconds: 60 },
] as const;

/** A duration in one unit: "12 s", "5 min", "3 h", "2 d". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const unit = UNITS.find((one) => seconds >= one.seconds);
  return unit === undefined
    ? translate('{0} s', seconds)
    : translate(unit.unit, Math.floor(seconds / unit.seconds));
}

/** Below this number of seconds, a remaining time has minutes and seconds. */
const EXACT_S = 600;

/** A remaining time: "3 h", "12 min", in the last ten minutes "1 min 57 s". A begun second counts as a whole one. */
export function timeLeft(milliseconds: number): string {
  const seconds = secondsLeft(milliseconds);
  const rest = seconds % 60;
  return seconds < 60 || seconds >= EXACT_S || rest === 0
    ? duration(seconds * 1000)
    : translate('{0} min {1} s', Math.floor(seconds / 60), rest);
}

/** Milliseconds between two renders of a remaining time, at least: a clock may stand still. */
const SHORTEST_MS = 20;

/** Milliseconds until {@link timeLeft} has another text. Places that render then show the same text. */
export function timeLeftHoldsMs(milliseconds: number): number {
  const seconds = secondsLeft(milliseconds);
  const unit = seconds <= EXACT_S ? 1 : (UNITS.find((one) => seconds >= one.seconds)?.seconds ?? 1);
  return Math.max(SHORTEST_MS, milliseconds - (Math.floor(seconds / unit) * unit - 1) * 1000);
}

function secondsLeft(milliseconds: number): number {
  return Math.max(0, Math.ceil(milliseconds / 1000));
}

/** The time since a moment: "just now", "5 min ago". */
export function ago(time: number, now: number): string {
  return now - time < 5000 ? translate('just now') : translate('{0} ago', duration(now - time));
}

/**
 * A moment, written for the language of {@link setStrings}, else for the reader's locale. With `now`, a moment of the same day
 * is its time alone.
 */
export function moment(time: number, now?: number): string {
  const date = new Date(time);
  const isToday = now !== undefined && date.toDateString() === new Date(now).toDateString();
  return date.toLocaleString(language(), {
    timeStyle: 'short',
    ...(isToday ? {} : { dateStyle: 'medium' }),
  });
}

/** A value in a few words, at most about 60 characters. */
export function shortText(value: unknown): string {
  const text = inWords(value).replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 60)} …` : text;
}

/** Levels and members of a value that are written. */
const DEEPEST = 3;
const MOST = 5;

/** A value without the signs of JSON: "Yes", "red, blue", "City Rome, Zip 00100". */
function inWords(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return translate(value ? 'Yes' : 'No');
  if (value === null || value === undefined) return translate('nothing');
  if (typeof value !== 'object') return JSON.stringify(value);
  if (depth === DEEPEST) return '…';
  const members = Object.entries(value).slice(0, MOST);
  return members
    .map(
      ([name, member]) => `${Array.isArray(value) ? '' : `${toWords(name)} `}${inWords(member, depth + 1)}`,
    )
    .join(', ');
}
