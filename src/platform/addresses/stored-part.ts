import { domainInAscii } from './domain-in-ascii.js';

const ASCII = /^[\0-\x7f]*$/;
/** No stored label is longer, and encoding a long one takes time that grows with its square. */
const MAX_LABEL = 63;

/**
 * The form in which stored addresses contain a part of an address, in lower case: whole labels of another alphabet
 * become A-labels. A piece of such a label has no A-label that the whole one would contain.
 */
export function storedPart(part: string): string {
  const lower = part.toLowerCase();
  return ASCII.test(lower)
    ? lower
    : lower
        .split(/([@.])/)
        .map(storedLabel)
        .join('');
}

function storedLabel(label: string): string {
  return ASCII.test(label) || label.length > MAX_LABEL ? label : domainInAscii(label) || label;
}
