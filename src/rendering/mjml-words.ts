import { gapsOf } from './mjml-gaps.js';
import { withoutLiquidComments } from './mjml-liquid.js';

/** Words that the compiler drops. */
export interface DroppedWords {
  readonly at: number;
  /** As an error shows them. */
  readonly shown: string;
}

const WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
/** Declarations, instructions, and characters that nobody sees. */
const UNSEEN = /<[!?](?!\[CDATA\[)[^<>]*>|&(?:nbsp|zwn?j|shy|e[nm]sp|thinsp|#\d{1,7}|#x[\da-f]{1,6});/gi;
const MAX_SHOWN = 40;

/** The first words between elements of MJML, which the compiler drops without an error. */
export function findDroppedWords(mjml: string): DroppedWords | undefined {
  for (const { text, at } of gapsOf(mjml)) {
    if (!WORD.test(text)) continue;
    const seen = withoutLiquidComments(text).replace(UNSEEN, (unseen) => ' '.repeat(unseen.length));
    const first = seen.search(WORD);
    if (first === -1) continue;
    const shown = seen.slice(first, first + MAX_SHOWN).split('\n', 1)[0]!;
    return { at: at + first, shown: shown.toWellFormed().trim() };
  }
  return undefined;
}
