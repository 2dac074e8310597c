import type { Results, ShownLine } from './results.ts';
import { findLine, middle, nameOf } from './results.ts';
import { number } from './write-table.ts';

const [WIDTH, LEFT, BAR, GAP, ROW] = [760, 170, 16, 26, 22];

/**
 * Draws each chosen line as a group of bars, one bar for each contender; ours come first. The bare driver does less work and is left out, and
 * so are lines that were not measured.
 */
export function writePicture(results: Results, chosen: readonly ShownLine[]): string {
  const parts: string[] = [];
  let top = 8;
  for (const one of chosen) {
    const line = findLine(results, one);
    const found = Object.keys(line?.figures ?? {}).flatMap((contender) => {
      const value = middle(line, contender);
      if (value === undefined || Number.isNaN(value) || contender === 'bare') return [];
      return [
        { contender, value, isOurs: contender === line?.ours || contender.startsWith(`${line?.ours},`) },
      ];
    });
    const bars = found.toSorted((one, other) => Number(other.isOurs) - Number(one.isOurs));
    if (line === undefined || bars.length === 0) continue;
    const most = Math.max(...bars.map(({ value }) => value));
    const title = `${one.title.charAt(0).toUpperCase()}${one.title.slice(1)}`;
    const unit = `${line.unit}, ${line.better} is better`;
    parts.push(
      `<text class="title" x="8" y="${top + 14}">${escapeXml(title)}<tspan class="unit" dx="8">${escapeXml(unit)}</tspan></text>`,
    );
    top += ROW;
    for (const { contender, value, isOurs } of bars) {
      const length = Math.max(1, ((WIDTH - LEFT - 90) * value) / most);
      const kind = isOurs ? 'ours' : 'peer';
      parts.push(
        `<text x="${LEFT - 8}" y="${top + 13}" text-anchor="end">${escapeXml(nameOf(contender))}</text>`,
        `<rect class="${kind}" x="${LEFT}" y="${top}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/>`,
        `<text x="${(LEFT + length + 6).toFixed(1)}" y="${top + 13}">${number(value)}</text>`,
      );
      top += ROW;
    }
    top += GAP - ROW / 2;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img">`,
    `<title>Holdpoint and its peers, measured side by side</title>`,
    `<style>text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-weight: 600 } .unit { font-weight: 400; fill: #666 } .ours { fill: #2563eb } .peer { fill: #9ca3af }`,
    `@media (prefers-color-scheme: dark) { text { fill: #ddd } .unit { fill: #aaa } .ours { fill: #60a5fa } .peer { fill: #6b7280 } }</style>`,
    ...parts,
    `</svg>`,
    '',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
