import { TagToken, TokenKind, type TopLevelToken } from 'liquidjs';

/** Includes non-ASCII characters, which Liquid allows in names. */
const WORD = /[\w\u0080-\uffff-]+/g;
/** Tags that only compare a variable, or that only name the variable of a capture. */
const HARMLESS = new Set(['if', 'unless', 'elsif', 'case', 'when', 'capture']);

/**
 * Returns a function that tells whether a variable is captured as plain text: every output escapes it for its place, so
 * that escaping inside the capture would escape twice. A variable that may become an unescaped output is no plain text.
 */
export function plainCaptures(tokens: readonly TopLevelToken[]): (name: string) => boolean {
  const others = tokens.filter((token) => token.kind !== TokenKind.HTML);
  const isRaw = (token: TopLevelToken) => /\braw\b/.test(token.getText());
  if (!others.some(isRaw)) return () => true;
  const copied = others.filter(
    (token) => isRaw(token) || (token instanceof TagToken && !HARMLESS.has(token.name) && !isEnd(token)),
  );
  const words = new Set(copied.flatMap((token) => token.getText().match(WORD) ?? []));
  // A name in quotes may contain no word.
  return (name) => name !== '' && !words.has(name);
}

/** The name that a tag captures. */
export function capturedBy({ args }: TagToken): string {
  return args.match(WORD)?.[0] ?? '';
}

function isEnd({ name }: TagToken): boolean {
  return name.startsWith('end');
}
