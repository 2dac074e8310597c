/** Turns a name of a program into words: `toAccountId` and `to_account_id` read "To account id". */
export function toWords(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** "1 request", "3 requests". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

const UNITS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3600 },
  { unit: 'min', seconds: 60 },
] as const;

/** A duration in one unit: "12 s", "5 min", "3 h", "2 d". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const unit = UNITS.find((one) => seconds >= one.seconds);
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit.seconds)} ${unit.unit}`;
}

/** The time since a moment: "just now", "5 min ago". */
export function ago(time: number, now: number): string {
  return now - time < 5000 ? 'just now' : `${duration(now - time)} ago`;
}

/** A moment, formatted for the reader's locale. */
export function moment(time: number): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** The time of a moment for a record: "14:02" today, "3 Mar, 14:02" on another day. */
export function clockTime(time: number, now: number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return date.toLocaleString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
  });
}
