import { createHash } from 'node:crypto';

const LINE_END = '\r\n';

/**
 * The hash of a body in its relaxed form (RFC 6376, 3.4.4: no white space at line ends, single spaces elsewhere, no
 * empty lines at the end), piece by piece, so that a large message does not block the event loop.
 */
export class RelaxedBodyHash {
  private readonly hash = createHash('sha256');
  /** Pending characters whose meaning depends on the next piece: a CR, white space, and line ends. */
  private openReturn = false;
  private openSpace = false;
  private openLineEnds = 0;
  private isEmpty = true;

  /** @param piece in latin1 */
  update(piece: string): void {
    let text = (this.openSpace ? ' ' : '') + (this.openReturn ? '\r' : '') + piece;
    this.openReturn = text.endsWith('\r');
    if (this.openReturn) text = text.slice(0, -1);
    text = text.replace(/[ \t]+/g, ' ').replaceAll(` ${LINE_END}`, LINE_END);
    this.openSpace = text.endsWith(' ');
    let end = text.length - (this.openSpace ? 1 : 0);
    if (this.openSpace) text = text.slice(0, end);
    let lineEnds = 0;
    while (text.endsWith(LINE_END, end)) {
      end -= 2;
      lineEnds += 1;
    }
    if (end > 0) this.write(text.slice(0, end));
    this.openLineEnds += lineEnds;
  }

  digest(): string {
    if (this.openReturn) this.write(this.openSpace ? ' \r' : '\r');
    if (!this.isEmpty) this.hash.update(LINE_END);
    return this.hash.digest('base64');
  }

  private write(text: string): void {
    if (this.openLineEnds > 0) this.hash.update(LINE_END.repeat(this.openLineEnds));
    this.openLineEnds = 0;
    this.isEmpty = false;
    this.hash.update(text, 'latin1');
  }
}
