import type { CompiledSchema } from './create-schema-compiler.ts';
import { createSchemaCompiler } from './create-schema-compiler.ts';
import type { CompiledPattern } from './prepare-schema.ts';
import type { JsonSchema } from './schema-like.ts';

/** Longest pattern and longest text in characters that are checked in a page. */
const MAX_PATTERN = 1000;
const MAX_TEXT = 2000;
/** Most repetitions in a pattern: the time of a match can grow with the text to this power. */
const MAX_REPEATS = 2;

const compile = /* @__PURE__ */ createSchemaCompiler(patternInBrowser);

/**
 * Compiles a schema from outside for a page, with the rules of `compileForeignSchema`. A pattern that could take long matches
 * every text: the server checks the answer again.
 */
export function compileInBrowser(schema: JsonSchema): CompiledSchema {
  return compile(schema);
}

const LEFT_TO_SERVER: CompiledPattern = { test: () => true, size: 0 };

/** Runs a pattern natively if it takes at most quadratic time in a short text, and leaves any other to the server. */
export function patternInBrowser(pattern: string): CompiledPattern {
  if (pattern.length > MAX_PATTERN || !isQuick(pattern)) return LEFT_TO_SERVER;
  try {
    const expression = new RegExp(pattern, 'u');
    return { test: (text) => text.length > MAX_TEXT || expression.test(text), size: 0 };
  } catch {
    return LEFT_TO_SERVER;
  }
}

/** An escape or a class, which match one character. */
const ONE_CHARACTER = /\\(?:[uU]\{[^}]*\}|[pP]\{[^}]*\}|[^])|\[(?:\\[^]|[^\]\\])*\]/gu;
const REPEAT = /[*+]|\{\d+(?:,\d*)?\}/g;

/** True for a pattern without backreferences that repeats single characters only, and few of them. */
function isQuick(pattern: string): boolean {
  if (/\\(?:[1-9]|k<)/.test(pattern)) return false;
  const shape = pattern.replaceAll(ONE_CHARACTER, 'x');
  return !/\)(?:[*+]|\{\d)/.test(shape) && (shape.match(REPEAT) ?? []).length <= MAX_REPEATS;
}
