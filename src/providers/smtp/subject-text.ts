import { encodeWord } from 'nodemailer/lib/mime-funcs';

/** A line has at most 998 bytes (RFC 5322, 2.1.1), with the blank that begins a folded line. */
const UNFOLDABLE = /[^ \t]{998}/;
/** Characters of an encoded word, as nodemailer makes them. */
const ENCODED_WORD = 52;

/**
 * The subject as nodemailer gets it. Header lines are folded at blanks only, so a word that fills a whole line is
 * written as encoded words, which readers join again (RFC 2047, 6.2).
 */
export function subjectText(subject: string): string {
  return UNFOLDABLE.test(subject) ? encodeWord(subject, 'Q', ENCODED_WORD) : subject;
}
