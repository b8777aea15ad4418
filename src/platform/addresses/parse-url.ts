/**
 * The parsed address, or undefined if it is not absolute or malformed. Does not use `URL.canParse`: once V8 optimizes
 * it, Node 20 rejects addresses with Latin-1 letters such as "ü".
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
