/** Whether a file has one of the media types or extensions of an `accept` list. */
export function isAcceptedFile(
  { name, type }: { readonly name: string; readonly type: string },
  accept: string,
): boolean {
  const wanted = accept.split(',').map((one) => one.trim().toLowerCase());
  return wanted.some((one) => {
    if (one === '' || one === '*' || one === '*/*') return true;
    if (one.startsWith('.')) return name.toLowerCase().endsWith(one);
    return one.endsWith('/*') ? type.toLowerCase().startsWith(one.slice(0, -1)) : type.toLowerCase() === one;
  });
}
