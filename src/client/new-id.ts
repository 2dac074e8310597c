/** A random UUID (RFC 9562 §5.4). Works without `crypto.randomUUID`, which needs a secure context. */
export function newId(): string {
  const random = crypto.getRandomValues(new Uint8Array(30)).values();
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () =>
    ((random.next().value ?? 0) % 16).toString(16),
  );
}
