import { inText, type SplicedMessage } from './spliced-message.js';

const BEFORE_LINK = /[ \n]<$/;

/**
 * The text part that was derived from the template, with these values. A link without a destination shows only its
 * words, and one whose words are its destination shows them once, as in the text of HTML without variables.
 */
export function derivedTextOf({ text, slots }: SplicedMessage, values: readonly string[]): string {
  const parts = text.map((piece) => (typeof piece === 'string' ? piece : inText(slots[piece]!, values[piece]!)));
  for (let index = 1; index < parts.length - 1; index++) {
    const slot = text[index]!;
    const [before, after] = [parts[index - 1]!, parts[index + 1]!];
    if (typeof slot !== 'number' || slots[slot]!.place.kind !== 'url start') continue;
    if (!BEFORE_LINK.test(before) || !after.startsWith('>')) continue;
    const isRepeated = before.length === 2 && parts[index - 2] === parts[index];
    if (parts[index] !== '' && !isRepeated) continue;
    parts[index - 1] = before.slice(0, -2);
    parts[index] = '';
    parts[index + 1] = after.slice(1);
  }
  return parts.join('');
}

/** True if the values give the text more than their places: see `derivedTextOf`. */
export function changesText(pieces: SplicedMessage, values: readonly string[]): boolean {
  const { text, slots } = pieces;
  const parts = text.map((piece) => (typeof piece === 'string' ? piece : inText(slots[piece]!, values[piece]!)));
  return derivedTextOf(pieces, values) !== parts.join('');
}
