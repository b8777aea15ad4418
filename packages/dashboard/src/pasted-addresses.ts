/** What is between separators. A name in quotation marks can have some. */
const PIECE = /(?:"(?:[^"\\\n]|\\.)*"|[^,;\t\n])+/g;

/**
 * The addresses of a list that has several on a line, as mail programs copy them, with or without names. Undefined for
 * a table, and for one address per line, which is a table, too.
 */
export function pastedAddresses(text: string): readonly string[] | undefined {
  const pieces = (text.match(PIECE) ?? []).map((piece) => piece.trim()).filter((piece) => piece !== '');
  if (!pieces.every((piece) => piece.includes('@'))) return undefined;
  const addresses = pieces.flatMap(separated);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return addresses.length > lines.length ? addresses : undefined;
}

/** Addresses without names can have only spaces between them. */
function separated(piece: string): readonly string[] {
  const words = piece.split(/\s+/);
  return /[<"]/.test(piece) || !words.every((word) => word.includes('@')) ? [piece] : words;
}
