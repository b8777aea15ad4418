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

/** Not every message of V8 has a position. Some quote the text, which may contain the words of another message. */
function placeOf(message: string, json: string): string {
  if (message.startsWith('SyntaxError: Unexpected end')) return ': it ends too early';
  const found = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
  if (found === undefined) return '';
  const position = Number(found);
  if (position >= json.length) return ': it ends too early';
  let line = 1;
  let lineStart = 0;
  for (let at = json.indexOf('\n'); at !== -1 && at < position; at = json.indexOf('\n', at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return `: line ${line}, column ${position - lineStart + 1}`;
}
