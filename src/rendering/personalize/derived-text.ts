import { inText, type SplicedMessage } from './spliced-message.js';

const BEFORE_LINK = /[ \n]<$/;

/**
 * The text part that was derived from the template, with these values. A link without a destination shows only its
 * words, and one whose words are its destination shows them once, as in the text of HTML without variables.
 */
export function derivedTextOf(pieces: SplicedMessage, values: readonly string[]): string {
  const parts = pieces.text.map((_, index) => partAt(pieces, values, index));
  for (let index = 1; index < parts.length - 1; index++) {
    if (!isLeftOut(pieces, index, (at) => parts[at]!)) continue;
    parts[index - 1] = parts[index - 1]!.slice(0, -2);
    parts[index] = '';
    parts[index + 1] = parts[index + 1]!.slice(1);
  }
  return parts.join('');
}

/**
 * True if the values give the text more than their places: see `derivedTextOf`. It looks only at links, because it runs
 * for every recipient.
 */
export function changesText(pieces: SplicedMessage, values: readonly string[]): boolean {
  return pieces.text.some((_, index) => isLeftOut(pieces, index, (at) => partAt(pieces, values, at)));
}

function partAt({ text, slots }: SplicedMessage, values: readonly string[], index: number): string {
  const piece = text[index]!;
  return typeof piece === 'string' ? piece : inText(slots[piece]!, values[piece]!);
}

/** True for the destination of a link, between ` <` and `>`, that is empty or repeats the words of the link. */
function isLeftOut({ text, slots }: SplicedMessage, index: number, part: (at: number) => string): boolean {
  const slot = text[index];
  if (typeof slot !== 'number' || slots[slot]!.place.kind !== 'url start') return false;
  if (index === 0 || index === text.length - 1) return false;
  const before = part(index - 1);
  if (!BEFORE_LINK.test(before) || !part(index + 1).startsWith('>')) return false;
  return part(index) === '' || (before.length === 2 && index > 1 && part(index - 2) === part(index));
}
