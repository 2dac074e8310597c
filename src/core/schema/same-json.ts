/** True when two values are the same JSON, in any order of members. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [members, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (Array.isArray(one) !== Array.isArray(other) || members.size !== others.size) return false;
  return [...members].every(([name, member]) => others.has(name) && sameJson(member, others.get(name)));
}
