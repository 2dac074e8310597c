import { RE2JS } from 're2js';
import type { CompiledPattern } from './prepare-schema.ts';

/** Longest pattern in characters: the pattern is compiled before anything else is known about it. */
const MAX_LENGTH = 1000;

/** Largest compiled program in instructions; the time of a match grows with it. */
const MAX_PROGRAM = 10_000;

/** `\s` of ECMA-262: white space and line terminators. */
const WHITE_SPACE =
  '\\t\\n\\x{b}\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_WHITE_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const ANY = '[\\x{0}-\\x{10ffff}]';
const NONE = '[^\\x{0}-\\x{10ffff}]';
const NOT_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/**
 * Compiles a pattern from outside for an engine with linear time for every pattern and text. The pattern has the
 * meaning of ECMA-262 with the `u` flag. Rejects look-around, backreferences, counts over 1000 and character
 * properties that the engine does not know.
 */
export function linearPattern(pattern: string): CompiledPattern {
  if (pattern.length > MAX_LENGTH) return { refused: `more than ${MAX_LENGTH} characters` };
  if (!isValid(pattern)) return { refused: 'invalid syntax' };
  const translated = translate(pattern);
  if ('refused' in translated) return translated;
  try {
    const compiled = RE2JS.compile(translated.source);
    if (compiled.programSize() > MAX_PROGRAM) return { refused: 'counts that multiply to a large number' };
    return { test: (text) => compiled.test(text), size: compiled.programSize() };
  } catch {
    return { refused: 'counts or character properties that cannot be checked in linear time' };
  }
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}

type Translated = { readonly source: string } | { readonly refused: string };

/**
 * One token of a pattern, inside a class or outside: an escape or one character. `new RegExp` has accepted the
 * pattern.
 */
const TOKEN =
  /\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|k<[^>]*>|\d+|[^])|\(\?<[^=!][^>]*>|\(\?(?:<?[=!]|:)|[^]/gu;

/** Translates the pattern to the syntax of the engine without a change of meaning. */
function translate(pattern: string): Translated {
  let source = '';
  let inClass = false;
  const tokens = pattern.match(TOKEN) ?? [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    if (token.startsWith('\\')) {
      const written = translateEscape(token, inClass);
      if (written === undefined) return { refused: 'backreferences' };
      source += written;
    } else if (inClass) {
      if (token === ']') inClass = false;
      source += token === ']' || token === '-' ? token : literal(token);
    } else if (token === '[') {
      const [first, second] = [tokens[index + 1], tokens[index + 2]];
      // The engine has no syntax for the empty classes of ECMA-262.
      if (first === ']') {
        source += NONE;
        index += 1;
      } else if (first === '^' && second === ']') {
        source += ANY;
        index += 2;
      } else {
        inClass = true;
        source += first === '^' ? '[^' : '[';
        if (first === '^') index += 1;
      }
    } else if (token === '.') source += NOT_LINE_END;
    else if (token === '$') source += '\\z';
    else if (token.startsWith('(?<') && token.endsWith('>')) source += '(?:';
    else if (token === '(') source += '(?:';
    else if (token.startsWith('(?') && token !== '(?:') return { refused: 'look-around' };
    else source += SYNTAX.test(token) ? token : literal(token);
  }
  return { source };
}

const SYNTAX = /^(?:[\^|)*+?{},\d]|\(\?:)$/;

/** Escapes with the same meaning in both syntaxes. */
const SAME = new Set(['\\d', '\\D', '\\w', '\\W', '\\t', '\\n', '\\v', '\\f', '\\r']);

/** Undefined for a reference to a group. */
function translateEscape(escape: string, inClass: boolean): string | undefined {
  if (SAME.has(escape)) return escape;
  const kind = escape.charAt(1);
  if (escape === '\\s') return inClass ? WHITE_SPACE : `[${WHITE_SPACE}]`;
  if (escape === '\\S') return inClass ? NOT_WHITE_SPACE : `[${NOT_WHITE_SPACE}]`;
  if (kind === 'b') return inClass ? '\\x{8}' : '\\b';
  if (kind === 'B') return '\\B';
  if (kind === 'c') return codePoint(escape.charCodeAt(2) % 32);
  if (kind === 'p' || kind === 'P') return `\\${kind}{${propertyName(escape.slice(3, -1))}}`;
  if (kind === 'x') return codePoint(Number.parseInt(escape.slice(2), 16));
  if (kind === 'u') return codePoint(unicodeEscape(escape));
  if (escape === '\\0') return codePoint(0);
  if (kind === 'k' || /\d/.test(kind)) return undefined;
  return literal(escape.slice(1));
}

function unicodeEscape(escape: string): number {
  if (escape.startsWith('\\u{')) return Number.parseInt(escape.slice(3, -1), 16);
  const units = escape
    .split('\\u')
    .slice(1)
    .map((unit) => Number.parseInt(unit, 16));
  return String.fromCharCode(...units).codePointAt(0) ?? 0;
}

/** The engine's name of a property: `Script=Greek` is `Greek`, `General_Category=Lu` is `Lu`. */
function propertyName(name: string): string {
  return name.replace(/^(?:Script|sc|General_Category|gc)=/, '');
}

function literal(character: string): string {
  return /^[\dA-Za-z]$/.test(character) ? character : codePoint(character.codePointAt(0) ?? 0);
}

function codePoint(value: number): string {
  return `\\x{${value.toString(16)}}`;
}
