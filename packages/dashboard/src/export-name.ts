/** File systems allow 255 bytes; a character can take four. */
const MAX_CHARACTERS = 40;
const OTHERS = /[^\p{L}\p{M}\p{N}]+/gu;

/** The name of a file: what it holds, of what, and the day, such as `emails-Spring-sale-2026-03-20.csv`. */
export function exportName(what: string, of: string, now = new Date()): string {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${[what, ...[plainPart(of)].filter((part) => part !== ''), ...day].join('-')}.csv`;
}

/** Letters and digits of any script. Anything else could be a path, or deceive about the ending. */
function plainPart(text: string): string {
  const plain = [...text.replace(OTHERS, '-')].slice(0, MAX_CHARACTERS).join('');
  return plain.replace(/^-|-$/g, '');
}
