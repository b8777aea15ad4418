import { shownName } from './shown-name';

const [FIRST_STRONG_ISOLATE, POP_ISOLATE] = ['\u2068', '\u2069'];

/** A name within a sentence, whose direction stays that of the sentence whatever the name contains. */
export function quoted(name: string): string {
  return `“${FIRST_STRONG_ISOLATE}${shownName(name)}${POP_ISOLATE}”`;
}
