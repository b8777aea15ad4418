/** The line before a signature ends with a blank, but no line continues it (RFC 3676, 4.3). */
const SIGNATURE = '-- ';

/**
 * Joins the lines that a mail program has wrapped (format=flowed, RFC 3676). We send text on without this format, so
 * readers would see each line end where it was cut.
 * @param deletesBlanks true if a blank before a break only marks it, as in languages without blanks (`DelSp=yes`)
 */
export function unwrapFlowed(text: string, deletesBlanks: boolean): string {
  const pieces: string[] = [];
  let continuedDepth: number | undefined;
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    let depth = 0;
    while (line[depth] === '>') depth++;
    const content = line.slice(line[depth] === ' ' ? depth + 1 : depth);
    // By the RFC, an empty line would end the paragraph and vanish, but its writer saw a gap there.
    const continues = depth === continuedDepth && content !== '' && content !== SIGNATURE;
    const isContinued = content.endsWith(' ') && content !== SIGNATURE;
    if (!continues) pieces.push('\r\n');
    if (!continues && depth > 0) pieces.push('>'.repeat(depth), content === '' ? '' : ' ');
    if (content !== '') pieces.push(isContinued && deletesBlanks ? content.slice(0, -1) : content);
    continuedDepth = isContinued ? depth : undefined;
  }
  return pieces.join('').slice(2);
}
