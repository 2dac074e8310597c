/**
 * The pointers from which a subschema leads back to itself without visiting a part of the value: checking such a
 * schema would never end. `links` names, for each pointer, the subschemas that check the same value.
 */
export function findEndlessReferences(links: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const endless: string[] = [];
  const done = new Set<string>();
  const open = new Set<string>();
  for (const start of links.keys()) {
    const path = [{ pointer: start, rest: [...(links.get(start) ?? [])] }];
    if (done.has(start)) continue;
    open.add(start);
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const next = here.rest.pop();
      if (next === undefined) {
        open.delete(here.pointer);
        done.add(here.pointer);
        path.pop();
      } else if (open.has(next)) {
        endless.push(next);
      } else if (!done.has(next)) {
        open.add(next);
        path.push({ pointer: next, rest: [...(links.get(next) ?? [])] });
      }
    }
  }
  return endless;
}
