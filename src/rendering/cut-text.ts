/** A part of a character, of a character reference, or of the mark of a variable. */
const CUT = /(?:[\ud800-\udbff]|&#?\w*|\ue000\d*)$/;
/** As long as any of them. */
const MAX_CUT = 40;

/** The beginning of HTML or text. It does not end in the middle of what belongs together. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.slice(Math.max(0, maxLength - MAX_CUT), maxLength);
  return text.slice(0, maxLength - (CUT.exec(end)?.[0].length ?? 0));
}
