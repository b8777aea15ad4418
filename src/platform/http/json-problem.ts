/**
 * Says what keeps a text from being a JSON body, and where, without quoting it.
 * @param text that failed to parse
 */
export function jsonProblem(text: string): string {
  const json = text.replace(/^\uFEFF/, '');
  try {
    JSON.parse(json);
    return 'The body must not have keys that change the prototype of an object, such as __proto__';
  } catch (error) {
    return `The body is not valid JSON${placeOf(String(error), json)}`;
  }
}

/** Not every message of V8 has a position. */
function placeOf(message: string, json: string): string {
  const position = message.includes('Unexpected end') ? json.length : /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return '';
  if (Number(position) >= json.length) return ': it ends too early';
  const before = json.slice(0, Number(position)).split('\n');
  return `: line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
